/* SPDX-License-Identifier: BSD-2-Clause */
/* How a run can end: for each outcome the status that goes back to whoever started us, and the
 * words of the last line. docs/man/migcost.efi.8 lists them. */
#ifndef EFI_STATUS_H
#define EFI_STATUS_H

#include "arguments.h"
#include "efi.h"

/* By rising weight: where two happen in one run, the later one is told (outcome_worse()). */
enum outcome {
    OUTCOME_STORED = 0,     /* measured; the record was written and read back */
    OUTCOME_UNCHANGED,      /* measured; the stored record says the same: not written */
    OUTCOME_NOT_ASKED,      /* measured; --no-store */
    OUTCOME_SHOWN,          /* --help, --version, --show */
    OUTCOME_DELETED,        /* --delete */
    OUTCOME_SKIPPED,        /* at a boot: a valid record of this machine is there */
    OUTCOME_KEY,            /* a key, before anything was measured (F6) */
    OUTCOME_VERIFIED,       /* --verify: the record holds */
    OUTCOME_STORED_COMPACT, /* stored without its matrix */
    OUTCOME_ONE_CPU,        /* zero pairs: one CPU, or none of the others enabled (A2) */
    OUTCOME_NO_MP,          /* zero pairs: no way to start other CPUs (A1) */
    OUTCOME_STOPPED,        /* ESC: what was measured is shown, not stored */
    OUTCOME_DRIFTED,        /* --verify: it does not */
    OUTCOME_UNFINISHED,     /* two runs did not come to their end: none is made (A3) */
    OUTCOME_NO_CRUMB,       /* at a boot: no breadcrumb can be left, so none is made either */
    OUTCOME_REPORT_FAILED,  /* report.json or the file for GRUB could not be written */
    OUTCOME_NOT_STORED,     /* the firmware refused to write or delete the record */
    OUTCOME_READ_BACK,      /* the record was written, and something else is there */
    OUTCOME_UNSAFE,         /* firmware whose variables are not to be written (D3) */
    OUTCOME_STORE_FULL,     /* measured, too little room in the variable store (D1) */
    OUTCOME_FOREIGN,        /* our name holds something that is not ours */
    OUTCOME_NEWER,          /* it holds a record of a later version of this program */
    OUTCOME_NO_FILE,        /* --store=esp: no file was made for the record */
    OUTCOME_NO_RECORD,      /* --show, --delete: there is none */
    OUTCOME_BAD_RECORD,     /* --show: it does not check */
    OUTCOME_OTHER_MACHINE,  /* --verify: it is of another machine, or another state of this */
    OUTCOME_NO_MEMORY,      /* no buffer to measure with */
    OUTCOME_BAD_SIZE,       /* --size or --capacity beyond what this machine can serve */
    OUTCOME_NO_SUCH_CPU,    /* --cpus names a CPU that is not there */
    OUTCOME_BAD_OPTION,     /* the command line */
    OUTCOME_CHAIN_MISSING,  /* --chain: no such file */
    OUTCOME_CHAIN_REFUSED,  /* --chain: the firmware's policy forbids it */
    OUTCOME_CHAIN_FAILED,   /* --chain: not an image, ..: the firmware says why */
    OUTCOME_CHILD_RETURNED, /* --chain: the image ran, and came back */
    OUTCOME_LOST_CPU,       /* a CPU did not come back: the machine will be reset (A11) */
    OUTCOMES
};

/* One clause for the last line. */
const char *outcome_text(enum outcome outcome);

enum outcome outcome_worse(enum outcome a, enum outcome b);

/* The status to return. Each outcome that is not a success has a status of its own. From a Boot####
 * entry success becomes OUTCOME_BOOT_STATUS, since firmware would take it for "booted" and try no
 * further entry (F2); to SysPrep#### everything is a success. */
EFI_STATUS outcome_status(enum outcome outcome, enum start_mode mode);
#define OUTCOME_BOOT_STATUS EFI_ABORTED

/* "Invalid Parameter", ... for messages; "error" for numbers that UEFI does not name. */
const char *efi_status_text(EFI_STATUS status);

#endif
