/* SPDX-License-Identifier: BSD-2-Clause */
/* Small services that every part of the application needs of the firmware. */
#include "efi.h"

#include "../lib/mem.h"

const EFI_GUID efi_loaded_image_guid = {
    0x5B1B31A1, 0x9562, 0x11d2, {0x8E, 0x3F, 0x00, 0xA0, 0xC9, 0x69, 0x72, 0x3B}};

void efi_open(struct efi *efi, EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    efi->image = image;
    efi->st = system_table;
    efi->bs = system_table->BootServices;
    efi->rt = system_table->RuntimeServices;
    efi->self = efi_protocol(efi, image, &efi_loaded_image_guid);
}

void *efi_protocol(const struct efi *efi, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *interface = NULL;
    if (!handle || EFI_ERROR(efi->bs->HandleProtocol(handle, EFI_CONST(guid), &interface)))
        return NULL;
    return interface;
}

void *efi_allocate(const struct efi *efi, size_t bytes)
{
    EFI_PHYSICAL_ADDRESS address = 0;
    UINTN pages = (bytes + 4095) / 4096;
    if (pages == 0 ||
        EFI_ERROR(efi->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, pages, &address)))
        return NULL;
    return memset((void *)(uintptr_t)address, 0, pages * 4096);
}

void efi_free(const struct efi *efi, void *memory, size_t bytes)
{
    if (memory)
        (void)efi->bs->FreePages((uintptr_t)memory, (bytes + 4095) / 4096);
}

void efi_watchdog(const struct efi *efi, uint64_t seconds)
{
    /* Codes up to 0xFFFF are the firmware's own. */
    (void)efi->bs->SetWatchdogTimer(seconds, 0x10000, 0, NULL);
}

const void *efi_configuration_table(const struct efi *efi, const EFI_GUID *guid)
{
    const EFI_CONFIGURATION_TABLE *table = efi->st->ConfigurationTable;
    if (!table)
        return NULL;
    for (UINTN i = 0; i < efi->st->NumberOfTableEntries; i++)
        if (memcmp(&table[i].VendorGuid, guid, sizeof(*guid)) == 0)
            return table[i].VendorTable;
    return NULL;
}

uint64_t efi_seconds(const EFI_TIME *time)
{
    static const uint16_t days_before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    if (time->Year < 1970 || time->Year > 9999 || time->Month < 1 || time->Month > 12 ||
        time->Day < 1 || time->Day > 31 || time->Hour > 23 || time->Minute > 59 ||
        time->Second > 59)
        return 0;

    unsigned year = time->Year;
    unsigned past = year - 1; /* years whose leap days are over */
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    uint64_t leap_days =
        past / 4 - past / 100 + past / 400 - (1969u / 4 - 1969u / 100 + 1969u / 400);
    uint64_t days = (year - 1970u) * 365ull + leap_days + days_before[time->Month - 1] +
                    (leap && time->Month > 2) + time->Day - 1u;
    int64_t seconds =
        (int64_t)(days * 86400 + time->Hour * 3600u + time->Minute * 60u + time->Second);
    if (time->TimeZone >= -1440 && time->TimeZone <= 1440)
        seconds += time->TimeZone * 60; /* local time = UTC - TimeZone (UEFI 2.10, 8.3) */
    return seconds > 0 ? (uint64_t)seconds : 0;
}

uint64_t efi_wall_clock(const struct efi *efi)
{
    EFI_TIME time;
    if (EFI_ERROR(efi->rt->GetTime(&time, NULL)))
        return 0;
    return efi_seconds(&time);
}
