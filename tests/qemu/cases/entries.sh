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
load broken_tpm.efi
try tpm migcost.efi
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
    says "a TPM that fails is told" tpm \
        'migcost: the TPM did not take the options into PCR 12: Device Error'
    ends "and stops nothing" tpm 0x0
}

# What the TPM is told of the options: the same at every boot, and nothing that was measured.
case_tpm() {
    local boot first second
    if ! command -v swtpm >/dev/null; then
        echo "skip $this: swtpm is not installed"
        return
    fi
    printf 'size 16K\nno-store\n' >"$boot_logs/$this.conf"
    for boot in first second; do
        boot_with_tpm -f "$boot_logs/$this.conf=/conf/migcost.conf" \
            -f build/migcost.efi=/conf/migcost.efi <<'NSH'
try before pcr.efi
try options migcost.efi --size 16K --no-store
try after pcr.efi
try file conf\migcost.efi
try afterfile pcr.efi
NSH
        ends "the application measures beside a TPM ($boot boot)" file 0x0
        read -r "${boot?}" < <(section afterfile)
        [ $boot = second ] || expect_pcrs
    done
    check "$this: two boots give equal PCRs" [ -n "$first" -a "$first" = "$second" ]
}
# boot_with_tpm ...: as boot_shell.
boot_with_tpm() {
    local state
    state=$(mktemp -d)
    swtpm socket --tpm2 --tpmstate "dir=$state" --ctrl "type=unixio,path=$state/socket" --terminate \
        >"$boot_logs/$this.swtpm" 2>&1 &
    for _ in {1..100}; do
        [ -S "$state/socket" ] && break
        sleep 0.1
    done
    boot_shell "$@" -cpu "$VM_CPU" -smp 2 -chardev "socket,id=tpm,path=$state/socket" \
        -tpmdev emulator,id=tpm0,chardev=tpm -device tpm-tis,tpmdev=tpm0
    wait $! # it ends with its connection
    rm -rf "$state"
}
# Which they are: options as the shell hands them on, then those and the file.
expect_pcrs() {
    local pcr
    pcr=$(printf '0%.0s' {1..64})
    check "$this: PCR 12 is untouched before" [ "$(section before)" = "pcr: $pcr" ]
    pcr=$(utf16z 'migcost.efi --size 16K --no-store' | extended "$pcr")
    check "$this: options are an event of PCR 12" [ "$(section after)" = "pcr: $pcr" ]
    pcr=$(utf16z 'conf\migcost.efi' | extended "$pcr")
    pcr=$(extended "$pcr" <"$boot_logs/$this.conf")
    check "$this: and so is the file" [ "$(section afterfile)" = "pcr: $pcr" ]
}
utf16z() { # utf16z TEXT: as the shell leaves what was typed
    printf '%s\0' "$1" | iconv -t UTF-16LE
}
extended() { # extended PCR: what it becomes by an event of these bytes
    local digest
    digest=$(sha256sum)
    printf '%b' "$(sed 's/../\\x&/g' <<<"$1${digest%% *}")" | sha256sum | sed 's/ .*//'
}

# ---- Secure Boot, with the key that Debian's OVMF has for such tests ----

SECURE_CODE=/usr/share/OVMF/OVMF_CODE_4M.secboot.fd
SECURE_VARS=/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd
SECURE_KEY=/usr/share/ovmf/PkKek-1-snakeoil.key

# signed FILE: its name once it is signed.
signed() {
    local file=$boot_logs/$this.${1##*/}
    sbsign --key "$boot_logs/$this.key" --cert "${SECURE_KEY%.key}.pem" --output "$file" "$1" \
        >"$boot_logs/$this.sbsign" 2>&1 || return
    grep -iq warning "$boot_logs/$this.sbsign" && return 1
    echo "$file"
}
# boot_secure CODE: whether this firmware starts the signed image, and only that.
boot_secure() {
    local VM_CODE=$1 VM_VARS=$SECURE_VARS image child steps need
    for need in "$1" "$SECURE_VARS" "$SECURE_KEY"; do
        [ -e "$need" ] && continue
        echo "skip $this: no ${need##*/} in this Debian's ovmf"
        return
    done
    if ! command -v sbsign >/dev/null || ! command -v openssl >/dev/null; then
        echo "skip $this: sbsigntool or openssl is not installed"
        return
    fi
    openssl rsa -in $SECURE_KEY -passin pass:snakeoil -out "$boot_logs/$this.key" 2>/dev/null
    image=$(signed build/migcost.efi) && child=$(signed build/hooks/child.efi)
    check "$this: the image can be signed without a warning (H4)" [ -n "$child" ] || return
    steps=$(signed build/hooks/steps.efi)
    cat >"$boot_logs/$this.steps" <<'STEPS'
unsigned \migcost.efi --version
signed \signed.efi --size 16K --no-store
refused \signed.efi --size 16K --no-store --chain \child.efi
chained \signed.efi --size 16K --no-store --chain \signedchild.efi status=5
STEPS
    boot_disk "$steps=/EFI/BOOT/BOOTX64.EFI" "$image=/signed.efi" "$child=/signedchild.efi" \
        "$boot_logs/$this.steps=/steps.txt"
    BOOT_CLOCK=() # the newer firmware waits for ever with it
    boot -cpu "$VM_CPU" -smp 2 -machine smm=on -global driver=cfi.pflash01,property=secure,value=on
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    ends "without a signature the firmware does not start it, and says why" unsigned \
        '(0xf|0x1a)' # Access Denied, Security Violation
    ends "signed, it runs; as a boot it is aborted, so that the next entry is tried" signed 0x15
    says "it measures" signed 'migcost: done in .*: measured, not stored as asked'
    says "a chain target that is refused is told" refused \
        'migcost: \\child\.efi: the firmware refuses to start it: (Security Violation|Access Denied)'
    ends "with a status of its own (E11)" refused 0xf
    says_not "it does not run" refused 'child:'
    check "$this: and it is not left in memory (E11)" \
        same_images
    says "a signed one is started" chained 'child: options \[status=5\]'
}

same_images() {
    section signed | grep -q '^steps: images [1-9]' &&
        [ "$(section refused | grep '^steps:')" = "$(section signed | grep '^steps:')" ]
}

case_secure() {
    boot_secure $SECURE_CODE
}

# Pages are either written or executed there. That firmware is newer: no proof of more (C2).
case_strictnx() {
    boot_secure "${SECURE_CODE%.fd}.strictnx.fd"
}

# ---- Boot loaders ----

# need FILE...: true if all are there; else the case is skipped.
need() {
    local file
    for file; do
        [ -e "$file" ] && continue
        echo "skip $this: no $file"
        return 1
    done
}

# GRUB starts it, goes on when it comes back, and puts the result on a kernel's command line.
case_grub() {
    need /usr/lib/grub/x86_64-efi/chain.mod /usr/bin/grub-mkstandalone || return
    cat >"$boot_logs/$this.cfg" <<'CFG'
search --file /EFI/migcost/migcost.efi --set=root
echo "= begin options ="
chainloader /EFI/migcost/migcost.efi --size 16K --decay "600us" --handoff=grub
boot
echo "= end options ="
source /EFI/migcost/migcost-grub.cfg
echo "grub: linux /vmlinuz quiet $migcost"
echo "= begin again ="
chainloader /EFI/migcost/migcost.efi --handoff=grub --chain \child.efi "status=0  root=x"
boot
echo "= end again ="
halt
CFG
    grub-mkstandalone -O x86_64-efi --install-modules='chain search fat halt echo normal configfile' \
        --locales= --themes= --fonts= -o "$boot_logs/$this.efi" \
        "boot/grub/grub.cfg=$boot_logs/$this.cfg" 2>/dev/null
    printf '%511s\n' '' >"$boot_logs/$this.blank"
    boot_disk "$boot_logs/$this.efi=/EFI/BOOT/BOOTX64.EFI" build/migcost.efi=/EFI/migcost/migcost.efi \
        "$boot_logs/$this.blank=/EFI/migcost/migcost-grub.cfg"
    boot -cpu "$VM_CPU" -smp 2
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: options arrive without quotation marks, and hold" \
        has_line options 'migcost: done in .*: measured, stored'
    check "$this: the file for GRUB is written" has_line options 'hand-off: migcost-grub\.cfg: written'
    check "$this: GRUB goes on, and sources it" \
        grep -q '^grub: linux /vmlinuz quiet migcost.cache_decay_ns=600000' "$boot_logs/$this.txt"
    check "$this: with a record nothing is measured, and the file not written again" \
        lacks_line again '(hand-off|measuring takes)'
    check "$this: what it chain-loads gets its words" has_line again 'child: options \[status=0  root=x\]'
    check "$this: the file kept its size" [ "$(mdir_size /EFI/migcost/migcost-grub.cfg)" = 512 ]
}
mdir_size() {
    mtype -i "$boot_logs/$this.img" "::$1" | wc -c
}

# iPXE loads it over the network.
case_ipxe() {
    need /boot/ipxe.efi || return
    local folder
    folder=$(mktemp -d)
    cp build/migcost.efi build/hooks/steps.efi "$folder/" # which ends here, without steps
    cat >"$folder/boot.ipxe" <<'IPXE'
#!ipxe
echo = begin options =
chain migcost.efi --size 16K || echo ipxe: it came back
echo = end options =
imgfree
chain steps.efi
IPXE
    boot_disk /boot/ipxe.efi=/EFI/BOOT/BOOTX64.EFI
    BOOT_CLOCK=()
    boot -cpu "$VM_CPU" -smp 2 -device e1000,netdev=net0,romfile= \
        -netdev "user,id=net0,tftp=$folder,bootfile=boot.ipxe,restrict=on"
    rm -r "$folder"
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: the application runs from the network, with its options" \
        has_line options 'migcost: done in .*: measured, stored'
    check "$this: it comes back as if aborted, and iPXE goes on" has_line options 'ipxe: it came back'
}

# From Linux, as an administrator does it. First systemd-boot starts the application, and that Linux,
# which makes a SysPrep and a boot entry with efibootmgr; then the firmware starts both.
case_efibootmgr() {
    local loader=/usr/lib/systemd/boot/efi/systemd-bootx64.efi manager=/usr/bin/efibootmgr
    need $loader $manager || return
    if ! tests/qemu/fetch-kernel >"$boot_logs/$this.fetch" 2>&1; then
        echo "skip $this: $(tail -n 1 "$boot_logs/$this.fetch")"
        return
    fi
    tests/qemu/make-initramfs tests/qemu/initramfs/make-entries "$boot_logs/$this.initramfs" $manager
    printf 'default migcost.conf\ntimeout 0\n' >"$boot_logs/$this.loader"
    cat >"$boot_logs/$this.entry" <<'ENTRY'
title migcost
efi /EFI/migcost/migcost.efi
options --size 16K --no-store --chain \vmlinuz.efi initrd=\initramfs console=ttyS0 "phase=1"
ENTRY
    tools/usb-image "$boot_logs/$this.img" $loader build/migcost.efi
    vm_fill "$boot_logs/$this.img@@1M" "$boot_logs/$this.loader=/loader/loader.conf" \
        "$boot_logs/$this.entry=/loader/entries/migcost.conf" build/linux/vmlinuz=/vmlinuz.efi \
        "$boot_logs/$this.initramfs=/initramfs"
    BOOT_CLOCK=() # Linux needs a faster machine

    boot -cpu "$VM_CPU" -smp 2
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: systemd-boot hands the options on as they are" \
        told 'migcost: done in .*: measured, not stored as asked'
    check "$this: Linux gets its own to the letter" \
        told 'linux: command line: initrd=\\initramfs console=ttyS0 "phase=1"$'
    check "$this: efibootmgr makes a SysPrep and a boot entry" \
        [ "$(grep -c '^linux: /usr/bin/efibootmgr ended with status 0' "$boot_logs/$this.txt")" = 2 ]

    boot -cpu "$VM_CPU" -smp 2
    check "$this: it switched itself off again" [ "$boot_status" -eq 0 ]
    check "$this: SysPrep came first, printed nothing (G4), stored and returned (F1)" \
        told 'migcost: done.*: a record of this machine is stored: not measured'
    check "$this: the firmware started the boot entry once" \
        [ "$(grep -c '^migcost [0-9]' "$boot_logs/$this.txt")" = 1 ]
    check "$this: which started Linux with the stored result" \
        told 'linux: command line: initrd=.* phase=2 migcost\.cache_decay_ns=[0-9]'
    check "$this: Linux reads it" told 'linux: migcost ended with status 0'
    check "$this: and removes the entry" told 'linux: /usr/bin/efibootmgr ended with status 0'
}
