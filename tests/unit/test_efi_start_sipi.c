/* SPDX-License-Identifier: BSD-2-Clause */
/* Our own start of other CPUs on firmware that has no low memory, gives out page 0, protects pages,
 * or lists CPUs that cannot be. What is sent, and when, is in test_sipi.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../arch/x86/cpu.h"

static uint64_t sev_status;
static unsigned msr_reads;

static uint64_t mock_read_msr(uint32_t msr)
{
    assert_int_equal(msr, 0xC0010131);
    msr_reads++;
    return sev_status;
}
#define cpu_read_msr mock_read_msr
#include "../../efi/efi.c"
#include "../../efi/start_sipi.c"

/* ---- What start_sipi.c stands on ---- */

static bool apic_on;
static unsigned starts, stops, answering;
static bool sound;
static const struct sipi *seen;
static uint64_t low_seen;

bool apic_open(struct apic *ret)
{
    *ret = (struct apic){true, NULL};
    return apic_on;
}

uint32_t apic_own_id(const struct apic *apic)
{
    (void)apic;
    return 7;
}

void sipi_prepare(struct sipi *sipi)
{
    seen = sipi;
    low_seen = (uintptr_t)sipi->low;
}

uint32_t sipi_start(struct sipi *sipi)
{
    starts++;
    for (uint32_t i = 0; i < sipi->count && i < answering; i++)
        sipi->target[i].state = TRAMPOLINE_ALIVE;
    return answering < sipi->count ? answering : sipi->count;
}

bool sipi_stop(struct sipi *sipi)
{
    assert_ptr_equal(sipi, seen);
    stops++;
    return sound;
}

/* Of smp/ and efi/mp_services.c. */
static uint32_t inside;
void mp_worker(struct mp_team *team)
{
    (void)team;
}
uint32_t mp_dismiss(struct mp_team *team, uint64_t ticks, uint32_t *ret_apic_id)
{
    (void)team, (void)ret_apic_id;
    assert_int_equal(ticks, 0);
    return inside;
}
static unsigned alone;
void mp_work_alone(struct mp_team *team, void (*work)(void *ctx), void *ctx)
{
    (void)team;
    alone++;
    work(ctx);
}

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    (void)handle, (void)guid, (void)interface;
    return EFI_UNSUPPORTED;
}

/* Low memory: addresses that are given in turn; nothing is behind them. */
static EFI_PHYSICAL_ADDRESS low[3];
static unsigned low_count, low_given, low_freed;

static EFI_STATUS EFIAPI allocate(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN pages,
                                  EFI_PHYSICAL_ADDRESS *address)
{
    if (type == AllocateAnyPages)
        return mock_allocate_pages(type, kind, pages, address);
    assert_int_equal(type, AllocateMaxAddress);
    assert_int_equal(*address, 0x9FFFF);   /* set, that is (C7), and below 640 KiB (C5) */
    assert_int_equal(kind, EfiLoaderCode); /* or it may not be executed (C3) */
    assert_int_equal(pages, 2);
    if (low_given == low_count)
        return EFI_OUT_OF_RESOURCES;
    *address = low[low_given++];
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI release(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    for (unsigned i = 0; i < low_given; i++)
        if (address == low[i] && pages == 2) {
            low_freed++;
            return EFI_SUCCESS;
        }
    return mock_free_pages(address, pages);
}

/* The Memory Attribute Protocol, where there is one. */
static struct memory_attributes_protocol attributes;
static bool has_attributes;
static EFI_STATUS clear_status;
static unsigned clears;

static EFI_STATUS EFIAPI clear(struct memory_attributes_protocol *self, EFI_PHYSICAL_ADDRESS base,
                               UINT64 bytes, UINT64 what)
{
    assert_ptr_equal(self, &attributes);
    assert_int_equal(base % MOCK_PAGE, 0);
    assert_int_equal(bytes % MOCK_PAGE, 0);
    assert_int_equal(what, 0x24000);
    clears++;
    return clear_status;
}

static EFI_STATUS EFIAPI locate(EFI_GUID *guid, VOID *registration, VOID **interface)
{
    (void)registration;
    assert_int_equal(guid->Data1, 0xf4560cf6);
    *interface = &attributes;
    return has_attributes ? EFI_SUCCESS : EFI_NOT_FOUND;
}

struct run {
    struct facts facts;
    struct clock_info clock;
    struct cpu_info cpus[4];
    struct start_sipi start;
    unsigned works;
    const char *why;
};

static void work(void *ctx)
{
    struct run *run = ctx;
    run->works++;
}

static int set_up(void **state)
{
    struct run *run = calloc(1, sizeof(*run));
    mock_open(calloc(1, sizeof(struct mock)));
    mock->boot.AllocatePages = allocate;
    mock->boot.FreePages = release;
    mock->boot.LocateProtocol = locate;
    attributes.clear_attributes = clear;
    has_attributes = false;
    clear_status = EFI_SUCCESS;
    low[0] = 0x9E000;
    low_count = 1;
    low_given = low_freed = clears = starts = stops = alone = msr_reads = 0;
    answering = 3;
    inside = 0;
    apic_on = sound = true;
    run->facts.features.msr = run->facts.features.apic = true;
    run->facts.acpi.madt_cpus = run->facts.madt.count = 4;
    static const uint32_t ids[] = {3, 7, 300, 5};
    for (unsigned i = 0; i < 4; i++)
        run->facts.madt.apic_id[i] = ids[i];
    run->clock.khz = 1000000;
    run->start = (struct start_sipi){
        .efi = &mock->efi, .facts = &run->facts, .clock = &run->clock, .cpus = run->cpus};
    unsigned left_out;
    run->start.cpu_count = start_sipi_list(&run->facts, &run->start.apic, run->cpus, 4, &left_out);
    *state = run;
    return 0;
}

static int tear_down(void **state)
{
    struct mock *services = mock;
    assert_int_equal(low_freed, low_given); /* nothing is kept */
    mock_close();
    free(services);
    free(*state);
    return 0;
}

static enum mp_end go(struct run *run)
{
    enum mp_end end = start_sipi_run(&run->start, work, run, &run->why);
    assert_int_equal(run->works, 1); /* whatever happens, once */
    return end;
}

/* A32: such guests have no INIT and SIPI, or another meaning of them. */
static void guests_with_hidden_memory_are_refused(void **state)
{
    struct run *run = *state;
    struct apic apic;
    static const struct {
        bool tdx, sev, refused;
        uint64_t status;
    } rows[] = {{false, false, false, 7}, {true, false, true, 0}, {false, true, false, 1},
                {false, true, true, 3},   {false, true, true, 7}, {false, true, true, 5}};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run->facts.features.tdx = rows[i].tdx;
        run->facts.features.sev = rows[i].sev;
        sev_status = rows[i].status;
        msr_reads = 0;
        assert_int_equal(start_sipi_open(&run->facts, &apic) != NULL, rows[i].refused);
        assert_int_equal(msr_reads, rows[i].sev && !rows[i].tdx); /* not there elsewhere (A27) */
    }
}

static void without_a_list_or_an_apic_nothing_is_tried(void **state)
{
    struct run *run = *state;
    struct apic apic;
    assert_null(start_sipi_open(&run->facts, &apic));
    apic_on = false;
    assert_non_null(start_sipi_open(&run->facts, &apic));
    apic_on = true;
    run->facts.features.apic = false;
    assert_non_null(start_sipi_open(&run->facts, &apic));
    run->facts.features.apic = true;
    run->facts.acpi.madt_cpus = 0;
    assert_non_null(start_sipi_open(&run->facts, &apic));
}

/* A16: the boot CPU is the one that we run on, wherever the list has it, or has it not. */
static void the_boot_cpu_is_ours_and_listed_once(void **state)
{
    struct run *run = *state;
    struct cpu_info cpus[6];
    unsigned left_out = 9;
    static const uint32_t expected[] = {7, 3, 300, 5};
    assert_int_equal(start_sipi_list(&run->facts, &run->start.apic, cpus, 6, &left_out), 4);
    assert_int_equal(left_out, 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(cpus[i].apic_id, expected[i]);
        assert_int_equal(cpus[i].flags, i == 0 ? CPU_BOOT : 0);
    }
    run->facts.madt.apic_id[1] = 8;
    assert_int_equal(start_sipi_list(&run->facts, &run->start.apic, cpus, 6, &left_out), 5);
    assert_int_equal(cpus[0].apic_id, 7);
}

static void cpus_beyond_the_room_are_counted(void **state)
{
    struct run *run = *state;
    struct cpu_info cpus[2];
    unsigned left_out;
    assert_int_equal(start_sipi_list(&run->facts, &run->start.apic, cpus, 2, &left_out), 2);
    assert_int_equal(left_out, 2);
    run->facts.acpi.madt = ACPI_TOO_MANY; /* A15: more than fit were never read */
    assert_int_equal(start_sipi_list(&run->facts, &run->start.apic, cpus, 2, &left_out), 2);
    assert_int_equal(left_out, 3);
}

static void all_are_started_and_put_back(void **state)
{
    struct run *run = *state;
    assert_int_equal(go(run), MP_ALL_BACK);
    assert_null(run->why);
    assert_int_equal(starts, 1);
    assert_int_equal(stops, 1);
    assert_int_equal(low_seen, 0x9E000);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(run->cpus[i].flags & CPU_LOST, 0);
}

static void a_silent_one_is_left_out(void **state)
{
    struct run *run = *state;
    answering = 2;
    assert_int_equal(go(run), MP_ALL_BACK); /* no error (A16) */
    assert_int_equal(run->cpus[2].flags & CPU_LOST, 0);
    assert_int_equal(run->cpus[3].flags & CPU_LOST, CPU_LOST);
}

static void one_that_does_not_leave_is_lost(void **state)
{
    inside = 1;
    assert_int_equal(go(*state), MP_LOST);
    assert_int_equal(stops, 1);
}

static void a_stack_that_was_used_up_is_no_good_end(void **state)
{
    sound = false;
    assert_int_equal(go(*state), MP_LOST);
}

static void where_nobody_answers_work_is_done_alone(void **state)
{
    struct run *run = *state;
    answering = 0;
    assert_int_equal(go(run), MP_NOT_STARTED);
    assert_non_null(run->why);
    assert_int_equal(alone, 1);
    assert_int_equal(stops, 1); /* they may yet wake */
}

/* C5: firmware has been seen to use all of it. */
static void without_low_memory_nothing_is_sent(void **state)
{
    struct run *run = *state;
    low_count = 0;
    assert_int_equal(go(run), MP_NOT_STARTED);
    assert_non_null(run->why);
    assert_int_equal(starts + stops, 0);
    assert_int_equal(alone, 1);
}

static void without_memory_for_stacks_neither(void **state)
{
    struct run *run = *state;
    mock->pages_limit = 1;
    assert_int_equal(go(run), MP_NOT_STARTED);
    assert_int_equal(starts, 0);
}

/* C6 */
static void page_0_is_not_taken_but_the_next_is(void **state)
{
    low[0] = 0;
    low[1] = 0x1000;
    low_count = 2;
    assert_int_equal(go(*state), MP_ALL_BACK);
    assert_int_equal(low_seen, 0x1000);
}

static void firmware_that_gives_what_was_not_asked_for_is_refused(void **state)
{
    static const EFI_PHYSICAL_ADDRESS wrong[] = {0x9F000, 0xA0000, 0x100000, 0x100001000};
    low[1] = 0;
    low_count = 2;
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct run *run = *state;
        low[0] = wrong[i];
        low_given = low_freed = run->works = 0;
        assert_int_equal(go(run), MP_NOT_STARTED);
        assert_int_equal(low_freed, 2);
    }
    assert_int_equal(starts, 0);
}

/* C3 */
static void pages_are_made_executable_where_that_is_a_question(void **state)
{
    struct run *run = *state;
    has_attributes = true;
    assert_int_equal(go(run), MP_ALL_BACK);
    assert_int_equal(clears, 1);
    clear_status = EFI_UNSUPPORTED;
    low_given = low_freed = run->works = 0;
    assert_int_equal(go(run), MP_NOT_STARTED);
    assert_non_null(run->why);
    assert_int_equal(starts, 1);
}

/* A12: the pauses are of the clock whose rate was found. */
static void a_pause_is_at_least_as_long_as_asked_for(void **state)
{
    struct run *run = *state;
    static const uint64_t khz[] = {1, 1000, 2600000};
    for (unsigned i = 0; i < sizeof(khz) / sizeof(khz[0]); i++) {
        run->clock.khz = khz[i];
        uint64_t start = clock_read();
        delay(&run->clock, 200);
        assert_true(clock_read() - start >= 200 * khz[i] / 1000);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(guests_with_hidden_memory_are_refused),
        TEST(without_a_list_or_an_apic_nothing_is_tried),
        TEST(the_boot_cpu_is_ours_and_listed_once),
        TEST(cpus_beyond_the_room_are_counted),
        TEST(all_are_started_and_put_back),
        TEST(a_silent_one_is_left_out),
        TEST(one_that_does_not_leave_is_lost),
        TEST(a_stack_that_was_used_up_is_no_good_end),
        TEST(where_nobody_answers_work_is_done_alone),
        TEST(without_low_memory_nothing_is_sent),
        TEST(without_memory_for_stacks_neither),
        TEST(page_0_is_not_taken_but_the_next_is),
        TEST(firmware_that_gives_what_was_not_asked_for_is_refused),
        TEST(pages_are_made_executable_where_that_is_a_question),
        TEST(a_pause_is_at_least_as_long_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
