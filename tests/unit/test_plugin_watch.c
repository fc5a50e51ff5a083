/* SPDX-License-Identifier: BSD-2-Clause */
/* The loops of the touch kernel are found in what QEMU translates, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../arch/x86/touch_kernel.h"
#include "../machine/plugin/watch.h"

#define KERNEL_BYTES 2048u /* touch_run() and its loops are shorter; what follows is text too */

static const uint8_t *kernel(void)
{
    uint64_t (*run)(const struct touch_order *, enum touch_pattern, enum touch_access) = touch_run;
    const uint8_t *code;
    memcpy(&code, &run, sizeof code);
    return code;
}

/* Stands for a disassembler: the two instructions that matter have their size, all others one byte.
 */
static size_t size_at(const uint8_t *code)
{
    static const uint8_t long_nop[] = {0x0F, 0x1F, 0x84, 0x00}, read[] = {0x0F, 0x31};
    if (memcmp(code, long_nop, sizeof long_nop) == 0)
        return 8;
    return memcmp(code, read, sizeof read) == 0 ? 2 : 1;
}

struct seen {
    unsigned first, inside, second;
};

static void feed(struct watch *watch, uint64_t base,
                 struct seen ret_seen[TOUCH_PATTERNS][TOUCH_ACCESSES])
{
    const uint8_t *code = kernel();
    for (size_t at = 0, size; at < KERNEL_BYTES; at += size) {
        const struct watch_loop *loop = NULL;
        size = size_at(code + at);
        enum watch_what what = watch_insn(watch, base + at, code + at, size, &loop);
        if (what == WATCH_NOTHING)
            continue;
        struct seen *seen = &ret_seen[loop->pattern][loop->access];
        seen->first += what == WATCH_FIRST_READ;
        seen->inside += what == WATCH_INSIDE;
        seen->second += what == WATCH_SECOND_READ;
    }
}

static void all_nine_loops_of_the_kernel_are_found(void **state)
{
    (void)state;
    struct watch watch = {0};
    struct seen seen[TOUCH_PATTERNS][TOUCH_ACCESSES] = {0};
    feed(&watch, 0x1000, seen);
    assert_int_equal(watch.count, TOUCH_PATTERNS * TOUCH_ACCESSES);
    for (unsigned pattern = 0; pattern < TOUCH_PATTERNS; pattern++) {
        for (unsigned access = 0; access < TOUCH_ACCESSES; access++) {
            assert_int_equal(seen[pattern][access].first, 1);
            assert_int_equal(seen[pattern][access].second, 1);
            assert_true(seen[pattern][access].inside > 10);
        }
    }
    for (unsigned i = 0; i < watch.count; i++) {
        assert_true(watch.loop[i].end > watch.loop[i].first_read);
        assert_true(watch.loop[i].end - watch.loop[i].begin <= WATCH_LOOP_SIZE);
    }
}

static void translating_the_kernel_again_finds_the_same_loops(void **state)
{
    (void)state;
    struct watch watch = {0};
    struct seen seen[TOUCH_PATTERNS][TOUCH_ACCESSES] = {0};
    feed(&watch, 0x1000, seen);
    feed(&watch, 0x1000, seen);
    assert_int_equal(watch.count, TOUCH_PATTERNS * TOUCH_ACCESSES);
    assert_int_equal(seen[TOUCH_SCATTER][TOUCH_UPDATE].first, 2);
}

static void a_second_copy_at_another_address_is_found_too(void **state)
{
    (void)state;
    struct watch watch = {0};
    struct seen seen[TOUCH_PATTERNS][TOUCH_ACCESSES] = {0};
    feed(&watch, 0x1000, seen);
    feed(&watch, 0x2000000, seen);
    assert_int_equal(watch.count, 2 * TOUCH_PATTERNS * TOUCH_ACCESSES);
}

/* A firmware that loads the application often must not make it forget the newest copy. */
static void the_newest_copies_are_kept_when_there_are_too_many(void **state)
{
    (void)state;
    struct watch watch = {0};
    struct seen seen[TOUCH_PATTERNS][TOUCH_ACCESSES] = {0};
    for (unsigned copy = 1; copy <= 20; copy++)
        feed(&watch, 0x100000ull * copy, seen);
    assert_int_equal(watch.count, WATCH_LOOPS);
    assert_int_equal(seen[TOUCH_CHASE][TOUCH_READ].second, 20);
}

static void blocks_of_a_loop_may_come_in_any_order_behind_the_first(void **state)
{
    (void)state;
    static const uint8_t read[] = {0x0F, 0x31}, other[] = {0x90};
    uint8_t begin[] = {0x0F, 0x1F, 0x84, 0x00, 0x12, 0x00, 0x43, 0x4D};
    uint8_t end[] = {0x0F, 0x1F, 0x84, 0x00, 0x12, 0x01, 0x43, 0x4D};
    struct watch watch = {0};
    const struct watch_loop *loop = NULL;
    assert_int_equal(watch_insn(&watch, 100, begin, 8, &loop), WATCH_NOTHING);
    assert_int_equal(watch_insn(&watch, 108, other, 1, &loop), WATCH_NOTHING);
    assert_int_equal(watch_insn(&watch, 110, read, 2, &loop), WATCH_FIRST_READ);
    assert_int_equal(loop->pattern, TOUCH_SCATTER);
    assert_int_equal(loop->access, TOUCH_UPDATE);
    assert_int_equal(watch_insn(&watch, 150, read, 2, &loop), WATCH_SECOND_READ);
    assert_int_equal(watch_insn(&watch, 152, end, 8, &loop), WATCH_NOTHING);
    assert_int_equal(watch_insn(&watch, 120, other, 1, &loop), WATCH_INSIDE);
    assert_int_equal(watch_insn(&watch, 110, read, 2, &loop), WATCH_FIRST_READ);
    assert_int_equal(watch_insn(&watch, 160, other, 1, &loop), WATCH_NOTHING);
    assert_int_equal(watch_insn(&watch, 99, other, 1, &loop), WATCH_NOTHING);
}

static void what_is_no_marker_begins_no_loop(void **state)
{
    (void)state;
    static const uint8_t others[][8] = {
        {0x0F, 0x1F, 0x84, 0x00, 0x12, 0x00, 0x43, 0x4E}, /* another displacement */
        {0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}, /* padding, as compilers emit it */
        {0x0F, 0x1F, 0x84, 0x00, 0x32, 0x00, 0x43, 0x4D}, /* no such pattern */
        {0x0F, 0x1F, 0x84, 0x00, 0x13, 0x00, 0x43, 0x4D}, /* no such access */
        {0x0F, 0x1F, 0x84, 0x00, 0x12, 0x02, 0x43, 0x4D}, /* a bit that means nothing */
        {0x0F, 0x1F, 0x84, 0x08, 0x12, 0x00, 0x43, 0x4D}, /* another register */
    };
    static const uint8_t short_one[] = {0x0F, 0x1F, 0x84, 0x00};
    struct watch watch = {0};
    const struct watch_loop *loop = NULL;
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(watch_insn(&watch, 100, others[i], 8, &loop), WATCH_NOTHING);
    watch_insn(&watch, 100, short_one, sizeof short_one, &loop);
    watch_insn(&watch, 100, short_one, 0, &loop);
    assert_int_equal(watch.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_nine_loops_of_the_kernel_are_found),
        cmocka_unit_test(translating_the_kernel_again_finds_the_same_loops),
        cmocka_unit_test(a_second_copy_at_another_address_is_found_too),
        cmocka_unit_test(the_newest_copies_are_kept_when_there_are_too_many),
        cmocka_unit_test(blocks_of_a_loop_may_come_in_any_order_behind_the_first),
        cmocka_unit_test(what_is_no_marker_begins_no_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
