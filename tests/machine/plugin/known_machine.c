/* SPDX-License-Identifier: BSD-2-Clause */
/* The known machine's program: plans a run of the application in QEMU on a described machine, and
 * holds what came of it against the truth. The script tests/machine/known-machine runs both. */
#include "plan.h"
#include "verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    fputs(
        "usage: known_machine plan FILE SLOWDOWN PATIENCE\n"
        "       known_machine check FILE TRACE REPORT TOLERANCE\n"
        "plan prints what to run QEMU and the application with; SLOWDOWN 0: choose; PATIENCE:\n"
        "percent of the time that QEMU is usually given, 100.\n"
        "check compares the plugin's TRACE and the REPORT that flatten.jq made with the machine\n"
        "of FILE; TOLERANCE in percent.\n"
        "Exit status: 0 good, 1 beyond the tolerance, 2 wrong command line, 3 wrong machine file,\n"
        "4 the run cannot be judged, 5 the host was too busy, 6 the host was too slow.\n",
        stderr);
    return VERDICT_USAGE;
}

static bool number(const char *text, uint32_t max, uint32_t *ret)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value > max)
        return false;
    *ret = (uint32_t)value;
    return true;
}

/* A guest's machine and its truth. */
struct subject {
    struct guest guest;
    struct model *model;
    struct memo memo;
    struct truth truth;
};

static bool open_subject(struct subject *subject, const char *path, char *reason, size_t room)
{
    memset(subject, 0, sizeof *subject);
    if (!guest_load(&subject->guest, path, reason, room))
        return false;
    subject->model = model_new(subject->guest.desc);
    if (subject->model && memo_init(&subject->memo, subject->model) &&
        truth_init(&subject->truth, &subject->memo))
        return true;
    snprintf(reason, room, "%s: out of memory", path);
    return false;
}

static void close_subject(struct subject *subject)
{
    if (subject->truth.memo)
        truth_free(&subject->truth);
    if (subject->memo.model)
        memo_free(&subject->memo);
    model_free(subject->model);
    guest_free(&subject->guest);
}

static unsigned used_sockets(const struct layout *layout)
{
    unsigned used = 0;
    for (unsigned i = 0; i < layout->cpu_count; i++) {
        bool first = true;
        for (unsigned k = 0; k < i; k++)
            first &= layout->cpu[k].socket != layout->cpu[i].socket;
        used += first;
    }
    return used;
}

static int plan(struct subject *subject, uint32_t slowdown, uint32_t patience)
{
    struct pass_scale scale;
    if (!plan_scale(&subject->truth, slowdown, patience, &scale))
        return VERDICT_FAULT;
    const struct layout *layout = &subject->guest.layout;
    unsigned sockets = used_sockets(layout);
    printf("scale %u %llu %llu\n", scale.slowdown, (unsigned long long)scale.near_pad_ps,
           (unsigned long long)scale.far_pad_ps);
    printf("cpus %u\n", layout->cpu_count);
    printf("about %s: %u CPU%s in %u socket%s, APIC ids %s\n", subject->guest.desc->name,
           layout->cpu_count, layout->cpu_count == 1 ? "" : "s", sockets, sockets == 1 ? "" : "s",
           layout->file_ids ? "as in the file" : "not those of the file, which QEMU cannot have");
    if (subject->guest.file_line != GUEST_LINE)
        printf("about lines of %u bytes instead of the file's %u\n", GUEST_LINE,
               subject->guest.file_line);
    if (scale.slowdown == 1)
        printf("about it runs as fast as itself");
    else
        printf("about it runs %u times slower than itself", scale.slowdown);
    if (scale.near_pad_ps || scale.far_pad_ps)
        printf(", and each line takes %llu ns more, %llu where a pass is long, for QEMU",
               (unsigned long long)scale.near_pad_ps / 1000,
               (unsigned long long)scale.far_pad_ps / 1000);
    printf("\n");
    plan_print(&subject->guest);
    return VERDICT_GOOD;
}

int main(int argc, char **argv)
{
    uint32_t slowdown, patience, tolerance;
    struct subject subject;
    char reason[300];
    bool plans = argc == 5 && strcmp(argv[1], "plan") == 0 &&
                 number(argv[3], PLAN_SLOWDOWN_MAX, &slowdown) && number(argv[4], 10000, &patience);
    bool checks = argc == 6 && strcmp(argv[1], "check") == 0 && number(argv[5], 1000, &tolerance);
    if (!plans && !checks)
        return usage();
    int status = VERDICT_MACHINE;
    if (!open_subject(&subject, argv[2], reason, sizeof reason))
        fprintf(stderr, "known_machine: %s\n", reason);
    else if (plans)
        status = plan(&subject, slowdown, patience);
    else
        status = verdict(&subject.guest, &subject.truth, argv[3], argv[4], tolerance);
    close_subject(&subject);
    return status;
}
