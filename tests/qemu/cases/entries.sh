# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases about the ways in that people really use: what is written beside the image, and every loader
# that starts it.

case_config() {
    printf '# by hand\r\nsize 16K\r\nno-store\r\nsise 1\r\nformat 2004\r\n' >"$boot_logs/$this.conf"
    printf '\377\376' >"$boot_logs/$this.chain"
    printf 'quiet\nchain \\child.efi  two  "w o" # not this\nno-store\nsize 16K\n' |
        iconv -t UTF-16LE >>"$boot_logs/$this.chain"
    head -c 5000 /dev/urandom >"$boot_logs/$this.bad"
    boot_shell -f "$boot_logs/$this.conf=/migcost.conf" -f build/migcost.efi=/sub/migcost.efi \
        -f "$boot_logs/$this.chain=/sub/migcost.conf" -f build/migcost.efi=/bad/migcost.efi \
        -f "$boot_logs/$this.bad=/bad/migcost.conf" -cpu "$VM_CPU" -smp 2 <<'NSH'
try file migcost.efi
try over migcost.efi --format=table
try without migcost.efi --no-conf --show
try wrong migcost.efi --sise 1
try chain sub\migcost.efi
try version sub\migcost.efi --version
try bad bad\migcost.efi --no-store --size 16K
NSH
    ends "options of the file beside the image hold (E7)" file 0x0
    says "all of them" file 'migration cost matrix'
    says "it is said that there were some" file 'migcost: taken from migcost\.conf: 3 lines'
    says "a wrong line is ignored and told" file \
        'migcost: migcost\.conf, line 4 is ignored: unknown option "--sise": did you mean --size'
    says "the others hold" file 'migcost: done in .*: measured, not stored as asked'
    says "the command line has the last word" over 'migration cost in us'
    says "and the rest of the file holds" over 'migcost: done in .*: measured, not stored as asked'
    says_not "--no-conf leaves the file alone" without 'migcost: (taken|migcost)'
    ends "a wrong option stays one" wrong 0x2
    says "an image is chained from the file of its own folder, with its words (E7)" chain \
        'child: options \[two  "w o"\]'
    says_not "quiet is quiet" chain 'migcost'
    says "what is asked instead of measuring does not read it" version 'migcost [0-9]'
    says "a file that is no text is ignored (E2)" bad 'migcost: migcost\.conf is ignored: it is no text'
    ends "and the options hold" bad 0x0
}
