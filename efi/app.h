/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of one run of the application, and the steps of its flow. It lies in one allocation
 * that main.c owns; every step gets it passed. */
#ifndef EFI_APP_H
#define EFI_APP_H

#include "../lib/config.h"
#include "../lib/options.h"
#include "../lib/recommend.h"
#include "../lib/record_file.h"
#include "../lib/report.h"
#include "../lib/verify.h"
#include "../smp/roster.h"
#include "arguments.h"
#include "backend.h"
#include "console.h"
#include "crumb.h"
#include "efi.h"
#include "facts.h"
#include "files.h"
#include "memory.h"
#include "mp_services.h"
#include "start_sipi.h"
#include "status.h"
#include "variables.h"

/* Memory of one size for the whole run, given back at its end. */
struct block {
    void *memory;
    size_t bytes;
};
#define BLOCKS_MAX 8u

struct app {
    struct efi efi;
    struct console console;
    uint64_t entered; /* ticks */

    /* measure.c: what is known before other CPUs are started. Small things first, here and below:
     * near the start of the struct they are reached by shorter code. */
    struct cpu_info *cpus;
    unsigned cpu_count, own_cpu;
    uint32_t flags; /* FLAG_... */
    bool has_mp;    /* there is a way to start other CPUs .. */
    bool by_sipi;   /* .. and it is our own */
    bool has_numa;
    const char *no_start; /* why there is none, as a clause; NULL where there is */
    struct apic apic;
    struct mp_team *team;
    uint32_t *ticket_of;
    unsigned left_out; /* CPUs that firmware counts and does not describe */
    struct mp_services mp;
    struct clock_info clock;
    struct arena arena;
    uint64_t started;

    /* window.c: while other CPUs are out. */
    struct roster roster;
    enum engine_status engine_status;
    enum mp_end mp_end;
    struct mp_run mp_run;
    uint32_t inside; /* CPUs that did not leave when told to */
    uint32_t inside_apic_id;
    void *workspace;
    size_t workspace_bytes;
    struct backend backend;

    struct block blocks[BLOCKS_MAX];
    unsigned block_count;

    struct options options;
    struct config config;
    EFI_STATUS tpm_status; /* of an event of theirs that it did not take */
    struct facts facts;
    struct numa numa;
    struct arguments arguments;

    /* What came out. */
    bool has_recommendation; /* measured now, or stored earlier */
    struct result result;
    struct recommendation recommendation;
    struct report_machine report_machine;
    struct record record;
    uint8_t record_bytes[RECORD_MAX_BYTES];
    size_t record_length;
    uint8_t compact_bytes[RECORD_COMPACT_BYTES];
    size_t compact_length;
    struct verify verify;
    struct stored stored;
    struct crumb crumb;
    bool crumb_left;
    enum file_status store_file_status; /* --store=esp */
    uint8_t store_file[RECORD_FILE_BYTES];
    struct store_plan plan;
};

/* Zeroed memory that lasts until app_release(); NULL where there is none. */
void *app_allocate(struct app *app, size_t bytes);
void app_release(struct app *app);
/* A line for the user, with the program's name before it. */
void app_tell(const struct app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* settings.c: false, with a message, where nothing can be done but to tell why. */
bool settings_read(struct app *app, char *message, size_t message_size);
/* settings.c: what of it was ignored, and what came from a file. */
void settings_tell(const struct app *app);

/* measure.c: what identifies this machine, its CPUs included; nothing is started. False with
 * *ret_outcome set where there is no memory for that, or --cpus names one that is not there. */
bool measure_identify(struct app *app, enum outcome *ret_outcome);
/* measure.c: what else is to be known and had, then starts the CPUs, runs the engine, takes the
 * CPUs back, and recommends. */
enum outcome measure_run(struct app *app);
/* measure.c: the same with one pair of each class of the stored record (--verify). */
enum outcome measure_verify(struct app *app);
/* measure.c: as it was before measure_identify(), for another run. All CPUs are back. */
void measure_forget(struct app *app);
/* measure.c: what identifies this machine; after measure_identify(). */
void measure_identity(const struct app *app, struct record_identity *ret);

/* gate.c: true if it is to be measured; false with *ret_outcome where not. Starts no CPU. */
bool gate_open(struct app *app, enum outcome *ret_outcome);
/* gate.c: after a measurement that came to its end, all CPUs back. */
void gate_close(struct app *app);
/* gate.c: started by a boot, with nobody there who asked for it. */
bool gate_unattended(const struct app *app);

/* start.c: chooses how other CPUs are started. Returns how many CPUs there may be; 1: no way. */
unsigned start_open(struct app *app);
/* start.c: fills cpus, up to room, cpu_count, left_out and mp.enabled. */
void start_list(struct app *app, unsigned room);
/* start.c: starts them, has window_work() done, and gives them back. */
enum mp_end start_run(struct app *app, uint64_t timeout_us);

/* window.c: what is done while the other CPUs are out. ctx is the app. */
void window_work(void *ctx);
void window_waiting(void *ctx);

/* store.c: record and breadcrumb, wherever they are kept; as variables.h and crumb.h say. After
 * store_read() the others may be called. */
void store_read(struct app *app);
void store_write(struct app *app, const struct to_store *what);
EFI_STATUS store_delete(struct app *app);
void store_crumb_read(struct app *app);
bool store_crumb_leave(struct app *app, const struct breadcrumb *next);
bool store_crumb_take(struct app *app);

/* output.c */
void output_result(struct app *app);
enum outcome output_store(struct app *app);
enum outcome output_report(struct app *app);
enum outcome output_show(struct app *app);
enum outcome output_delete(struct app *app);

/* leave.c: the last line. */
void leave_done(struct app *app, enum outcome outcome);
/* leave.c: false with *ret_outcome where the image that is to be started is not there. */
bool leave_can_chain(struct app *app, enum outcome *ret_outcome);
/* leave.c: loads the image that was asked for, prints the last line, starts it. Returns what is
 * worse, outcome or what came of the image. */
enum outcome leave_chain(struct app *app, enum outcome outcome);
/* leave.c: the result as words of a command line; false, text is "" and it is told why, where there
 * is none. */
bool leave_handoff(struct app *app, enum handoff handoff, char *text, size_t size);
/* grub.c: writes the result for GRUB, where the file does not say so already. */
enum outcome grub_write(struct app *app);
/* leave.c: a CPU is lost: says so, waits, resets the machine. Does not return. */
void leave_reset(struct app *app);

#endif
