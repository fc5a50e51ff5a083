/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCG plugin: gives a guest of QEMU the memory costs of a described machine. It looks for the
 * touch kernel in what QEMU translates and has itself called for the accesses of its loops alone;
 * everything else runs at full speed.
 *
 * -plugin FILE,machine=FILE,trace=FILE[,slowdown=N][,near=PS][,far=PS]
 * -plugin FILE,probe=on says that this object fits this QEMU, and ends it.
 *
 * For -accel tcg,thread=single: with a host thread for each CPU, passes would overlap in time. */
#include "../../../lib/touch.h"
#include "pass.h"
#include "qemu_api.h"
#include "watch.h"
#include "who.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* QEMU passes no context to translation callbacks. */
static struct plugin {
    struct guest guest;
    struct passes passes;
    struct watch watch;
    FILE *trace;
    bool hurry_asked;
    struct who who;
} plugin;

int qemu_plugin_version = PLUGIN_API;

#if PLUGIN_API >= 4
#define ASKS_APIC     true
#define LOCAL_APIC_ID 0xFEE00020u /* xAPIC, where firmware leaves it: no id here is above 254 */

static uint32_t own_apic_id(void)
{
    static struct glib_bytes *bytes;
    if (!bytes)
        bytes = g_byte_array_new();
    if (!qemu_plugin_read_memory_vaddr(LOCAL_APIC_ID, bytes, 4) || bytes->length != 4)
        return UINT32_MAX;
    return bytes->data[3]; /* bits 24 to 31 */
}
#else
#define ASKS_APIC false

static uint32_t own_apic_id(void)
{
    return 0;
}
#endif

static bool is_known(unsigned cpu)
{
    return cpu < plugin.guest.layout.cpu_count;
}

static void first_read(unsigned cpu_index, void *data)
{
    uintptr_t kind = (uintptr_t)data;
    unsigned cpu = who_begins(&plugin.who, cpu_index, own_apic_id());
    if (is_known(cpu))
        pass_begin(&plugin.passes, cpu, (uint32_t)(kind >> 4), (uint32_t)(kind & 0xF));
}

static void accessed(unsigned cpu_index, uint32_t info, uint64_t address, void *data)
{
    (void)info;
    (void)data;
    uint32_t apic_id = who_asks(&plugin.who) ? own_apic_id() : 0;
    unsigned cpu = who_visits(&plugin.who, cpu_index, apic_id);
    if (is_known(cpu))
        pass_visit(&plugin.passes, cpu, address);
}

static void second_read(unsigned cpu_index, void *data)
{
    (void)data;
    unsigned cpu = who_ends(&plugin.who, cpu_index, own_apic_id());
    if (is_known(cpu))
        pass_end(&plugin.passes, cpu);
}

static size_t bytes_of(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t room)
{
    size_t size = qemu_plugin_insn_size(insn);
    if (size > room)
        return 0;
#if PLUGIN_API < 3
    const void *data = qemu_plugin_insn_data(insn);
    memcpy(bytes, data, size);
#else
    size = qemu_plugin_insn_data(insn, bytes, room);
#endif
    return size;
}

static void translated(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    if (!plugin.hurry_asked) { /* all CPUs are one thread of the host, which is this one */
        plugin.hurry_asked = true;
        plugin.passes.hurries = host_clock_hurry();
    }
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        const struct watch_loop *loop = NULL;
        uint8_t bytes[WATCH_INSN_SIZE];
        size_t size = bytes_of(insn, bytes, sizeof bytes);
        enum watch_what what =
            watch_insn(&plugin.watch, qemu_plugin_insn_vaddr(insn), bytes, size, &loop);
        if (what == WATCH_NOTHING)
            continue;
        if (what == WATCH_FIRST_READ)
            qemu_plugin_register_vcpu_insn_exec_cb(
                insn, first_read, QEMU_NO_REGISTERS,
                (void *)(uintptr_t)(loop->pattern << 4 | loop->access));
        else if (what == WATCH_SECOND_READ)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, second_read, QEMU_NO_REGISTERS, NULL);
        else /* one call for a line: of an update the store, of a chase that writes likewise */
            qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_NO_REGISTERS,
                                             loop->access == TOUCH_READ ? QEMU_LOADS : QEMU_STORES,
                                             NULL);
    }
}

static void ended(uint64_t id, void *data)
{
    (void)id;
    (void)data;
    passes_finish(&plugin.passes);
    fprintf(plugin.trace, "loops %" PRIu64 "\n", plugin.watch.found);
    fclose(plugin.trace);
}

static int complain(const char *what, const char *which)
{
    fprintf(stderr, "plugin: %s%s\n", what, which);
    return 1;
}

static bool set_number(const char *text, uint64_t max, uint64_t *ret)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value > max)
        return false;
    *ret = value;
    return true;
}

static bool starts(const char *text, const char *with, const char **ret_rest)
{
    size_t length = strlen(with);
    *ret_rest = text + length;
    return strncmp(text, with, length) == 0;
}

QEMU_EXPORT int qemu_plugin_install(uint64_t id, const void *info, int count, char **arguments)
{
    (void)info;
    const char *machine = NULL, *trace = NULL;
    uint64_t slowdown = 1, near_ps = 0, far_ps = 0;
    for (int i = 0; i < count; i++) {
        const char *value;
        if (strcmp(arguments[i], "probe=on") == 0) {
            printf("plugin: interface %d\n", PLUGIN_API);
            exit(0);
        }
        if (starts(arguments[i], "machine=", &value))
            machine = value;
        else if (starts(arguments[i], "trace=", &value))
            trace = value;
        else if (!(starts(arguments[i], "slowdown=", &value) &&
                   set_number(value, 1000000, &slowdown)) &&
                 !(starts(arguments[i], "near=", &value) &&
                   set_number(value, 1u << 30, &near_ps)) &&
                 !(starts(arguments[i], "far=", &value) && set_number(value, 1u << 30, &far_ps)))
            return complain("what is ", arguments[i]);
    }
    if (!machine || !trace)
        return complain("machine= and trace= are needed", "");

    char reason[300];
    if (!guest_load(&plugin.guest, machine, reason, sizeof reason))
        return complain(reason, "");
    plugin.trace = fopen(trace, "w");
    if (!plugin.trace)
        return complain("cannot write ", trace);
    const struct pass_scale scale = {(uint32_t)slowdown, near_ps, far_ps};
    if (!passes_init(&plugin.passes, &plugin.guest, scale, plugin.trace))
        return complain("out of memory", "");
    who_init(&plugin.who, &plugin.guest.layout, ASKS_APIC);
    fprintf(plugin.trace, "scale %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", slowdown, near_ps, far_ps);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
