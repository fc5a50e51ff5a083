/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a kernel keeps its knob closed: what root never sees on an ordinary file (I2, I3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "../../linux/knob_cause.c"

static void each_errno_has_its_exit_status(void **state)
{
    (void)state;
    static const struct {
        int error;
        bool locked;
        enum status status;
    } cases[] = {
        {EPERM, true, STATUS_LOCKED},    {EPERM, false, STATUS_DENIED},
        {EACCES, true, STATUS_DENIED},   {EACCES, false, STATUS_DENIED},
        {EROFS, false, STATUS_DENIED},   {ENOENT, true, STATUS_NO_KNOB},
        {ENOENT, false, STATUS_NO_KNOB}, {ENOTDIR, false, STATUS_NO_KNOB},
        {EIO, true, STATUS_FAILED},      {EINVAL, false, STATUS_FAILED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(knob_cause(cases[i].error, cases[i].locked), cases[i].status);
}

static void the_lockdown_file_names_its_state_in_brackets(void **state)
{
    (void)state;
    assert_true(knob_locked_down("none [integrity] confidentiality"));
    assert_true(knob_locked_down("none integrity [confidentiality]"));
    assert_false(knob_locked_down("[none] integrity confidentiality"));
    assert_false(knob_locked_down(""));
    assert_false(knob_locked_down("none integrity"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_errno_has_its_exit_status),
        cmocka_unit_test(the_lockdown_file_names_its_state_in_brackets),
    };
    return cmocka_run_group_tests_name("linux_knob", tests, NULL, NULL);
}
