/* SPDX-License-Identifier: BSD-2-Clause */
/* The touch kernel, really run: what it changes in memory, and what it leaves alone. */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../arch/x86/touch_kernel.h"

#define GUARD      4096u
#define GUARD_WORD 0xA5A5A5A5A5A5A5A5u
#define REST_WORD  0x5A5A5A5A5A5A5A5Au
#define DATA_WORD  1000u /* at +8 of each line before the first pass */

/* A working set between two guards, as 8-byte words. */
struct area {
    uint64_t *words, *base;
    uint64_t lines;
    unsigned line;
};

static struct area area_get(uint64_t lines, unsigned line)
{
    struct area area = {.lines = lines, .line = line};
    size_t bytes = (size_t)(lines * line + 2 * GUARD);
    area.words = aligned_alloc(GUARD, (bytes + GUARD - 1) / GUARD * GUARD);
    assert_non_null(area.words);
    area.base = area.words + GUARD / 8;
    for (size_t i = 0; i < bytes / 8; i++)
        area.words[i] = GUARD_WORD;
    for (uint64_t i = 0; i < lines * line / 8; i++)
        area.base[i] = REST_WORD;
    for (uint64_t i = 0; i < lines; i++) {
        area.base[i * line / 8] = 0;
        area.base[i * line / 8 + 1] = DATA_WORD;
    }
    return area;
}

static void area_put(struct area *area)
{
    free(area->words);
}

/* Nothing but the words at +8 may ever change. */
static bool area_intact(const struct area *area)
{
    uint64_t words = area->lines * area->line / 8, per_line = area->line / 8;
    for (size_t i = 0; i < GUARD / 8; i++)
        if (area->words[i] != GUARD_WORD || area->base[words + i] != GUARD_WORD)
            return false;
    for (uint64_t i = 0; i < words; i++) {
        uint64_t at = i % per_line;
        if (at != 1 && area->base[i] != (at == 0 ? 0 : REST_WORD))
            return false;
    }
    return true;
}

static bool all_data_is(const struct area *area, uint64_t value)
{
    for (uint64_t i = 0; i < area->lines; i++)
        if (area->base[i * area->line / 8 + 1] != value)
            return false;
    return true;
}

static const unsigned line_sizes[] = {32, 64, 128};

/* Every visitable size up to 200 lines, then coarser, with its neighbours in segments. */
static uint64_t next_size(uint64_t lines)
{
    uint64_t at_least = lines < 200 ? lines + 1 : lines + lines / 5;
    uint64_t next = touch_round(at_least * 64, 64) / 64;
    while (next <= lines)
        next = touch_round(++at_least * 64, 64) / 64;
    return next;
}

static void for_each_size(void (*check)(uint64_t lines, unsigned line))
{
    for (unsigned s = 0; s < 3; s++)
        for (uint64_t lines = 1; lines < 6000; lines = next_size(lines))
            check(lines, line_sizes[s]);
}

static void check_update(uint64_t lines, unsigned line)
{
    struct area area = area_get(lines, line);
    struct touch_order order;
    touch_order_init(&order, area.base, lines * line, line);
    uint64_t passes = 0;
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++)
        for (unsigned k = 0; k < 2; k++) {
            touch_run(&order, (enum touch_pattern)pattern, TOUCH_UPDATE);
            passes++;
            assert_true(all_data_is(&area, DATA_WORD + passes));
        }
    assert_true(area_intact(&area));
    area_put(&area);
}

static void an_update_adds_one_to_each_line_per_pass(void **state)
{
    (void)state;
    for_each_size(check_update);
}

static void check_write(uint64_t lines, unsigned line)
{
    struct area area = area_get(lines, line);
    struct touch_order order;
    touch_order_init(&order, area.base, lines * line, line);
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++) {
        uint64_t before = area.base[1];
        touch_run(&order, (enum touch_pattern)pattern, TOUCH_WRITE);
        assert_int_not_equal(area.base[1], before);
        assert_true(all_data_is(&area, area.base[1]));
    }
    assert_true(area_intact(&area));
    area_put(&area);
}

static void a_write_stores_to_each_line_what_the_last_pass_did_not(void **state)
{
    (void)state;
    for_each_size(check_write);
}

static void check_read(uint64_t lines, unsigned line)
{
    struct area area = area_get(lines, line);
    struct touch_order order;
    touch_order_init(&order, area.base, lines * line, line);
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++)
        touch_run(&order, (enum touch_pattern)pattern, TOUCH_READ);
    assert_true(all_data_is(&area, DATA_WORD));
    assert_true(area_intact(&area));
    area_put(&area);
}

static void a_read_changes_nothing(void **state)
{
    (void)state;
    for_each_size(check_read);
}

static void a_size_that_was_not_rounded_is_touched_wholly_all_the_same(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {33, 35, 63, 65, 101, 1001, 1023, 1026};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check_update(sizes[i], 64);
}

static void what_does_not_exist_touches_nothing(void **state)
{
    (void)state;
    struct area area = area_get(64, 64);
    struct touch_order order;
    touch_order_init(&order, area.base, 64 * 64, 64);
    static const struct {
        unsigned pattern, access;
    } rows[] = {{TOUCH_PATTERNS, TOUCH_UPDATE},
                {TOUCH_LINEAR, TOUCH_ACCESSES},
                {UINT32_MAX, TOUCH_UPDATE},
                {TOUCH_CHASE, UINT32_MAX},
                {0x80000000u, 0x80000000u}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(touch_run(&order, (enum touch_pattern)rows[i].pattern,
                                   (enum touch_access)rows[i].access),
                         0);
    touch_order_init(&order, area.base, 0, 64);
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++)
        assert_int_equal(touch_run(&order, (enum touch_pattern)pattern, TOUCH_UPDATE), 0);
    assert_true(all_data_is(&area, DATA_WORD));
    assert_true(area_intact(&area));
    area_put(&area);
}

static uint64_t counter(void)
{
    uint32_t low, high;
    __asm__ volatile("mfence; lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static void a_pass_takes_time_and_no_more_than_its_caller_sees(void **state)
{
    (void)state;
    struct area area = area_get(512, 64);
    struct touch_order order;
    touch_order_init(&order, area.base, 512 * 64, 64);
    for (unsigned pass = 0; pass < TOUCH_PATTERNS * TOUCH_ACCESSES; pass++) {
        uint64_t start = counter();
        uint64_t ticks = touch_run(&order, (enum touch_pattern)(pass / TOUCH_ACCESSES),
                                   (enum touch_access)(pass % TOUCH_ACCESSES));
        uint64_t end = counter();
        assert_int_not_equal(ticks, 0);
        assert_true(ticks <= end - start);
    }
    area_put(&area);
}

/* Calls touch_run() with a known value in every register that a callee must keep; returns which of
 * them changed, as bits, plus bit 6 for the direction flag. */
uint64_t call_with_known_registers(const struct touch_order *order, enum touch_pattern pattern,
                                   enum touch_access access);
__asm__(".text\n"
        ".type call_with_known_registers, @function\n"
        "call_with_known_registers:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    sub $8, %rsp\n"
        "    mov $0x1111111111111111, %rbx\n"
        "    mov %rsp, %rbp\n"
        "    mov $0x2222222222222222, %r12\n"
        "    mov $0x3333333333333333, %r13\n"
        "    mov $0x4444444444444444, %r14\n"
        "    mov $0x5555555555555555, %r15\n"
        "    call touch_run\n"
        "    xor %eax, %eax\n"
        "    cmp %rsp, %rbp; setne %al\n"
        "    mov $0x1111111111111111, %rcx; cmp %rcx, %rbx; setne %dl; shl $1, %dl; or %dl, %al\n"
        "    mov $0x2222222222222222, %rcx; cmp %rcx, %r12; setne %dl; shl $2, %dl; or %dl, %al\n"
        "    mov $0x3333333333333333, %rcx; cmp %rcx, %r13; setne %dl; shl $3, %dl; or %dl, %al\n"
        "    mov $0x4444444444444444, %rcx; cmp %rcx, %r14; setne %dl; shl $4, %dl; or %dl, %al\n"
        "    mov $0x5555555555555555, %rcx; cmp %rcx, %r15; setne %dl; shl $5, %dl; or %dl, %al\n"
        "    pushf; pop %rcx; shr $10, %ecx; and $1, %ecx; shl $6, %ecx; or %ecx, %eax\n"
        "    add $8, %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n"
        ".size call_with_known_registers, . - call_with_known_registers\n");

/* H8. */
static void a_callers_registers_survive(void **state)
{
    (void)state;
    struct area area = area_get(96, 64);
    struct touch_order order;
    touch_order_init(&order, area.base, 96 * 64, 64);
    for (unsigned pattern = 0; pattern <= TOUCH_PATTERNS; pattern++)
        for (unsigned access = 0; access <= TOUCH_ACCESSES; access++)
            assert_int_equal(call_with_known_registers(&order, (enum touch_pattern)pattern,
                                                       (enum touch_access)access),
                             0);
    area_put(&area);
}

int main(void)
{
    /* So that two counter readings are of one counter (B2). */
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)sched_getcpu(), &set);
    sched_setaffinity(0, sizeof(set), &set);

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_update_adds_one_to_each_line_per_pass),
        cmocka_unit_test(a_write_stores_to_each_line_what_the_last_pass_did_not),
        cmocka_unit_test(a_read_changes_nothing),
        cmocka_unit_test(a_size_that_was_not_rounded_is_touched_wholly_all_the_same),
        cmocka_unit_test(what_does_not_exist_touches_nothing),
        cmocka_unit_test(a_pass_takes_time_and_no_more_than_its_caller_sees),
        cmocka_unit_test(a_callers_registers_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
