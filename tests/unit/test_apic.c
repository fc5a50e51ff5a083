/* SPDX-License-Identifier: BSD-2-Clause */
/* INIT and SIPI as they leave: through memory of the host where the registers would be, and through
 * mock MSRs, since TCG of QEMU 7.2 has no x2APIC (A14). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../arch/x86/cpu.h"

static struct {
    uint64_t base, id;
    unsigned writes;
    uint32_t written;
    uint64_t value;
} msrs;

static uint64_t mock_read_msr(uint32_t msr)
{
    if (msr == 0x1B)
        return msrs.base;
    assert_int_equal(msr, 0x802);
    assert_true((msrs.base & 0x400) != 0); /* it faults in the other mode */
    return msrs.id;
}

static void mock_write_msr(uint32_t msr, uint64_t value)
{
    assert_int_not_equal(msr, 0x1B); /* the mode is never changed (A14) */
    msrs.writes++;
    msrs.written = msr;
    msrs.value = value;
}

#define cpu_read_msr         mock_read_msr
#define cpu_write_msr_fenced mock_write_msr
#include "../../arch/x86/apic.c"

static _Alignas(4096) uint32_t registers[1024];

static struct apic opened(uint64_t base)
{
    struct apic apic;
    memset(&msrs, 0, sizeof(msrs));
    memset(registers, 0, sizeof(registers));
    msrs.base = base;
    assert_true(apic_open(&apic));
    return apic;
}

static struct apic xapic(void)
{
    return opened((uintptr_t)registers | 0x900);
}

static struct apic x2apic(void)
{
    struct apic apic = opened(0xFEE00D00);
    assert_true(apic.x2apic);
    assert_null(apic.registers); /* nothing there can be read: all ones (A14) */
    return apic;
}

static void an_apic_that_is_off_is_refused(void **state)
{
    (void)state;
    struct apic apic;
    msrs.base = 0xFEE00100;
    assert_false(apic_open(&apic));
}

static void the_registers_are_where_the_base_says(void **state)
{
    (void)state;
    struct apic apic = xapic();
    assert_false(apic.x2apic);
    assert_ptr_equal(apic.registers, registers);
    registers[0x20 / 4] = 0x05FFFFFF;
    assert_int_equal(apic_own_id(&apic), 5);
    assert_int_equal(msrs.writes, 0);
}

static void x2apic_ids_have_32_bits(void **state)
{
    (void)state;
    struct apic apic = x2apic();
    msrs.id = 0x12345;
    assert_int_equal(apic_own_id(&apic), 0x12345); /* A15 */
}

static void xapic_commands_name_their_cpu_in_the_upper_register(void **state)
{
    (void)state;
    struct apic apic = xapic();
    assert_true(apic_send(&apic, 0xFE, APIC_INIT));
    assert_int_equal(registers[0x310 / 4], 0xFE000000);
    assert_int_equal(registers[0x300 / 4], 0x4500); /* INIT, edge, assert, no shorthand */
    assert_true(apic_send(&apic, 0, APIC_SIPI | 0x9F));
    assert_int_equal(registers[0x310 / 4], 0);
    assert_int_equal(registers[0x300 / 4], 0x469F);
    assert_int_equal(msrs.writes, 0);
}

static void x2apic_commands_are_one_write(void **state)
{
    (void)state;
    struct apic apic = x2apic();
    assert_true(apic_send(&apic, 0x12345, APIC_SIPI | 0x08));
    assert_int_equal(msrs.writes, 1);
    assert_int_equal(msrs.written, 0x830);
    assert_int_equal(msrs.value, 0x0001234500004608);
    assert_true(apic_send(&apic, 255, APIC_INIT)); /* one CPU like any other, in this mode */
    assert_int_equal(msrs.value, 0x000000FF00004500);
}

/* A16: garbage in ACPI must not become an INIT to all, us included. */
static void nothing_is_sent_to_everyone(void **state)
{
    (void)state;
    struct apic apic = x2apic();
    assert_false(apic_send(&apic, 0xFFFFFFFF, APIC_INIT));
    assert_int_equal(msrs.writes, 0);
    apic = xapic();
    static const uint32_t ids[] = {0xFF, 0x100, 0x12C, 0x17161514, 0xFFFFFFFF};
    for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        assert_false(apic_send(&apic, ids[i], APIC_INIT));
    assert_int_equal(registers[0x300 / 4], 0);
    assert_int_equal(registers[0x310 / 4], 0);
}

static void a_command_that_stays_pending_is_not_waited_for_without_end(void **state)
{
    (void)state;
    struct apic apic = xapic();
    registers[0x300 / 4] = 1u << 12;
    assert_false(apic_send(&apic, 1, APIC_INIT));
    assert_int_equal(registers[0x300 / 4], 1u << 12); /* and not written over */
    registers[0x300 / 4] = 0xFFFFFFFF;                /* nothing there (A14) */
    assert_false(apic_send(&apic, 1, APIC_INIT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_apic_that_is_off_is_refused),
        cmocka_unit_test(the_registers_are_where_the_base_says),
        cmocka_unit_test(x2apic_ids_have_32_bits),
        cmocka_unit_test(xapic_commands_name_their_cpu_in_the_upper_register),
        cmocka_unit_test(x2apic_commands_are_one_write),
        cmocka_unit_test(nothing_is_sent_to_everyone),
        cmocka_unit_test(a_command_that_stays_pending_is_not_waited_for_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
