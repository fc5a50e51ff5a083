/* SPDX-License-Identifier: BSD-2-Clause */
/* `migcost status`: the value wanted, the value there, the value kept, what else sets it (I6:
 * someone may have written the knob since), and what makes it matter less here. */
#include "../lib/json.h"
#include "../lib/report_json.h"
#include "command.h"
#include "flags_text.h"
#include "identity.h"
#include "influences.h"
#include "kept.h"
#include "source.h"
#include "terminal.h"
#include <stdio.h>

struct state {
    enum status wanted_status, knob_status, kept_status;
    struct message why_nothing; /* wanted */
    struct message why_no_knob;
    struct source source;
    bool same; /* of this machine, where there is a record */
    struct message different;
    struct knob knob, kept;
    struct influences influences;
};

static void look(const struct command *command, struct state *ret)
{
    struct message ignored = {""};
    ret->wanted_status = source_find(command->root, command->file, &ret->source, &ret->why_nothing);
    if (ret->wanted_status == STATUS_OK && ret->source.has_record)
        ret->same = identity_same(command->root, &ret->source.record, &ret->different);
    ret->knob_status = knob_find(command->root, &ret->knob, &ret->why_no_knob);
    ret->kept_status = kept_get(command->root, &ret->kept, &ignored);
    influences_find(command->root, &ret->influences);
}

static void print_wanted(const struct state *state)
{
    if (state->wanted_status != STATUS_OK) {
        printf("wanted:  nothing (%s)\n", state->why_nothing.text);
        return;
    }
    printf("wanted:  %u ns (%s)\n", (unsigned)state->source.decay_ns, state->source.name);
    if (!state->source.has_record)
        return;
    char flags[FLAGS_TEXT];
    flags_list(state->source.record.flags, flags);
    printf("flags:   %s\n", flags[0] ? flags : "none");
    printf("machine: %s\n",
           state->same ? "no difference to this one was found" : state->different.text);
}

static void print_text(const struct state *state)
{
    print_wanted(state);
    if (state->knob_status == STATUS_OK)
        printf("now:     %u ns (%s)\n", (unsigned)state->knob.value, state->knob.path);
    if (state->kept_status == STATUS_OK)
        printf("before:  %u ns (kept for restore)\n", (unsigned)state->kept.value);
    influences_print(&state->influences);
}

static void print_json(const struct state *state)
{
    const struct text_sink sink = stdout_sink();
    const struct influences *influences = &state->influences;
    struct json json;

    json_begin(&json, &sink);
    json_object(&json, NULL);
    if (state->wanted_status == STATUS_OK) {
        json_uint(&json, "wanted_ns", state->source.decay_ns);
        json_string(&json, "source", state->source.name);
    } else {
        json_string(&json, "nothing_wanted", state->why_nothing.text);
    }
    if (state->wanted_status == STATUS_OK && state->source.has_record) {
        json_flags(&json, state->source.record.flags);
        json_bool(&json, "same_machine", state->same);
    }
    if (state->knob_status == STATUS_OK) {
        json_uint(&json, "now_ns", state->knob.value);
        json_string(&json, "knob", state->knob.path);
    } else {
        json_string(&json, "no_knob", state->why_no_knob.text);
    }
    if (state->kept_status == STATUS_OK)
        json_uint(&json, "before_ns", state->kept.value);
    if (influences->setter[0])
        json_string(&json, "set_by_others", influences->setter);
    json_known(&json, "last_level_caches", influences->last_level_caches);
    json_bool(&json, "numa_balancing", influences->numa_balancing);
    json_bool(&json, "cache_aware_balancing", influences->cache_aware);
    json_bool(&json, "sched_ext", influences->sched_ext);
    if (influences->counted.known && influences->schedstats_on) {
        json_uint(&json, "pulled", influences->counted.pulled);
        json_uint(&json, "pulled_hot", influences->counted.hot);
    }
    json_close(&json);
}

enum status command_status(const struct command *command)
{
    struct state state = {.same = false};
    look(command, &state);
    if (command->format == SHOW_JSON)
        print_json(&state);
    else
        print_text(&state);
    if (state.knob_status)
        say_error(&state.why_no_knob);
    return state.knob_status;
}
