/* SPDX-License-Identifier: BSD-2-Clause */
/* What this plugin needs of QEMU's interface for TCG plugins, as facts of its binary interface: the
 * names are resolved when QEMU loads the plugin. PLUGIN_API is the version of that interface that
 * an object is built for: 1 in QEMU 4.2 to 8, 2 in 9.0, 3 in 9.1, 4 from 9.2 on. */
#ifndef TESTS_MACHINE_PLUGIN_QEMU_API_H
#define TESTS_MACHINE_PLUGIN_QEMU_API_H

#include <stddef.h>
#include <stdint.h>

#ifndef PLUGIN_API
#define PLUGIN_API 1 /* for tools that read the source alone */
#endif
#if PLUGIN_API < 1 || PLUGIN_API > 4
#error "PLUGIN_API is the interface version to build for, 1 to 4"
#endif

#define QEMU_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;   /* a block of instructions being translated */
struct qemu_plugin_insn; /* one of them */

/* What a callback may do with the CPU's registers, and which accesses it is called for. */
enum { QEMU_NO_REGISTERS = 0 };
enum { QEMU_LOADS = 1, QEMU_STORES = 2 };

typedef void (*qemu_translated)(uint64_t id, struct qemu_plugin_tb *block);
typedef void (*qemu_executed)(unsigned cpu_index, void *data);
typedef void (*qemu_accessed)(unsigned cpu_index, uint32_t info, uint64_t address, void *data);
typedef void (*qemu_ended)(uint64_t id, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_translated call);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, qemu_executed call,
                                            int registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_accessed call,
                                      int registers, int accesses, void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, qemu_ended call, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

/* The one function whose form has changed: a pointer to the instruction's bytes until version 2,
 * from 3 on a copy of them. */
#if PLUGIN_API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t room);
#endif

/* Reads memory of the CPU that runs a callback, devices included, into a byte array of GLib, which
 * QEMU is linked with. */
#if PLUGIN_API >= 4
struct glib_bytes {
    uint8_t *data;
    unsigned length;
};
struct glib_bytes *g_byte_array_new(void);
_Bool qemu_plugin_read_memory_vaddr(uint64_t address, struct glib_bytes *bytes, size_t length);
#endif

/* What QEMU looks for in a plugin. */
extern QEMU_EXPORT int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(uint64_t id, const void *info, int count, char **arguments);

#endif
