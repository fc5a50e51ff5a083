/* SPDX-License-Identifier: BSD-2-Clause */
/* Measured boot: options that come from outside of the signed image are told to the TPM, where
 * there is one, as boot loaders do with a kernel's command line. */
#ifndef EFI_TCG2_H
#define EFI_TCG2_H

#include "efi.h"

#define TCG2_PCR 12u /* where systemd's loader and stub put command lines */

/* Extends PCR 12 by the bytes as they came, before anything is done with them, and logs the event
 * under that name. The same options give the same PCR at every boot: what was measured of the
 * machine never gets here. Success as well where there is no TPM. */
EFI_STATUS tcg2_measure(const struct efi *efi, const char *name, const void *bytes, size_t length);

#endif
