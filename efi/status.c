/* SPDX-License-Identifier: BSD-2-Clause */
/* One table: outcome, status, words. */
#include "status.h"

struct ending {
    EFI_STATUS status;
    const char *text;
};

static const struct ending endings[OUTCOMES] = {
    [OUTCOME_STORED] = {EFI_SUCCESS, "measured, stored"},
    [OUTCOME_UNCHANGED] = {EFI_SUCCESS, "measured, unchanged: not written again"},
    [OUTCOME_NOT_ASKED] = {EFI_SUCCESS, "measured, not stored as asked"},
    [OUTCOME_SHOWN] = {EFI_SUCCESS, "shown"},
    [OUTCOME_DELETED] = {EFI_SUCCESS, "record deleted"},
    [OUTCOME_SKIPPED] = {EFI_SUCCESS, "a record of this machine is stored: not measured"},
    [OUTCOME_STORED_COMPACT] = {EFI_SUCCESS, "measured, stored without the matrix"},
    [OUTCOME_ONE_CPU] = {EFI_NOT_STARTED, "one CPU, no pairs to measure"},
    [OUTCOME_NO_MP] = {EFI_UNSUPPORTED, "no way to start other CPUs, no pairs measured"},
    [OUTCOME_STOPPED] = {EFI_END_OF_MEDIA, "stopped by a key, not stored"},
    [OUTCOME_REPORT_FAILED] = {EFI_VOLUME_FULL, "measured, report.json not written"},
    [OUTCOME_NOT_STORED] = {EFI_DEVICE_ERROR, "measured, not stored"},
    [OUTCOME_STORE_FULL] = {EFI_BUFFER_TOO_SMALL, "measured, not stored: too little room"},
    [OUTCOME_FOREIGN] = {EFI_WRITE_PROTECTED, "another variable has our name: left alone"},
    [OUTCOME_NO_RECORD] = {EFI_NO_MEDIA, "no record is stored"},
    [OUTCOME_BAD_RECORD] = {EFI_CRC_ERROR, "the stored record does not check"},
    [OUTCOME_NO_MEMORY] = {EFI_OUT_OF_RESOURCES, "no memory to measure with"},
    [OUTCOME_BAD_SIZE] = {EFI_BAD_BUFFER_SIZE, "a size that this machine cannot serve"},
    [OUTCOME_NO_SUCH_CPU] = {EFI_NO_MAPPING, "no such CPU"},
    [OUTCOME_BAD_OPTION] = {EFI_INVALID_PARAMETER, "wrong option"},
    [OUTCOME_CHAIN_MISSING] = {EFI_NOT_FOUND, "the image to start is not there"},
    [OUTCOME_CHAIN_REFUSED] = {EFI_ACCESS_DENIED, "the firmware forbids to start the image"},
    [OUTCOME_CHAIN_FAILED] = {EFI_LOAD_ERROR, "the image could not be started"},
    [OUTCOME_CHILD_RETURNED] = {EFI_ALREADY_STARTED, "the image that was started came back"},
    [OUTCOME_LOST_CPU] = {EFI_TIMEOUT, "a CPU did not come back"},
};

const char *outcome_text(enum outcome outcome)
{
    return endings[outcome].text;
}

enum outcome outcome_worse(enum outcome a, enum outcome b)
{
    return a > b ? a : b;
}

EFI_STATUS outcome_status(enum outcome outcome, enum start_mode mode)
{
    EFI_STATUS status = endings[outcome].status;

    if (mode == STARTED_BY_SYSPREP)
        return EFI_SUCCESS;
    if (mode == STARTED_BY_BOOT && !EFI_ERROR(status))
        return OUTCOME_BOOT_STATUS;
    return status;
}

const char *efi_status_text(EFI_STATUS status)
{
    switch (status) {
    case EFI_SUCCESS:
        return "Success";
    case EFI_LOAD_ERROR:
        return "Load Error";
    case EFI_INVALID_PARAMETER:
        return "Invalid Parameter";
    case EFI_UNSUPPORTED:
        return "Unsupported";
    case EFI_BAD_BUFFER_SIZE:
        return "Bad Buffer Size";
    case EFI_BUFFER_TOO_SMALL:
        return "Buffer Too Small";
    case EFI_NOT_READY:
        return "Not Ready";
    case EFI_DEVICE_ERROR:
        return "Device Error";
    case EFI_WRITE_PROTECTED:
        return "Write Protected";
    case EFI_OUT_OF_RESOURCES:
        return "Out of Resources";
    case EFI_VOLUME_CORRUPTED:
        return "Volume Corrupt";
    case EFI_VOLUME_FULL:
        return "Volume Full";
    case EFI_NO_MEDIA:
        return "No Media";
    case EFI_MEDIA_CHANGED:
        return "Media changed";
    case EFI_NOT_FOUND:
        return "Not Found";
    case EFI_ACCESS_DENIED:
        return "Access Denied";
    case EFI_TIMEOUT:
        return "Time out";
    case EFI_NOT_STARTED:
        return "Not started";
    case EFI_ALREADY_STARTED:
        return "Already started";
    case EFI_ABORTED:
        return "Aborted";
    case EFI_SECURITY_VIOLATION:
        return "Security Violation";
    default:
        return "error";
    }
}
