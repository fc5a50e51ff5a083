/* SPDX-License-Identifier: BSD-2-Clause */
/* A console of 80 columns on which nobody types, of the firmware for tests. */
#include "private.h"

static EFI_STATUS EFIAPI output(SIMPLE_TEXT_OUTPUT_INTERFACE *self, CHAR16 *text)
{
    FW_ENTER(FW_OUTPUT);
    (void)self, (void)text;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI query_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *self, UINTN mode, UINTN *columns,
                                    UINTN *rows)
{
    FW_ENTER(FW_QUERY_MODE);
    (void)self, (void)mode;
    *columns = 80;
    *rows = 25;
    FW_LEAVE(EFI_SUCCESS);
}

static EFI_STATUS EFIAPI read_key(SIMPLE_INPUT_INTERFACE *self, EFI_INPUT_KEY *key)
{
    FW_ENTER(FW_READ_KEY);
    (void)self;
    *key = (EFI_INPUT_KEY){0};
    FW_LEAVE(EFI_NOT_READY);
}

void fw_console_open(void)
{
    fw_state.out.OutputString = output;
    fw_state.out.QueryMode = query_mode;
    fw_state.out.Mode = &fw_state.out_mode;
    fw_state.in.ReadKeyStroke = read_key;
    fw_state.table.ConOut = &fw_state.out;
    fw_state.table.ConIn = &fw_state.in;
}
