/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of small files when the kernel interrupts, cuts or fails, which no file on a disk does
 * (D11): the code is built here with a read() of its own. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t fake_read(int fd, void *buffer, size_t size);
#define read fake_read
#include "../../linux/files.c"
#undef read

/* What the next reads give: bytes if above 0, the errno if below, the end at 0. */
static struct {
    const int *answers;
    unsigned calls;
    size_t least_asked;
} script;

static ssize_t fake_read(int fd, void *buffer, size_t size)
{
    (void)fd;
    int answer = script.answers[script.calls++];
    if (size < script.least_asked || script.calls == 1)
        script.least_asked = size;
    if (answer < 0) {
        errno = -answer;
        return -1;
    }
    if ((size_t)answer > size)
        answer = (int)size;
    memset(buffer, 'a' + (int)script.calls - 1, (size_t)answer);
    return answer;
}

static int read_with(const int *answers, char *buffer, size_t size, size_t *ret_length)
{
    script.answers = answers;
    script.calls = 0;
    *ret_length = 999;
    /* Any file that says no size will do. */
    return file_read("", "/proc/self/status", buffer, size, ret_length);
}

static void an_interrupted_read_is_repeated_twenty_times_and_no_more(void **state)
{
    (void)state;
    char buffer[64];
    size_t length;
    int answers[40];
    for (unsigned i = 0; i < 40; i++)
        answers[i] = -EINTR;
    answers[20] = 5;
    answers[21] = 0;
    assert_int_equal(read_with(answers, buffer, sizeof buffer, &length), 0);
    assert_int_equal(length, 5);
    assert_int_equal(script.calls, 22);

    answers[20] = -EINTR;
    assert_int_equal(read_with(answers, buffer, sizeof buffer, &length), EINTR);
    assert_int_equal(script.calls, 21);
    assert_int_equal(READ_RETRIES, 20);
}

static void short_reads_are_put_together(void **state)
{
    (void)state;
    static const int answers[] = {2, 1, -EINTR, 3, 0};
    char buffer[64];
    size_t length;
    assert_int_equal(read_with(answers, buffer, sizeof buffer, &length), 0);
    assert_int_equal(length, 6);
    assert_memory_equal(buffer, "aabddd", 6);
}

static void a_failure_is_reported_as_it_is(void **state)
{
    (void)state;
    static const int answers[] = {2, -EIO};
    char buffer[64];
    size_t length;
    assert_int_equal(read_with(answers, buffer, sizeof buffer, &length), EIO);
}

static void no_more_is_read_than_there_is_room(void **state)
{
    (void)state;
    static const int answers[] = {5, 100, 100};
    char buffer[9] = {0};
    size_t length;
    assert_int_equal(read_with(answers, buffer, 8, &length), 0);
    assert_int_equal(length, 8);
    assert_int_equal(script.calls, 2);
    assert_int_equal(buffer[8], 0);
}

/* A file of a known size: efivarfs. A second read would ask the firmware again. */
static void a_file_that_says_its_size_is_read_once(void **state)
{
    (void)state;
    char path[] = "build/unit/test_linux_files_XXXXXX", buffer[4100];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 500), 0);
    close(fd);
    static const int answers[] = {500, -EIO};
    size_t length = 0;
    script.answers = answers;
    script.calls = 0;
    assert_int_equal(file_read("", path, buffer, sizeof buffer, &length), 0);
    assert_int_equal(length, 500);
    assert_int_equal(script.calls, 1);
    assert_true(script.least_asked >= 4096 + 4);
    unlink(path);
}

static void numbers_are_32_bits_of_digits(void **state)
{
    (void)state;
    uint32_t value = 7;
    static const char *const bad[] = {
        "", "-1", "+1", " 1", "1 ", "0x10", "4294967296", "99999999999999999999", "1\n", "a"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(text_to_u32(bad[i], &value));
    assert_int_equal(value, 7);
    assert_true(text_to_u32("4294967295", &value));
    assert_int_equal(value, UINT32_MAX);
    assert_true(text_to_u32("0", &value));
    assert_int_equal(value, 0);
}

static void a_path_that_is_too_long_is_no_path(void **state)
{
    (void)state;
    static char root[PATH_SIZE], path[PATH_SIZE];
    char byte;
    size_t length;
    memset(root, 'x', sizeof root - 2);
    assert_true(path_under(root, "/", path));
    assert_false(path_under(root, "/y", path));
    assert_int_equal(file_read(root, "/y", &byte, 1, &length), ENAMETOOLONG);
    assert_false(file_exists(root, "/y"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupted_read_is_repeated_twenty_times_and_no_more),
        cmocka_unit_test(short_reads_are_put_together),
        cmocka_unit_test(a_failure_is_reported_as_it_is),
        cmocka_unit_test(no_more_is_read_than_there_is_room),
        cmocka_unit_test(a_file_that_says_its_size_is_read_once),
        cmocka_unit_test(numbers_are_32_bits_of_digits),
        cmocka_unit_test(a_path_that_is_too_long_is_no_path),
    };
    return cmocka_run_group_tests_name("linux_files", tests, NULL, NULL);
}
