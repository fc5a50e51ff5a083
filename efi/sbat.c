/* SPDX-License-Identifier: BSD-2-Clause */
/* The SBAT section by which shim can revoke old versions of this program (H5). The second field of
 * the second line is our generation: raise it with every security fix. */

static const char sbat[] __attribute__((section(".sbat"), used)) =
    "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
    "migcost,1,migcost,migcost," MIGCOST_VERSION ",README.md\n";
