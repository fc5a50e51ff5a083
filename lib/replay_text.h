/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of a recording, for replay.c: replay.h says what it looks like. */
#ifndef LIB_REPLAY_TEXT_H
#define LIB_REPLAY_TEXT_H

#include "machine.h"

/* Where we are in the text. Once bad, nothing more is taken, and line is the bad one. */
struct reader {
    const char *at;
    unsigned long line;
    bool bad;
};

/* To the next line that is neither blank nor a comment, or to the end. */
void reader_skip_notes(struct reader *reader);

/* True, and the word is taken, if it is the next one. */
bool reader_take_if(struct reader *reader, const char *word);

/* Bad if it is not the next one. */
void reader_take_word(struct reader *reader, const char *word);

/* Each reads its line to the end; what is read from a bad one is within bounds, and not to be used.
 * The machine's lines with their first word, except numa; calls without it, except job. */
void replay_read_machine(struct reader *reader, struct machine *ret);
void replay_read_cpu(struct reader *reader, struct cpu_info *ret);
void replay_read_numa(struct reader *reader, struct numa *ret); /* with its nodes and ranges */

bool replay_read_run(struct reader *reader, unsigned *ret_count); /* not its jobs */
void replay_read_job(struct reader *reader, struct touch_job *ret_job,
                     struct touch_result *ret_result);
struct get_call {
    uint32_t node, home;
    uint64_t bytes;
    uint16_t region;
    bool ok;
};
void replay_read_get(struct reader *reader, struct get_call *ret);
uint16_t replay_read_put(struct reader *reader);
uint64_t replay_read_now(struct reader *reader);
bool replay_read_between(struct reader *reader);
void replay_read_flags(struct reader *reader, unsigned cpu_count, unsigned *ret_cpu,
                       uint32_t *ret_flags);

/* Any call, with its first word and its jobs: only looked at. */
void replay_read_call(struct reader *reader, unsigned cpu_count);

#endif
