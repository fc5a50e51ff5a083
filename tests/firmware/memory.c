/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory, time and priorities of the firmware for tests. */
#include "private.h"

#include <stdlib.h>
#include <string.h>

#define PAGE      4096u
#define PAGES_MAX 1100u /* in one piece: enough for the smallest buffer that is measured on */
#define BLOCKS    64u
#define POISONED  64u /* pages: more takes too long to fill */

static struct {
    void *memory;
    UINTN pages;
} blocks[BLOCKS];
static struct {
    void *memory;
    UINTN pages;
} spare;                   /* a large one of the last boot: its pages are there already */
static uint64_t waited_us; /* since the watchdog was set */

static void *take_block(UINTN pages)
{
    void *memory = spare.memory;

    if (pages <= POISONED || spare.pages != pages)
        return aligned_alloc(PAGE, pages * PAGE);
    spare.memory = NULL;
    spare.pages = 0;
    return memory;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *address)
{
    FW_ENTER(FW_ALLOCATE_PAGES);
    (void)kind;
    if (type != AllocateAnyPages || pages == 0)
        fw_misuse(FW_ALLOCATE_PAGES, "neither any pages, nor none (C7)");
    for (unsigned i = 0; i < BLOCKS && pages <= PAGES_MAX; i++) {
        if (blocks[i].memory)
            continue;
        blocks[i].memory = take_block(pages);
        blocks[i].pages = pages;
        if (pages <= POISONED)
            memset(blocks[i].memory, 0xA5, pages * PAGE); /* firmware does not clear */
        fw_state.fw->pages_out += (unsigned)pages;
        *address = (uintptr_t)blocks[i].memory;
        FW_LEAVE(EFI_SUCCESS);
    }
    FW_LEAVE(EFI_OUT_OF_RESOURCES);
}

/* Parts of a block may be given back, as firmware allows. */
static EFI_STATUS EFIAPI free_pages(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    const enum fw_fate fate = fw_enter(FW_FREE_PAGES);
    struct fw *fw = fw_state.fw;

    for (unsigned i = 0; i < BLOCKS; i++) {
        uintptr_t start = (uintptr_t)blocks[i].memory, end = start + blocks[i].pages * PAGE;
        if (!start || address < start || address + pages * PAGE > end)
            continue;
        if (address % PAGE != 0 || pages > fw->pages_out)
            break;
        fw->pages_out -= (unsigned)pages;
        FW_LEAVE_FREED(EFI_SUCCESS);
    }
    fw_misuse(FW_FREE_PAGES, "gives back what was not taken");
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI set_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    FW_ENTER(FW_SET_WATCHDOG);
    if (code <= 0xFFFF || size != 0 || data)
        fw_misuse(FW_SET_WATCHDOG, "with a code of the firmware's");
    fw_state.fw->watchdog = seconds;
    waited_us = 0;
    FW_LEAVE(EFI_SUCCESS);
}

/* Time passes for the watchdog, not for the test. */
static EFI_STATUS EFIAPI stall(UINTN us)
{
    FW_ENTER(FW_STALL);
    waited_us += us;
    if (fw_state.fw->watchdog != 0 && waited_us / 1000000 > fw_state.fw->watchdog)
        fw_power_off(FW_RESET_END);
    FW_LEAVE(EFI_SUCCESS);
}

/* They return no status. */
static EFI_TPL EFIAPI raise_tpl(EFI_TPL level)
{
    EFI_TPL before = fw_state.level;
    (void)fw_enter(FW_RAISE_TPL);
    if (level < before)
        fw_misuse(FW_RAISE_TPL, "lowers it");
    fw_state.level = level;
    return before;
}

static VOID EFIAPI restore_tpl(EFI_TPL level)
{
    (void)fw_enter(FW_RESTORE_TPL);
    if (level > fw_state.level)
        fw_misuse(FW_RESTORE_TPL, "raises it");
    fw_state.level = level;
}

void fw_memory_open(void)
{
    EFI_BOOT_SERVICES *boot = &fw_state.boot;

    waited_us = 0;
    boot->AllocatePages = allocate_pages;
    boot->FreePages = free_pages;
    boot->SetWatchdogTimer = set_watchdog;
    boot->Stall = stall;
    boot->RaiseTPL = raise_tpl;
    boot->RestoreTPL = restore_tpl;
}

void fw_memory_close(void)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].memory && blocks[i].pages > POISONED && !spare.memory) {
            spare.memory = blocks[i].memory;
            spare.pages = blocks[i].pages;
        } else {
            free(blocks[i].memory);
        }
        blocks[i].memory = NULL;
    }
}

void fw_memory_done(void)
{
    free(spare.memory);
    spare.memory = NULL;
    spare.pages = 0;
}
