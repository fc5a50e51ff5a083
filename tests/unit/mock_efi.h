/* SPDX-License-Identifier: BSD-2-Clause */
/* Boot and runtime services for tests of single files of efi/: memory of the host, counters, and
 * what each test sets. Include it after cmocka.h and before the .c file under test. */
#ifndef TESTS_MOCK_EFI_H
#define TESTS_MOCK_EFI_H

#include "../../efi/efi.h"
#include <stdlib.h>
#include <string.h>

#define MOCK_PAGE     4096u
#define MOCK_BLOCKS   64u
#define MOCK_TEXT_MAX 65536u

struct mock {
    EFI_SYSTEM_TABLE table;
    EFI_BOOT_SERVICES boot;
    EFI_RUNTIME_SERVICES runtime;
    struct efi efi;

    /* Pages: what is out, and the largest request that is granted. */
    UINTN pages_limit;
    unsigned allocations, pages_out;
    struct {
        void *memory;
        UINTN pages;
    } blocks[MOCK_BLOCKS];

    uint64_t watchdog_s, stalled_us;
    unsigned watchdog_calls, stall_calls;
    EFI_STATUS stall_status;
    EFI_TPL level;
};

/* Calls get no context: there is one mock at a time. */
static struct mock *mock;

static EFI_STATUS EFIAPI mock_allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind,
                                             UINTN pages, EFI_PHYSICAL_ADDRESS *address)
{
    assert_int_equal(type, AllocateAnyPages); /* (C7) */
    assert_int_equal(kind, EfiLoaderData);
    assert_true(pages > 0);
    mock->allocations++;
    if (pages > mock->pages_limit)
        return EFI_OUT_OF_RESOURCES;
    for (unsigned i = 0; i < MOCK_BLOCKS; i++) {
        if (mock->blocks[i].memory)
            continue;
        void *memory = aligned_alloc(MOCK_PAGE, pages * MOCK_PAGE);
        memset(memory, 0xA5, pages * MOCK_PAGE); /* firmware does not clear */
        mock->blocks[i].memory = memory;
        mock->blocks[i].pages = pages;
        mock->pages_out += (unsigned)pages;
        *address = (uintptr_t)memory;
        return EFI_SUCCESS;
    }
    return EFI_OUT_OF_RESOURCES;
}

/* Parts of a block may be given back, as firmware allows; the host gets it when all of it is. */
static EFI_STATUS EFIAPI mock_free_pages(EFI_PHYSICAL_ADDRESS address, UINTN pages)
{
    assert_int_equal(address % MOCK_PAGE, 0);
    for (unsigned i = 0; i < MOCK_BLOCKS; i++) {
        uintptr_t start = (uintptr_t)mock->blocks[i].memory;
        if (!start || address < start || address >= start + mock->blocks[i].pages * MOCK_PAGE)
            continue;
        assert_true(address + pages * MOCK_PAGE <= start + mock->blocks[i].pages * MOCK_PAGE);
        assert_true(pages <= mock->pages_out);
        mock->pages_out -= (unsigned)pages;
        return EFI_SUCCESS;
    }
    fail_msg("freed what was never allocated");
    return EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI mock_free_pool(VOID *memory)
{
    free(memory);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI mock_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    assert_true(code > 0xFFFF);
    assert_int_equal(size, 0);
    assert_null(data);
    mock->watchdog_s = seconds;
    mock->watchdog_calls++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI mock_stall(UINTN us)
{
    mock->stalled_us += us;
    mock->stall_calls++;
    return mock->stall_status;
}

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface);

static EFI_TPL EFIAPI mock_raise_tpl(EFI_TPL level)
{
    EFI_TPL before = mock->level;
    assert_true(level >= before);
    mock->level = level;
    return before;
}

static VOID EFIAPI mock_restore_tpl(EFI_TPL level)
{
    assert_true(level <= mock->level);
    mock->level = level;
}

static void mock_open(struct mock *services)
{
    memset(services, 0, sizeof(*services));
    mock = services;
    services->pages_limit = UINT32_MAX;
    services->level = TPL_APPLICATION;
    services->boot.AllocatePages = mock_allocate_pages;
    services->boot.FreePages = mock_free_pages;
    services->boot.FreePool = mock_free_pool;
    services->boot.SetWatchdogTimer = mock_watchdog;
    services->boot.Stall = mock_stall;
    services->boot.HandleProtocol = mock_handle_protocol;
    services->boot.RaiseTPL = mock_raise_tpl;
    services->boot.RestoreTPL = mock_restore_tpl;
    services->table.BootServices = &services->boot;
    services->table.RuntimeServices = &services->runtime;
    services->table.Hdr.Revision = 0x00020046;
    services->efi.st = &services->table;
    services->efi.bs = &services->boot;
    services->efi.rt = &services->runtime;
}

/* Nothing may be left out at the end. */
static void mock_close(void)
{
    assert_int_equal(mock->pages_out, 0);
    for (unsigned i = 0; i < MOCK_BLOCKS; i++)
        free(mock->blocks[i].memory);
    mock = NULL;
}

#endif
