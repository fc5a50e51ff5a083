/* SPDX-License-Identifier: BSD-2-Clause */
/* Who checked in, matched to whom firmware speaks of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../smp/roster.h"

#define ROOM 8u

struct stage {
    struct mp_team *team;
    struct cpu_info cpus[ROOM + 1];
    uint32_t ticket_of[ROOM + 1];
    struct roster roster;
};

static int set_up(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));
    size_t bytes = sizeof(struct mp_team) + mp_team_bytes(ROOM);
    struct cpuid_features features = {.monitor = true, .smi_counter = true};

    stage->team = aligned_alloc(CPU_LINE, (bytes + CPU_LINE - 1) / CPU_LINE * CPU_LINE);
    memset(stage->team, 0, bytes);
    mp_team_init(stage->team, stage->team + 1, ROOM, &features, true);
    *state = stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    free(stage->team);
    free(stage);
    return 0;
}

/* CPUs as firmware lists them; the first is the boot CPU. */
static void list(struct stage *stage, unsigned count, const uint32_t *apic_ids)
{
    for (unsigned i = 0; i < count; i++)
        stage->cpus[i] = (struct cpu_info){.apic_id = apic_ids[i], .flags = i == 0 ? CPU_BOOT : 0};
}

/* A CPU takes the next ticket and claims this id. */
static struct mp_facts *come(struct stage *stage, uint32_t apic_id)
{
    struct mp_facts *facts = &stage->team->facts[stage->team->tickets++];
    facts->cpuid.count = 1;
    facts->cpuid.leaf[0] = (struct cpuid_leaf){.leaf = 1, .ebx = apic_id << 24};
    facts->arrived = 1;
    return facts;
}

static void match(struct stage *stage, unsigned count)
{
    roster_match(stage->team, stage->cpus, count, stage->ticket_of, &stage->roster);
}

/* A30. */
static void mailboxes_lie_on_pairs_of_lines_of_their_own(void **state)
{
    struct stage *stage = *state;
    for (unsigned i = 0; i < ROOM; i++)
        assert_int_equal((uintptr_t)&stage->team->mailbox[i] % CPU_LINE, 0);
    assert_int_equal(offsetof(struct mp_team, bell) - offsetof(struct mp_team, tickets), CPU_LINE);
    assert_true((uint8_t *)(stage->team->facts + ROOM) <=
                (uint8_t *)(stage->team + 1) + mp_team_bytes(ROOM));
}

/* A27. */
static void nothing_privileged_is_asked_for_outside_ring_0(void **state)
{
    struct stage *stage = *state;
    struct cpuid_features features = {.monitor = true, .smi_counter = true};
    mp_team_init(stage->team, stage->team + 1, ROOM, &features, false);
    assert_false(stage->team->monitor);
    assert_false(stage->team->count_smis);
    assert_false(stage->team->privileged);
}

/* A19: APIC ids are keys, not numbers in a row. */
static void sparse_ids_are_matched_in_any_order(void **state)
{
    struct stage *stage = *state;
    list(stage, 6, (const uint32_t[]){0, 1, 2, 4, 5, 6});
    const uint32_t order[] = {5, 1, 6, 2, 4};
    for (unsigned i = 0; i < 5; i++)
        come(stage, order[i]);
    match(stage, 6);
    const uint32_t expected[] = {MP_NO_TICKET, 1, 3, 4, 0, 2};
    assert_memory_equal(stage->ticket_of, expected, sizeof(expected));
    assert_int_equal(stage->roster.arrived, 5);
    assert_int_equal(stage->roster.strangers, 0);
    assert_int_equal(stage->roster.missing, 0);
}

/* A4. */
static void who_did_not_come_is_lost(void **state)
{
    struct stage *stage = *state;
    list(stage, 4, (const uint32_t[]){0, 1, 2, 3});
    come(stage, 1);
    come(stage, 3);
    match(stage, 4);
    assert_int_equal(stage->roster.missing, 1);
    assert_int_equal(stage->cpus[2].flags, CPU_LOST);
    assert_int_equal(stage->ticket_of[2], MP_NO_TICKET);
    assert_int_equal(stage->cpus[1].flags | stage->cpus[3].flags, 0);
}

/* It holds a ticket, but its facts are not complete: it may have died over them (A6). */
static void who_took_a_ticket_and_did_not_check_in_is_lost(void **state)
{
    struct stage *stage = *state;
    list(stage, 2, (const uint32_t[]){0, 1});
    come(stage, 1)->arrived = 0;
    match(stage, 2);
    assert_int_equal(stage->cpus[1].flags, CPU_LOST);
    assert_int_equal(stage->roster.arrived, 0);
}

/* A21: the matrix stays whole, and someone has to be told. */
static void a_stranger_takes_the_place_that_is_left(void **state)
{
    struct stage *stage = *state;
    list(stage, 4, (const uint32_t[]){0, 1, 2, 3});
    come(stage, 77);
    come(stage, 3);
    come(stage, 1);
    match(stage, 4);
    const uint32_t expected[] = {MP_NO_TICKET, 2, 0, 1};
    assert_memory_equal(stage->ticket_of, expected, sizeof(expected));
    assert_int_equal(stage->roster.strangers, 1);
    assert_int_equal(stage->roster.missing, 0);
}

/* A16: two CPUs with one id. */
static void the_second_of_one_id_is_a_stranger(void **state)
{
    struct stage *stage = *state;
    list(stage, 3, (const uint32_t[]){0, 1, 2});
    come(stage, 1);
    come(stage, 1);
    match(stage, 3);
    const uint32_t expected[] = {MP_NO_TICKET, 0, 1};
    assert_memory_equal(stage->ticket_of, expected, sizeof(expected));
    assert_int_equal(stage->roster.strangers, 1);
}

static void nobody_takes_the_boot_cpus_place(void **state)
{
    struct stage *stage = *state;
    list(stage, 2, (const uint32_t[]){0, 1});
    come(stage, 0);
    match(stage, 2);
    assert_int_equal(stage->ticket_of[0], MP_NO_TICKET);
    assert_int_equal(stage->ticket_of[1], 0);
    assert_int_equal(stage->roster.strangers, 1);
}

static void more_strangers_than_places_are_left_standing(void **state)
{
    struct stage *stage = *state;
    list(stage, 2, (const uint32_t[]){0, 1});
    for (uint32_t id = 50; id < 53; id++)
        come(stage, id);
    match(stage, 2);
    assert_int_equal(stage->ticket_of[1], 0);
    assert_int_equal(stage->roster.strangers, 3);
}

/* A8: a CPU that is disabled is not expected; one that comes nevertheless is no stranger. */
static void disabled_cpus_are_neither_missed_nor_strange(void **state)
{
    struct stage *stage = *state;
    list(stage, 4, (const uint32_t[]){0, 1, 2, 3});
    stage->cpus[2].flags = CPU_DISABLED;
    stage->cpus[3].flags = CPU_DISABLED;
    come(stage, 1);
    come(stage, 3);
    match(stage, 4);
    assert_int_equal(stage->roster.strangers, 0);
    assert_int_equal(stage->roster.missing, 0);
    assert_int_equal(stage->cpus[2].flags, CPU_DISABLED);
    assert_int_equal(stage->ticket_of[2], MP_NO_TICKET);
}

static void tickets_beyond_the_capacity_do_not_count(void **state)
{
    struct stage *stage = *state;
    list(stage, 2, (const uint32_t[]){0, 1});
    come(stage, 1);
    stage->team->tickets = ROOM + 5;
    assert_int_equal(roster_wait(stage->team, ROOM + 5, 1), 1);
    match(stage, 2);
    assert_int_equal(stage->ticket_of[1], 0);
}

static void waiting_ends_when_all_came_or_time_is_up(void **state)
{
    struct stage *stage = *state;
    assert_int_equal(roster_wait(stage->team, 1, 1000), 0);
    come(stage, 1);
    assert_int_equal(roster_wait(stage->team, 1, UINT64_MAX), 1);
    stage->team->capacity = 0;
    assert_int_equal(roster_wait(stage->team, 3, UINT64_MAX), 0);
}

/* A31, and what OVMF shows under TCG: default type 0 on APs, 0xC06 on the boot CPU. */
static void caches_in_another_state_are_marked(void **state)
{
    struct stage *stage = *state;
    list(stage, 5, (const uint32_t[]){0, 1, 2, 3, 4});
    const struct {
        uint64_t cr0, def_type;
        bool has_mtrr;
    } facts[] = {{0x80000011, 0xC06, true},
                 {0x80000011, 0, true},
                 {0xC0000011, 0xC06, true},
                 {0x80000011, 0, false}};
    for (unsigned i = 0; i < 4; i++) {
        struct mp_facts *fact = come(stage, i + 1);
        fact->cr0 = facts[i].cr0;
        fact->mtrr_def_type = facts[i].def_type;
        fact->has_mtrr = facts[i].has_mtrr;
    }
    match(stage, 5);
    assert_int_equal(
        roster_mark_cache_state(stage->team, stage->cpus, 5, stage->ticket_of, true, 0xC06), 2);
    const uint32_t expected[] = {CPU_BOOT, 0, CPU_CACHE_STATE, CPU_CACHE_STATE, 0};
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(stage->cpus[i].flags, expected[i]);
}

static void without_mtrrs_on_the_boot_cpu_only_cr0_counts(void **state)
{
    struct stage *stage = *state;
    list(stage, 2, (const uint32_t[]){0, 1});
    struct mp_facts *fact = come(stage, 1);
    fact->has_mtrr = true;
    fact->mtrr_def_type = 6;
    match(stage, 2);
    assert_int_equal(
        roster_mark_cache_state(stage->team, stage->cpus, 2, stage->ticket_of, false, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mailboxes_lie_on_pairs_of_lines_of_their_own),
        TEST(nothing_privileged_is_asked_for_outside_ring_0),
        TEST(sparse_ids_are_matched_in_any_order),
        TEST(who_did_not_come_is_lost),
        TEST(who_took_a_ticket_and_did_not_check_in_is_lost),
        TEST(a_stranger_takes_the_place_that_is_left),
        TEST(the_second_of_one_id_is_a_stranger),
        TEST(nobody_takes_the_boot_cpus_place),
        TEST(more_strangers_than_places_are_left_standing),
        TEST(disabled_cpus_are_neither_missed_nor_strange),
        TEST(tickets_beyond_the_capacity_do_not_count),
        TEST(waiting_ends_when_all_came_or_time_is_up),
        TEST(caches_in_another_state_are_marked),
        TEST(without_mtrrs_on_the_boot_cpu_only_cr0_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
