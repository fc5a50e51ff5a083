/* SPDX-License-Identifier: BSD-2-Clause */
/* Who else sets the knob (I6), and what makes it matter less: docs/linux.md says why. */
#define _GNU_SOURCE
#include "influences.h"
#include "cpu_list.h"
#include "files.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS          "/sys/devices/system/cpu"
#define KNOB_WORD     "migration_cost" /* in sysctl.d, tmpfiles.d and profiles of tuned alike */
#define FILE_MAX      (64u << 10)
#define SCHEDSTAT_MAX (8u << 20) /* of a machine with thousands of CPUs */

/* True if a line that is no comment has the word. */
static bool mentions(const char *root, const char *path)
{
    char *text = malloc(FILE_MAX);
    bool found = false;
    if (text && file_read_text(root, path, text, FILE_MAX) == 0) {
        for (char *line = strtok(text, "\n"); line && !found; line = strtok(NULL, "\n")) {
            line += strspn(line, " \t");
            found = *line != '#' && *line != ';' && strstr(line, KNOB_WORD);
        }
    }
    free(text);
    return found;
}

/* The first file of a folder that sets the knob. */
static bool folder_sets(const char *root, const char *folder, char *ret)
{
    char path[PATH_SIZE];
    if (!path_under(root, folder, path))
        return false;
    DIR *open = opendir(path);
    if (!open)
        return false;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(open));) {
        if (entry->d_name[0] == '.' ||
            (unsigned)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path)
            continue;
        found = mentions(root, path);
        if (found)
            snprintf(ret, INFLUENCE_TEXT, "%.200s", path);
    }
    closedir(open);
    return found;
}

/* The profile that tuned has active, if that sets the knob. A profile may include others: only its
 * own text is looked at. */
static bool tuned_sets(const char *root, char *ret)
{
    static const char *const folders[] = {"/etc/tuned", "/etc/tuned/profiles", "/usr/lib/tuned",
                                          "/usr/lib/tuned/profiles"};
    char profile[64], path[PATH_SIZE];
    if (file_read_text(root, "/etc/tuned/active_profile", profile, sizeof profile) != 0)
        return false;
    profile[strcspn(profile, " \t\r\n/")] = '\0'; /* the first of several; never a path */
    if (!profile[0] || profile[0] == '.')
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        snprintf(path, sizeof path, "%s/%s/tuned.conf", folders[i], profile);
        if (mentions(root, path)) {
            snprintf(ret, INFLUENCE_TEXT, "tuned, profile %s", profile);
            return true;
        }
    }
    return false;
}

static void find_setter(const char *root, char *ret)
{
    static const char *const folders[] = {"/etc/sysctl.d",     "/run/sysctl.d",
                                          "/usr/lib/sysctl.d", "/etc/tmpfiles.d",
                                          "/run/tmpfiles.d",   "/usr/lib/tmpfiles.d"};
    ret[0] = '\0';
    if (tuned_sets(root, ret))
        return;
    if (mentions(root, "/etc/sysctl.conf")) {
        snprintf(ret, INFLUENCE_TEXT, "/etc/sysctl.conf");
        return;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (folder_sets(root, folders[i], ret))
            return;
}

/* The CPUs that share the last cache of one CPU. False: the kernel does not say. */
static bool last_cache(const char *root, unsigned cpu, struct cpu_set *ret)
{
    bool found = false;
    for (unsigned index = 0; index < 8; index++) {
        char path[128], list[1024];
        uint32_t level;
        snprintf(path, sizeof path, CPUS "/cpu%u/cache/index%u/level", cpu, index);
        if (file_read_u32(root, path, &level) || level < 2)
            continue;
        snprintf(path, sizeof path, CPUS "/cpu%u/cache/index%u/shared_cpu_list", cpu, index);
        /* Indexes ascend by level: the last one that is there counts. */
        if (file_read_text(root, path, list, sizeof list) == 0 && cpu_list_parse(list, ret))
            found = true;
    }
    return found;
}

static unsigned count_last_caches(const char *root)
{
    char list[1024];
    struct cpu_set online, seen, shared;
    memset(&seen, 0, sizeof seen);
    if (file_read_text(root, CPUS "/online", list, sizeof list) || !cpu_list_parse(list, &online))
        return 0;
    unsigned count = 0;
    for (unsigned cpu = 0; cpu < CPU_NUMBERS; cpu++) {
        if (!cpu_set_has(&online, cpu) || cpu_set_has(&seen, cpu))
            continue;
        if (!last_cache(root, cpu, &shared))
            return 0;
        count++;
        for (unsigned i = 0; i < CPU_NUMBERS / 64; i++)
            seen.word[i] |= shared.word[i];
    }
    return count;
}

static bool text_is(const char *root, const char *path, const char *what)
{
    char text[64];
    return file_read_text(root, path, text, sizeof text) == 0 && strcmp(text, what) == 0;
}

static bool number_is_set(const char *root, const char *path)
{
    uint32_t value;
    return file_read_u32(root, path, &value) == 0 && value != 0;
}

/* Numbers of a domain's line behind its mask: in each kind of idleness `fields` of them, with
 * tasks gained at `gained` and hot ones behind. */
struct layout {
    unsigned version, fields, gained;
};

static bool count_domain(char *line, const struct layout *layout, struct schedstat *ret)
{
    char *save = NULL;
    if (!strtok_r(line, " ", &save))
        return false;
    if (layout->version >= 17 && !strtok_r(NULL, " ", &save)) /* its name, from 17 on */
        return false;
    if (!strtok_r(NULL, " ", &save)) /* its mask */
        return false;
    for (unsigned i = 0; i < 3 * layout->fields; i++) {
        char *word = strtok_r(NULL, " ", &save), *end;
        if (!word)
            return false;
        uint64_t value = strtoull(word, &end, 10);
        if (*end)
            return false;
        if (i % layout->fields == layout->gained)
            ret->pulled += value;
        if (i % layout->fields == layout->gained + 1)
            ret->hot += value;
    }
    return true;
}

bool schedstat_count(const char *text, struct schedstat *ret)
{
    /* 17 splits the imbalance by its kind: three fields more. */
    static const struct layout layouts[] = {{15, 8, 4}, {16, 8, 4}, {17, 11, 7}};
    const struct layout *layout = NULL;
    unsigned version = 0;
    memset(ret, 0, sizeof *ret);
    if (sscanf(text, "version %u", &version) != 1)
        return false;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (layouts[i].version == version)
            layout = &layouts[i];
    if (!layout)
        return false;

    char line[2048];
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        if (strncmp(at, "domain", 6) == 0) {
            if (length >= sizeof line)
                return false;
            memcpy(line, at, length);
            line[length] = '\0';
            if (!count_domain(line, layout, ret))
                return false;
        }
        at += length + (at[length] == '\n');
    }
    ret->known = true;
    return true;
}

static void count(const char *root, struct schedstat *ret)
{
    char *text = malloc(SCHEDSTAT_MAX);
    memset(ret, 0, sizeof *ret);
    if (text && file_read_text(root, "/proc/schedstat", text, SCHEDSTAT_MAX) == 0 &&
        !schedstat_count(text, ret))
        memset(ret, 0, sizeof *ret);
    free(text);
}

void influences_find(const char *root, struct influences *ret)
{
    memset(ret, 0, sizeof *ret);
    find_setter(root, ret->setter);
    ret->last_level_caches = count_last_caches(root);
    ret->numa_balancing = number_is_set(root, "/proc/sys/kernel/numa_balancing");
    /* Only kernels that have it have the folder; before it could be switched off it was on. */
    ret->cache_aware = file_exists(root, "/sys/kernel/debug/sched/llc_balancing") &&
                       !text_is(root, "/sys/kernel/debug/sched/llc_balancing/enabled", "0") &&
                       !text_is(root, "/sys/kernel/debug/sched/llc_balancing/enabled", "N");
    ret->sched_ext = text_is(root, "/sys/kernel/sched_ext/state", "enabled");
    ret->schedstats_on = number_is_set(root, "/proc/sys/kernel/sched_schedstats");
    count(root, &ret->counted);
}

void influences_print(const struct influences *influences)
{
    const struct schedstat *counted = &influences->counted;
    if (influences->setter[0])
        printf("others:  %s sets the knob too\n", influences->setter);
    if (influences->last_level_caches == 1)
        printf("matters: little, all CPUs share one last-level cache\n");
    if (influences->numa_balancing)
        printf("matters: less, NUMA balancing is on and decides first between nodes\n");
    if (influences->cache_aware)
        printf("matters: less, cache-aware balancing is on and decides first\n");
    if (influences->sched_ext)
        printf("matters: not at all for its tasks, a sched_ext scheduler is loaded\n");
    if (!counted->known)
        return;
    if (!influences->schedstats_on)
        printf("used:    not counted (sysctl -w kernel.sched_schedstats=1 counts)\n");
    else
        printf("used:    %" PRIu64 " tasks were pulled since the counting began, %" PRIu64
               " of them although hot\n",
               counted->pulled, counted->hot);
}
