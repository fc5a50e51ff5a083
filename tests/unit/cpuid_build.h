/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds CPUID dumps leaf by leaf, for tests of single decisions of the decoder. */
#ifndef TESTS_UNIT_CPUID_BUILD_H
#define TESTS_UNIT_CPUID_BUILD_H

#include "../../arch/x86/cpuid.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void add(struct cpuid_dump *dump, uint32_t leaf, uint32_t subleaf, uint32_t eax,
                       uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    assert_in_range(dump->count, 0, CPUID_LEAVES - 1);
    dump->leaf[dump->count++] = (struct cpuid_leaf){leaf, subleaf, eax, ebx, ecx, edx};
}

static inline struct cpuid_dump intel(void)
{
    struct cpuid_dump dump = {0};

    add(&dump, 0, 0, 0x1F, 0x756E6547, 0x6C65746E, 0x49656E69);
    return dump;
}

static inline struct cpuid_dump amd(void)
{
    struct cpuid_dump dump = {0};

    add(&dump, 0, 0, 0x10, 0x68747541, 0x444D4163, 0x69746E65);
    return dump;
}

static inline struct cpu_info describe(const struct cpuid_dump *dump, uint32_t apic_id)
{
    struct cpu_info cpu;

    topology_cpu_init(&cpu, 0);
    (void)cpuid_describe(dump, apic_id, &cpu);
    return cpu;
}

#endif
