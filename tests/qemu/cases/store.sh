# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about the variable store: what lies under our name, and a store that is full.

case_store() {
    # The shell's setvar deletes with "=" alone; MIGC is our magic, the rest of it nonsense.
    boot_shell -cpu "$VM_CPU" -smp 2 <<'NSH'
load watch.efi
set -v our 947a949a-b9cc-4678-b178-443eddc5a6e7
setvar MigrationCost -guid %our% -nv -bs -rt =0102030405060708090a0b0c0d0e0f1011121314
tell.efi
try foreign migcost.efi --size 16K
try watch1 tell.efi
try shown migcost.efi --show
try deleted migcost.efi --delete
try kept dmpstore MigrationCost -guid %our%
try forced migcost.efi --size 16K --force
try replaced migcost.efi --show

setvar MigrationCost -guid %our% -nv -bs -rt =4d49474301005000aa00040001020304
try broken migcost.efi --show
try mended migcost.efi --size 16K
try shown2 migcost.efi --show
migcost.efi --delete

setvar MigrationCost -guid %our% -bs -rt =4d49474301005000aa00040001020304
tell.efi
try moved migcost.efi --size 16K
try watch3 tell.efi
try shown3 dmpstore MigrationCost -guid %our%
migcost.efi --delete

try fill fill.efi
tell.efi
try full migcost.efi --size 16K
try watch4 tell.efi
try none migcost.efi --show
NSH
    ends "a foreign variable of our name has a status of its own" foreign 0x8
    says "it is said" foreign 'record: not stored: a foreign variable has this name'
    watched "it is not written to: the breadcrumb alone is" watch1 sets -eq 1
    watched "nor deleted" watch1 deletes -eq 1
    ends "it is not shown as a record" shown 0x8
    ends "it is not deleted when asked to, without --force" deleted 0x8
    says "it is what it was" kept ' +00000000: 01 02 03 04 05 06 07 08'
    ends "--force overwrites it" forced 0x0
    ends "with a record" replaced 0x0

    ends "a record that does not check is not shown (D17)" broken 0x1B
    ends "the next run replaces it" mended 0x0
    ends "with one that does" shown2 0x0

    ends "a record with other attributes is replaced (D8)" moved 0x0
    watched "after it is deleted, as the breadcrumb is" watch3 deletes -eq 2
    says "by one that stays" shown3 "Variable NV\+RT\+BS '947A949A.*:MigrationCost'"

    ends "the hook filled the variable store" fill 0x0
    ends "a full store has a status of its own (D1)" full 0x5
    says "the result is shown nevertheless" full 'decay +500 us'
    says "it is said that it is not stored" full 'record: not stored: the variable store is nearly full'
    watched "and no write is tried" watch4 sets -eq 0
    ends "nothing is half stored" none 0xC
}
