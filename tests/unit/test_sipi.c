/* SPDX-License-Identifier: BSD-2-Clause */
/* The sequence of INIT, SIPI and delays, and the page that a started CPU runs, against CPUs that
 * answer, come late, or are not there. */
#define _GNU_SOURCE /* MAP_32BIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "../../arch/x86/cpu.h"

#define MSRS_MAX 0x400u

/* The boot CPU. */
static struct {
    uint64_t capability, efer, cr3, cr4;
} boot;

static uint64_t mock_read_msr(uint32_t msr)
{
    if (msr == 0xFE)
        return boot.capability;
    if (msr == 0xC0000080)
        return boot.efer;
    assert_true(msr < MSRS_MAX);
    return 0x1111111100000000u | msr;
}

static uint64_t mock_read_cr3(void)
{
    return boot.cr3;
}

static uint64_t mock_read_cr4(void)
{
    return boot.cr4;
}

#define cpu_read_msr mock_read_msr
#define cpu_read_cr3 mock_read_cr3
#define cpu_read_cr4 mock_read_cr4
#include "../../arch/x86/sipi.c"

#define CPUS     4u
#define LOG_MAX  256u
#define DELAY_TO UINT32_MAX /* a delay, in the log */

struct bench {
    struct sipi sipi;
    struct trampoline_target target[CPUS];
    uint8_t root[4096];
    /* Of each CPU: how many SIPIs it needs since its last INIT, 0: it is not there; from which INIT
     * on it listens; how long after a SIPI it comes. */
    unsigned needs[CPUS], listens[CPUS];
    uint32_t late_us[CPUS];
    /* What it got, and whether it is on its way in. */
    unsigned inits[CPUS], sipis[CPUS], runs[CPUS];
    bool coming[CPUS];
    uint32_t due_us[CPUS];
    struct {
        uint32_t to, what; /* id and command, or DELAY_TO and us */
    } log[LOG_MAX];
    unsigned logged;
    uint64_t polled_us;
};
static struct bench *bench;

static void note(uint32_t to, uint32_t what)
{
    assert_true(bench->logged < LOG_MAX);
    bench->log[bench->logged].to = to;
    bench->log[bench->logged++].what = what;
}

/* What trampoline.asm does with its target. */
static void come_in(unsigned cpu)
{
    uint32_t expected = TRAMPOLINE_EXPECTED;
    bench->coming[cpu] = false;
    if (__atomic_compare_exchange_n(&bench->target[cpu].state, &expected, TRAMPOLINE_ALIVE, false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        bench->runs[cpu]++;
}

bool apic_send(const struct apic *apic, uint32_t id, uint32_t command)
{
    assert_ptr_equal(apic, &bench->sipi.apic);
    note(id, command);
    unsigned cpu = id - 10;
    assert_true(cpu < CPUS);
    if (command == APIC_INIT) {
        bench->inits[cpu]++;
        bench->sipis[cpu] = 0;
        bench->coming[cpu] = false;
        return true;
    }
    bench->sipis[cpu]++;
    if (bench->needs[cpu] == 0 || bench->sipis[cpu] != bench->needs[cpu] ||
        bench->inits[cpu] < bench->listens[cpu])
        return true;
    bench->coming[cpu] = true;
    bench->due_us[cpu] = bench->late_us[cpu];
    if (bench->due_us[cpu] == 0)
        come_in(cpu);
    return true;
}

static void mock_delay(void *ctx, uint32_t us)
{
    assert_ptr_equal(ctx, bench);
    if (us == SIPI_POLL_US)
        bench->polled_us += us;
    else
        note(DELAY_TO, us);
    for (unsigned i = 0; i < CPUS; i++) {
        if (!bench->coming[i])
            continue;
        bench->due_us[i] = bench->due_us[i] > us ? bench->due_us[i] - us : 0;
        if (bench->due_us[i] == 0)
            come_in(i);
    }
}

static void some_entry(void *argument)
{
    (void)argument;
}

static int set_up(void **state)
{
    bench = calloc(1, sizeof(*bench));
    struct sipi *sipi = &bench->sipi;
    /* Below 4 GiB, as on a machine: the page holds 32-bit addresses. */
    sipi->low = mmap(NULL, SIPI_LOW_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(sipi->low, MAP_FAILED);
    sipi->target = bench->target;
    sipi->count = CPUS;
    sipi->stacks = aligned_alloc(16, (size_t)CPUS * TRAMPOLINE_STACK_BYTES);
    sipi->mtrr = sipi->pat = true;
    sipi->entry = some_entry;
    sipi->argument = &boot;
    sipi->delay = mock_delay;
    sipi->ctx = bench;
    for (unsigned i = 0; i < CPUS; i++) {
        bench->target[i].apic_id = 10 + i;
        bench->needs[i] = 1;
    }
    for (unsigned i = 0; i < sizeof(bench->root); i++)
        bench->root[i] = (uint8_t)(i * 7);
    boot.capability = 0x508; /* eight ranges, fixed ones */
    boot.efer = 0x500;
    boot.cr4 = 0x668;
    void *table = aligned_alloc(4096, 4096);
    memcpy(table, bench->root, 4096);
    boot.cr3 = (uintptr_t)table;
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    munmap(bench->sipi.low, SIPI_LOW_BYTES);
    free(bench->sipi.stacks);
    free((void *)(uintptr_t)(boot.cr3 & ~0xFFFull));
    free(bench);
    return 0;
}

static const struct trampoline *page_of(void)
{
    return (const struct trampoline *)(const void *)bench->sipi.low;
}

static void start(uint32_t answer)
{
    sipi_prepare(&bench->sipi);
    assert_int_equal(sipi_start(&bench->sipi), answer);
}

static void expect_log(unsigned at, uint32_t to, uint32_t what)
{
    assert_true(at < bench->logged);
    assert_int_equal(bench->log[at].to, to);
    assert_int_equal(bench->log[at].what, what);
}

/* ---- The sequence ---- */

/* A12: INIT, 10 ms, SIPI; all together, so that it takes as long for 1,000 CPUs. */
static void cpus_that_answer_get_one_init_and_one_sipi(void **state)
{
    (void)state;
    start(CPUS);
    uint32_t sipi = APIC_SIPI | (uint32_t)((uintptr_t)bench->sipi.low >> 12 & 0xFF);
    for (unsigned i = 0; i < CPUS; i++) {
        expect_log(i, 10 + i, APIC_INIT);
        expect_log(CPUS + 1 + i, 10 + i, sipi);
        assert_int_equal(bench->runs[i], 1);
        assert_int_equal(bench->target[i].state, TRAMPOLINE_ALIVE);
    }
    expect_log(CPUS, DELAY_TO, 10000);
    expect_log(2 * CPUS + 1, DELAY_TO, 200);
    assert_int_equal(bench->logged, 2 * CPUS + 2);
    assert_int_equal(bench->polled_us, 0);
}

static void one_that_needs_a_second_sipi_gets_it_and_no_other_does(void **state)
{
    (void)state;
    bench->needs[2] = 2;
    start(CPUS);
    for (unsigned i = 0; i < CPUS; i++) {
        assert_int_equal(bench->sipis[i], i == 2 ? 2 : 1); /* A12 */
        assert_int_equal(bench->inits[i], 1);
        assert_int_equal(bench->runs[i], 1);
    }
}

static void one_that_comes_late_is_waited_for(void **state)
{
    (void)state;
    bench->late_us[1] = 300000;
    start(CPUS);
    assert_int_equal(bench->runs[1], 1);
    assert_int_equal(bench->inits[1], 1);
    assert_true(bench->polled_us < SIPI_POLLS * SIPI_POLL_US);
}

/* A33: hypervisors have been seen to lose a SIPI to a late INIT. */
static void a_silent_one_is_tried_once_more_and_the_others_are_left_alone(void **state)
{
    (void)state;
    bench->listens[3] = 2;
    start(CPUS);
    for (unsigned i = 0; i < CPUS; i++) {
        assert_int_equal(bench->inits[i], i == 3 ? 2 : 1);
        assert_int_equal(bench->runs[i], 1);
    }
}

/* A16: ACPI lists CPUs that are not there. */
static void one_that_is_not_there_costs_a_second_and_is_told(void **state)
{
    (void)state;
    bench->needs[0] = 0;
    start(CPUS - 1);
    assert_int_equal(bench->inits[0], SIPI_ATTEMPTS);
    assert_int_equal(bench->target[0].state, TRAMPOLINE_CLOSED);
    assert_int_equal(bench->polled_us, (uint64_t)SIPI_ATTEMPTS * SIPI_POLLS * SIPI_POLL_US);
    assert_true(bench->polled_us <= 1000000);
}

/* A12: whoever comes when it is no longer expected finds the door closed. */
static void one_that_comes_too_late_does_not_get_in(void **state)
{
    (void)state;
    bench->late_us[1] = 1000000000;
    start(CPUS - 1);
    come_in(1);
    assert_int_equal(bench->runs[1], 0);
    for (unsigned i = 0; i < CPUS; i++)
        come_in(i);
    for (unsigned i = 0; i < CPUS; i++)
        assert_int_equal(bench->runs[i], i == 1 ? 0 : 1); /* none twice on one stack */
}

static void nobody_is_there(void **state)
{
    (void)state;
    memset(bench->needs, 0, sizeof(bench->needs));
    start(0);
    assert_true(sipi_stop(&bench->sipi));
}

static void all_wait_for_a_sipi_in_the_end(void **state)
{
    (void)state;
    bench->needs[0] = 0;
    start(CPUS - 1);
    unsigned before = bench->logged;
    assert_true(sipi_stop(&bench->sipi));
    for (unsigned i = 0; i < CPUS; i++) /* the silent one too: it may yet wake */
        expect_log(before + i, 10 + i, APIC_INIT);
    expect_log(before + CPUS, DELAY_TO, 10000);
    assert_int_equal(bench->logged, before + CPUS + 1);
}

static void a_stack_that_was_used_up_is_noticed(void **state)
{
    (void)state;
    start(CPUS);
    bench->sipi.stacks[2 * TRAMPOLINE_STACK_BYTES + 3] ^= 1; /* A25 */
    assert_false(sipi_stop(&bench->sipi));
}

/* ---- The page ---- */

static void the_page_is_made_for_its_address(void **state)
{
    (void)state;
    sipi_prepare(&bench->sipi);
    const struct trampoline *page = page_of();
    uint32_t base = (uint32_t)(uintptr_t)page;

    assert_int_equal(page->gdtr_base, base + 16);
    assert_int_equal(page->gdtr_limit, sizeof(page->gdt) - 1);
    assert_int_equal(page->idtr_base, base + 1024);
    assert_int_equal(page->idtr_limit, sizeof(page->idt) - 1);
    assert_in_range(page->protected_offset, base + 128, base + 1023);
    assert_in_range(page->long_offset, page->protected_offset + 1, base + 1023);
    assert_int_equal(page->protected_selector, 8);
    assert_int_equal(page->long_selector, TRAMPOLINE_CODE_64);
    assert_int_equal(page->gdt[1] >> 32 & 0xF09B00, 0xC09B00 & 0xF09B00);
    assert_int_equal(page->gdt[TRAMPOLINE_CODE_64 / 8] >> 53 & 1, 1); /* 64 bits */
    assert_int_equal(page->target_count, CPUS);
    assert_ptr_equal((void *)(uintptr_t)page->targets, bench->target);
    assert_ptr_equal((void *)(uintptr_t)page->stacks, bench->sipi.stacks);
    assert_true((void (*)(void *))(uintptr_t)page->entry == some_entry);
    assert_ptr_equal((void *)(uintptr_t)page->argument, &boot);
}

static void the_bytes_are_those_of_the_image_but_for_what_is_filled_in(void **state)
{
    (void)state;
    const uint8_t *image = (const uint8_t *)&trampoline_image;
    size_t bytes = trampoline_image.size;
    assert_in_range(bytes, 129, offsetof(struct trampoline, idt));
    assert_int_equal(image[0], 0xEB); /* a short jump over the fields .. */
    assert_int_equal(image[1] + 2, offsetof(struct trampoline, code));
    sipi_prepare(&bench->sipi);
    assert_memory_equal(page_of()->code, image + offsetof(struct trampoline, code),
                        bytes - offsetof(struct trampoline, code));
}

/* A26: the top table may lie where 32-bit code cannot name it. */
static void the_top_page_table_is_copied_and_the_true_one_named(void **state)
{
    (void)state;
    uint64_t table = boot.cr3;
    boot.cr3 |= 0x18; /* flags are not an address */
    sipi_prepare(&bench->sipi);
    assert_int_equal(page_of()->root, (uint32_t)(uintptr_t)bench->sipi.low + 4096);
    assert_int_equal(page_of()->cr3, table);
    assert_memory_equal(bench->sipi.low + 4096, bench->root, 4096);
}

/* C11; and no other bit of CR4, since each could fault. */
static void levels_and_no_execute_are_the_boot_cpus(void **state)
{
    (void)state;
    sipi_prepare(&bench->sipi);
    assert_int_equal(page_of()->cr4, 0x20);
    assert_int_equal(page_of()->efer, 0x100);
    boot.cr4 |= 0x1000;
    boot.efer |= 0x800 | 0x1;
    sipi_prepare(&bench->sipi);
    assert_int_equal(page_of()->cr4, 0x1020);
    assert_int_equal(page_of()->efer, 0x900);
}

/* A29: an NMI is passed over, everything else parks. */
static void every_exception_has_a_gate(void **state)
{
    (void)state;
    sipi_prepare(&bench->sipi);
    const struct trampoline *page = page_of();
    uint32_t base = (uint32_t)(uintptr_t)page;
    for (unsigned vector = 0; vector < 32; vector++) {
        const uint16_t *gate = page->idt[vector];
        uint32_t handler = (uint32_t)gate[3] << 16 | gate[0];
        assert_int_equal(handler, base + (vector == 2 ? page->nmi : page->park));
        assert_int_equal(gate[1], TRAMPOLINE_CODE_64);
        assert_int_equal(gate[2], 0x8E00);
        assert_int_equal(gate[4] | gate[5] | gate[6] | gate[7], 0);
    }
    assert_memory_equal(bench->sipi.low + page->nmi, "\x48\xCF", 2);      /* iretq */
    assert_memory_equal(bench->sipi.low + page->park, "\xFA\xF4\xEB", 3); /* cli; hlt; jmp */
}

/* ---- Memory types ---- */

static void memory_types_are_listed_with_the_default_last(void **state)
{
    (void)state;
    sipi_prepare(&bench->sipi);
    const struct trampoline_msr *msr = page_of()->msr;
    static const uint32_t first[] = {0x277, 0x250, 0x258, 0x259, 0x268, 0x269, 0x26A,
                                     0x26B, 0x26C, 0x26D, 0x26E, 0x26F, 0x200, 0x201};
    for (unsigned i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        assert_int_equal(msr[i].number, first[i]);
    assert_int_equal(msr[27].number, 0x20F);
    assert_int_equal(msr[28].number, 0x2FF);
    assert_int_equal(msr[29].number, 0);
    for (unsigned i = 0; i < 29; i++) {
        assert_int_equal(msr[i].low, msr[i].number);
        assert_int_equal(msr[i].high, 0x11111111);
    }
}

static void what_the_cpu_does_not_have_is_not_listed(void **state)
{
    (void)state;
    struct trampoline_msr msr[TRAMPOLINE_MSRS];
    assert_int_equal(sipi_list_msrs(2, false, msr), 5);
    assert_int_equal(msr[0].number, 0x200);
    assert_int_equal(msr[4].number, 0x2FF);
    assert_int_equal(sipi_list_msrs(0, true, msr), 2);
    assert_int_equal(sipi_list_msrs(0x1FF, true, msr), TRAMPOLINE_MSRS - 1); /* it has an end */
    assert_int_equal(msr[TRAMPOLINE_MSRS - 2].number, 0x2FF);

    bench->sipi.mtrr = false;
    sipi_prepare(&bench->sipi);
    assert_int_equal(page_of()->msr[0].number, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(cpus_that_answer_get_one_init_and_one_sipi),
        TEST(one_that_needs_a_second_sipi_gets_it_and_no_other_does),
        TEST(one_that_comes_late_is_waited_for),
        TEST(a_silent_one_is_tried_once_more_and_the_others_are_left_alone),
        TEST(one_that_is_not_there_costs_a_second_and_is_told),
        TEST(one_that_comes_too_late_does_not_get_in),
        TEST(nobody_is_there),
        TEST(all_wait_for_a_sipi_in_the_end),
        TEST(a_stack_that_was_used_up_is_noticed),
        TEST(the_page_is_made_for_its_address),
        TEST(the_bytes_are_those_of_the_image_but_for_what_is_filled_in),
        TEST(the_top_page_table_is_copied_and_the_true_one_named),
        TEST(levels_and_no_execute_are_the_boot_cpus),
        TEST(every_exception_has_a_gate),
        TEST(memory_types_are_listed_with_the_default_last),
        TEST(what_the_cpu_does_not_have_is_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
