/* SPDX-License-Identifier: BSD-2-Clause */
/* A record against the machine. */
#include "identity.h"
#include "machine_facts.h"

/* CPUID.1:EAX as Linux shows it: the extended fields count for family 15, and the extended model
 * for 6 and above. */
static void split_signature(uint32_t signature, struct machine_facts *ret)
{
    unsigned family = signature >> 8 & 0xF, model = signature >> 4 & 0xF;
    if (family == 0xF)
        family += signature >> 20 & 0xFF;
    if (family >= 6)
        model |= (signature >> 16 & 0xF) << 4;
    ret->family = family;
    ret->model = model;
    ret->stepping = signature & 0xF;
}

static bool same_signature(const struct record *record, const struct machine_facts *facts,
                           struct message *message)
{
    if (!facts->signature_known || !record->identity.cpu_signature) {
        say_note("the CPU's signature is not known, so it was not compared");
        return true;
    }
    struct machine_facts then;
    split_signature(record->identity.cpu_signature, &then);
    if (then.family == facts->family && then.model == facts->model &&
        then.stepping == facts->stepping)
        return true;
    message_set(message,
                "the record is of a CPU of family %u, model %u, stepping %u; this one is of "
                "family %u, model %u, stepping %u",
                then.family, then.model, then.stepping, facts->family, facts->model,
                facts->stepping);
    return false;
}

static bool same_firmware(const struct record *record, const struct machine_facts *facts,
                          struct message *message)
{
    if (!facts->firmware_known || !record->identity.firmware_crc) {
        say_note("the firmware's version is not known, so it was not compared");
        return true;
    }
    if (record_firmware_crc(facts->firmware) == record->identity.firmware_crc)
        return true;
    message_set(message, "the record was made under another firmware version than this one's");
    return false;
}

/* Without a list there is only its sum, which says nothing of a part of the CPUs. */
static bool same_sum(const struct record *record, const struct machine_facts *facts,
                     struct message *message)
{
    if (facts->id_count != record->cpu_count) {
        say_note("%u of %u CPUs are online, and the record lists no APIC ids: not compared",
                 facts->id_count, (unsigned)record->cpu_count);
        return true;
    }
    if (record_ids_crc(facts->ids, facts->id_count) == record->identity.apic_ids_crc)
        return true;
    message_set(message, "the record is of as many CPUs with other APIC ids");
    return false;
}

static bool same_cpus(const struct record *record, const struct machine_facts *facts,
                      struct message *message)
{
    if (!facts->ids_known) {
        say_note("the APIC ids of this machine are not known, so they were not compared");
        return true;
    }
    if (!record->apic_ids_known)
        return same_sum(record, facts, message);

    unsigned at = 0;
    for (unsigned i = 0; i < facts->id_count; i++) {
        while (at < record->cpu_count && record->apic_ids[at] < facts->ids[i])
            at++;
        if (at < record->cpu_count && record->apic_ids[at] == facts->ids[i])
            continue;
        message_set(message, "the CPU with APIC id %u is online and not in the record",
                    (unsigned)facts->ids[i]);
        return false;
    }
    if (facts->id_count < record->cpu_count)
        say_note("%u of the record's %u CPUs are online", facts->id_count,
                 (unsigned)record->cpu_count);
    return true;
}

/* An OS loads newer microcode than firmware has: no mismatch. */
static void note_microcode(const struct record *record, const struct machine_facts *facts)
{
    uint32_t then = record->identity.microcode;
    if (then && facts->microcode && then != facts->microcode)
        say_note("measured under microcode 0x%x, running 0x%x", (unsigned)then,
                 (unsigned)facts->microcode);
}

bool identity_same(const char *root, const struct record *record, struct message *message)
{
    struct machine_facts facts;
    machine_facts_read(root, &facts);
    note_microcode(record, &facts);
    return same_signature(record, &facts, message) && same_firmware(record, &facts, message) &&
           same_cpus(record, &facts, message);
}
