/* SPDX-License-Identifier: BSD-2-Clause */
/* One table: outcome, status, words. */
#include "status.h"

#include "../lib/text.h"

/* The numbers of errors lie in the low byte; the high bit that says "error" comes back with them.
 */
#define CODE(status) ((status)&0xFF)

static const uint8_t codes[OUTCOMES] = {
    [OUTCOME_STORED] = CODE(EFI_SUCCESS),
    [OUTCOME_UNCHANGED] = CODE(EFI_SUCCESS),
    [OUTCOME_NOT_ASKED] = CODE(EFI_SUCCESS),
    [OUTCOME_SHOWN] = CODE(EFI_SUCCESS),
    [OUTCOME_DELETED] = CODE(EFI_SUCCESS),
    [OUTCOME_SKIPPED] = CODE(EFI_SUCCESS),
    [OUTCOME_KEY] = CODE(EFI_SUCCESS),
    [OUTCOME_VERIFIED] = CODE(EFI_SUCCESS),
    [OUTCOME_STORED_COMPACT] = CODE(EFI_SUCCESS),
    [OUTCOME_ONE_CPU] = CODE(EFI_NOT_STARTED),
    [OUTCOME_NO_MP] = CODE(EFI_UNSUPPORTED),
    [OUTCOME_STOPPED] = CODE(EFI_END_OF_MEDIA),
    [OUTCOME_DRIFTED] = CODE(EFI_PROTOCOL_ERROR),
    [OUTCOME_UNFINISHED] = CODE(EFI_NOT_READY),
    [OUTCOME_NO_CRUMB] = CODE(EFI_NO_RESPONSE),
    [OUTCOME_REPORT_FAILED] = CODE(EFI_VOLUME_FULL),
    [OUTCOME_NOT_STORED] = CODE(EFI_DEVICE_ERROR),
    [OUTCOME_READ_BACK] = CODE(EFI_VOLUME_CORRUPTED),
    [OUTCOME_UNSAFE] = CODE(EFI_SECURITY_VIOLATION),
    [OUTCOME_STORE_FULL] = CODE(EFI_BUFFER_TOO_SMALL),
    [OUTCOME_FOREIGN] = CODE(EFI_WRITE_PROTECTED),
    [OUTCOME_NEWER] = CODE(EFI_INCOMPATIBLE_VERSION),
    [OUTCOME_NO_FILE] = CODE(EFI_END_OF_FILE),
    [OUTCOME_NO_RECORD] = CODE(EFI_NO_MEDIA),
    [OUTCOME_BAD_RECORD] = CODE(EFI_CRC_ERROR),
    [OUTCOME_OTHER_MACHINE] = CODE(EFI_MEDIA_CHANGED),
    [OUTCOME_NO_MEMORY] = CODE(EFI_OUT_OF_RESOURCES),
    [OUTCOME_BAD_SIZE] = CODE(EFI_BAD_BUFFER_SIZE),
    [OUTCOME_NO_SUCH_CPU] = CODE(EFI_NO_MAPPING),
    [OUTCOME_BAD_OPTION] = CODE(EFI_INVALID_PARAMETER),
    [OUTCOME_CHAIN_MISSING] = CODE(EFI_NOT_FOUND),
    [OUTCOME_CHAIN_REFUSED] = CODE(EFI_ACCESS_DENIED),
    [OUTCOME_CHAIN_FAILED] = CODE(EFI_LOAD_ERROR),
    [OUTCOME_CHILD_RETURNED] = CODE(EFI_ALREADY_STARTED),
    [OUTCOME_LOST_CPU] = CODE(EFI_TIMEOUT),
};

/* In the order of enum outcome. */
static const char texts[] = "measured, stored\0"
                            "measured, unchanged: not written again\0"
                            "measured, not stored as asked\0"
                            "shown\0"
                            "record deleted\0"
                            "a record of this machine is stored: not measured\0"
                            "skipped by a key: not measured\0"
                            "the stored record holds\0"
                            "measured, stored without the matrix\0"
                            "one CPU, no pairs to measure\0"
                            "no way to start other CPUs, no pairs measured\0"
                            "stopped by a key, not stored\0"
                            "the costs are not those of the stored record any more\0"
                            "two runs did not come to their end: not measured\0"
                            "an unfinished run could not be noticed: not measured\0"
                            "measured, a file not written\0"
                            "the firmware refused to write or delete the record\0"
                            "what was read back is not what was written\0"
                            "this firmware's variables are not safe to write\0"
                            "measured, not stored: too little room\0"
                            "another variable has our name: left alone\0"
                            "the stored record is of a newer version: left alone\0"
                            "no file was made for the record\0"
                            "no record is stored\0"
                            "the stored record does not check\0"
                            "the stored record is of another machine or state\0"
                            "no memory to measure with\0"
                            "a size that this machine cannot serve\0"
                            "no such CPU\0"
                            "wrong option\0"
                            "the image to start is not there\0"
                            "the firmware forbids to start the image\0"
                            "the image could not be started\0"
                            "the image that was started came back\0"
                            "a CPU did not come back\0";

const char *outcome_text(enum outcome outcome)
{
    return text_nth(texts, outcome);
}

enum outcome outcome_worse(enum outcome a, enum outcome b)
{
    return a > b ? a : b;
}

EFI_STATUS outcome_status(enum outcome outcome, enum start_mode mode)
{
    EFI_STATUS status = codes[outcome] ? EFIERR(codes[outcome]) : EFI_SUCCESS;

    if (mode == STARTED_BY_SYSPREP)
        return EFI_SUCCESS;
    if (mode == STARTED_BY_BOOT && !EFI_ERROR(status))
        return OUTCOME_BOOT_STATUS;
    return status;
}

const char *efi_status_text(EFI_STATUS status)
{
    static const char names[] = /* UEFI 2.10, appendix D, by code; 0 first */
        "Success\0Load Error\0Invalid Parameter\0Unsupported\0Bad Buffer Size\0Buffer Too Small\0"
        "Not Ready\0Device Error\0Write Protected\0Out of Resources\0Volume Corrupt\0Volume Full\0"
        "No Media\0Media changed\0Not Found\0Access Denied\0No Response\0No mapping\0Time out\0"
        "Not started\0Already started\0Aborted\0ICMP Error\0TFTP Error\0Protocol Error\0"
        "Incompatible Version\0Security Violation\0";
    UINTN code = EFI_ERROR(status) ? status - EFIERR(0) : status;
    const char *name =
        code <= CODE(EFI_SECURITY_VIOLATION) ? text_nth(names, (unsigned)code) : NULL;

    return name && (code == 0 || EFI_ERROR(status)) ? name
                                                    : "error"; /* a warning is none of these */
}
