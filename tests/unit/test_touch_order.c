/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a pass: touch.asm against a model in C, and the model against what scatter promises.
 *
 * The real order is seen in two ways. With lines of a page each, every access faults and is noted.
 * With lines of any size, a chase that finds d instead of 0 in one line goes on d bytes further:
 * the lines visited behind that one are those whose copies at +d were touched. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <cmocka.h>

#include "../../arch/x86/touch_kernel.h"

/* ---- The order as touch_kernel.h describes it, in numbers of lines ---- */

struct shape {
    uint64_t segments, segment_lines;
    unsigned shift;
};

static struct shape shape_of(uint64_t lines)
{
    struct shape shape = {.segments = lines, .segment_lines = 1};
    while (shape.segments > 31) {
        assert_int_equal(shape.segments % 2, 0);
        shape.segments /= 2;
        shape.segment_lines *= 2;
        shape.shift++;
    }
    return shape;
}

static uint64_t *model(uint64_t lines)
{
    struct shape shape = shape_of(lines);
    uint64_t length = shape.segment_lines, segments = shape.segments;
    uint64_t twist = length * 173 / 256;
    if (twist % 2 == 0)
        twist++;
    unsigned fold = shape.shift < 2 ? 1 : (shape.shift + 1) / 2;

    uint64_t *order = malloc(lines * sizeof(*order));
    assert_non_null(order);
    uint64_t x = 0, at = 0;
    for (uint64_t round = 0; round < length; round++) {
        for (uint64_t j = 0; j < segments; j++) {
            uint64_t turn = (j + segments * (length - 1)) * twist; /* (j - segments) * twist */
            order[at++] = j * length + ((x ^ (x >> fold) ^ turn) % length);
        }
        x = (x * 1664525 + length - 1) % length;
    }
    return order;
}

static uint64_t step(uint64_t from, uint64_t to, uint64_t lines)
{
    return (to + lines - from) % lines;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* How often the most frequent of count values occurs; sorts them. */
static uint64_t most_frequent(uint64_t *values, uint64_t count)
{
    qsort(values, count, sizeof(*values), ascending);
    uint64_t best = 0, run = 0;
    for (uint64_t i = 0; i < count; i++) {
        run = i > 0 && values[i] == values[i - 1] ? run + 1 : 1;
        if (run > best)
            best = run;
    }
    return best;
}

/* ---- What scatter promises ---- */

static const uint64_t sizes[] = {1,    2,     3,     15,    16,        31,      32,   34,
                                 62,   64,    96,    124,   128,       136,     248,  256,
                                 512,  768,   992,   1024,  1984,      2048,    2176, 3072,
                                 4096, 12288, 15872, 16384, 31u << 11, 1u << 17};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void each_line_comes_exactly_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t lines = sizes[i], *order = model(lines);
        uint8_t *seen = calloc(lines, 1);
        assert_non_null(seen);
        for (uint64_t k = 0; k < lines; k++) {
            assert_true(order[k] < lines);
            assert_int_equal(seen[order[k]]++, 0);
        }
        free(seen);
        free(order);
    }
}

static void neighbouring_lines_do_not_follow_each_other_from_256_lines_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t lines = sizes[i], adjacent = 0;
        if (lines < 256)
            continue;
        uint64_t *order = model(lines);
        for (uint64_t k = 1; k < lines; k++)
            adjacent += order[k] == order[k - 1] + 1 || order[k] + 1 == order[k - 1];
        assert_true(adjacent * 100 < lines);
        free(order);
    }
}

static void no_distance_is_frequent(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t lines = sizes[i];
        if (lines < 512)
            continue;
        uint64_t *order = model(lines), *steps = malloc(lines * sizeof(*steps));
        assert_non_null(steps);
        for (uint64_t k = 1; k < lines; k++)
            steps[k - 1] = step(order[k - 1], order[k], lines);
        uint64_t percent = lines < 1024 ? 10 : lines < 4096 ? 7 : 3;
        assert_true(most_frequent(steps, lines - 1) * 100 < lines * percent);
        free(steps);
        free(order);
    }
}

static void consecutive_lines_lie_in_different_pages_from_64_kib_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t lines = sizes[i];
        if (lines < 1024)
            continue;
        uint64_t *order = model(lines);
        for (uint64_t k = 1; k < lines; k++)
            assert_int_not_equal(order[k] / 64, order[k - 1] / 64);
        free(order);
    }
}

/* What a prefetcher that watches one page sees: 64 visits. A random order has adjacent lines in 3
 * of 100 steps, and the same distance twice in a row in 1 of 100. */
static void within_a_page_the_order_is_irregular(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t lines = sizes[i];
        if (lines < 1024)
            continue;
        uint64_t *order = model(lines), pages = lines / 64;
        uint64_t *last = malloc(pages * 2 * sizeof(*last)), *steps = malloc(lines * sizeof(*steps));
        assert_non_null(last);
        assert_non_null(steps);
        memset(last, 0xFF, pages * 2 * sizeof(*last));
        uint64_t adjacent = 0, repeated = 0, count = 0;
        for (uint64_t k = 0; k < lines; k++) {
            uint64_t page = order[k] / 64;
            if (page >= pages)
                continue;
            uint64_t *line = &last[page * 2], *distance = &last[page * 2 + 1];
            if (*line != UINT64_MAX) {
                uint64_t now = order[k] - *line;
                adjacent += now == 1 || now == UINT64_MAX;
                repeated += now == *distance;
                *distance = now;
                steps[count++] = now;
            }
            *line = order[k];
        }
        assert_true(adjacent * 100 < count * 6);
        assert_true(repeated * 100 < count * 3);
        assert_true(most_frequent(steps, count) * 100 < count * 7);
        free(steps);
        free(last);
        free(order);
    }
}

/* ---- The real order, page by page ---- */

#define PAGE      4096u
#define PAGES_MAX 1024u

struct touched {
    uint32_t page;
    uint16_t offset;
    bool write;
};
static struct {
    uint8_t *base;
    size_t pages;
    unsigned count;
    struct touched log[2 * PAGES_MAX + 1];
} watch; /* a signal handler has no other way to its data */

/* Notes the access and lets it through; a page that was read still faults when written. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)watch.base;
    bool write = (((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
    if (at >= watch.pages * PAGE || watch.count > 2 * PAGES_MAX) {
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(signal, &plain,
                  NULL); /* a fault of somebody else's: it comes again, and ends us */
        return;
    }
    watch.log[watch.count++] = (struct touched){
        .page = (uint32_t)(at / PAGE), .offset = (uint16_t)(at % PAGE), .write = write};
    mprotect(watch.base + at / PAGE * PAGE, PAGE, write ? PROT_READ | PROT_WRITE : PROT_READ);
}

static void watch_pass(size_t pages, enum touch_pattern pattern, enum touch_access access)
{
    struct touch_order order;
    watch.base = mmap(NULL, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(watch.base, MAP_FAILED);
    watch.pages = pages;
    watch.count = 0;
    touch_order_init(&order, watch.base, pages * PAGE, PAGE);

    struct sigaction watching = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
    sigaction(SIGSEGV, &watching, &before);
    touch_run(&order, pattern, access);
    sigaction(SIGSEGV, &before, NULL);
    munmap(watch.base, pages * PAGE);
}

static void every_pass_makes_the_accesses_it_says_in_the_order_of_the_model(void **state)
{
    (void)state;
    static const size_t pages[] = {1, 2, 16, 31, 32, 62, 64, 68, 256, 496, PAGES_MAX};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        uint64_t *mixed = model(pages[i]);
        for (unsigned pass = 0; pass < TOUCH_PATTERNS * TOUCH_ACCESSES; pass++) {
            enum touch_pattern pattern = (enum touch_pattern)(pass / TOUCH_ACCESSES);
            enum touch_access access = (enum touch_access)(pass % TOUCH_ACCESSES);
            watch_pass(pages[i], pattern, access);

            bool load = access == TOUCH_READ || pattern == TOUCH_CHASE;
            bool store = access != TOUCH_READ;
            unsigned at = 0;
            for (uint64_t k = 0; k < pages[i]; k++) {
                uint64_t page = pattern == TOUCH_LINEAR ? k : mixed[k];
                for (unsigned write = 0; write < 2; write++) {
                    if (!(write ? store : load))
                        continue;
                    assert_true(at < watch.count);
                    assert_int_equal(watch.log[at].page, page);
                    assert_int_equal(watch.log[at].offset, write ? 8 : 0);
                    assert_int_equal(watch.log[at].write, write);
                    at++;
                }
            }
            assert_int_equal(watch.count, at);
        }
        free(mixed);
    }
}

/* ---- The real order, line by line ---- */

static void check_diverted_chase(uint64_t lines, unsigned line, enum touch_access access)
{
    uint64_t words = line / 8, *order = model(lines);
    uint64_t *memory = calloc(2 * lines * words + words, 8);
    assert_non_null(memory);
    uint64_t *base = (uint64_t *)(((uintptr_t)memory + line - 1) / line * line);
    uint64_t *copy = base + lines * words;
    struct touch_order touch;
    touch_order_init(&touch, base, lines * line, line);

    for (uint64_t k = 0; k < lines; k++) {
        for (uint64_t i = 0; i < 2 * lines; i++)
            base[i * words + 1] = 0;
        base[order[k] * words] = lines * line;
        touch_run(&touch, TOUCH_CHASE, access);
        base[order[k] * words] = 0;
        for (uint64_t i = 0; i < lines; i++) {
            assert_int_equal(base[order[i] * words + 1] != 0, i <= k);
            assert_int_equal(copy[order[i] * words + 1] != 0, i > k);
        }
    }
    free(memory);
    free(order);
}

static void a_chase_goes_where_the_loaded_value_sends_it(void **state)
{
    (void)state;
    static const uint64_t few[] = {1, 2, 5, 16, 31, 32, 62, 64, 96, 136, 248, 256, 496};
    for (size_t i = 0; i < sizeof(few) / sizeof(few[0]); i++)
        for (unsigned line = 32; line <= 128; line *= 2)
            check_diverted_chase(few[i], line, line == 128 ? TOUCH_WRITE : TOUCH_UPDATE);
}

static void linear_and_scatter_do_not_care_what_is_loaded(void **state)
{
    (void)state;
    uint64_t lines = 96;
    uint64_t *base = aligned_alloc(64, lines * 64);
    assert_non_null(base);
    memset(base, 0x7F, lines * 64); /* a chase would fault */
    struct touch_order order;
    touch_order_init(&order, base, lines * 64, 64);
    for (unsigned access = 0; access < TOUCH_ACCESSES; access++) {
        touch_run(&order, TOUCH_LINEAR, (enum touch_access)access);
        touch_run(&order, TOUCH_SCATTER, (enum touch_access)access);
    }
    for (uint64_t i = 0; i < lines; i++)
        assert_int_equal(base[i * 8], 0x7F7F7F7F7F7F7F7Full);
    free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_comes_exactly_once),
        cmocka_unit_test(neighbouring_lines_do_not_follow_each_other_from_256_lines_on),
        cmocka_unit_test(no_distance_is_frequent),
        cmocka_unit_test(consecutive_lines_lie_in_different_pages_from_64_kib_on),
        cmocka_unit_test(within_a_page_the_order_is_irregular),
        cmocka_unit_test(every_pass_makes_the_accesses_it_says_in_the_order_of_the_model),
        cmocka_unit_test(a_chase_goes_where_the_loaded_value_sends_it),
        cmocka_unit_test(linear_and_scatter_do_not_care_what_is_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
