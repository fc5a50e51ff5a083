# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # shared with boot.sh
# Cases that start the application without a shell: as a boot entry, from a stick, before Linux.

case_bootx64() {
    # The firmware boots the disk by itself; the shell is its next entry.
    {
        printf '@echo -off\nfs0:\n'
        printf 'echo = begin show =\nmigcost.efi --show\necho = end show %%lasterror%% =\nreset -s\n'
    } >"$boot_logs/$this.nsh"
    boot_disk build/migcost.efi=/EFI/BOOT/BOOTX64.EFI "$boot_logs/$this.nsh=/startup.nsh"
    boot -cpu "$VM_CPU" -smp 2
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: the application ran as BOOTX64.EFI" \
        grep -q '^migcost: done in .*: measured, stored' "$boot_logs/$this.txt"
    check "$this: the firmware went on to its next entry (F2)" \
        grep -q '^= begin show =' "$boot_logs/$this.txt"
    ends "the record is there" show 0x0
}

# set_entry KIND OPTION...: boots once to make an entry (hooks/entry.c says of which kind).
set_entry() {
    rm -f "$boot_logs/$this.vars"
    boot_shell -cpu "$VM_CPU" -smp 2 <<NSH
try entry entry.efi $*
NSH
    ends "the entry is made ($1)" entry 0x0
}
# again LINE...: boots with what was set, and then runs these lines in the shell.
again() {
    printf '%s\n' "$@" | boot_shell -cpu "$VM_CPU" -smp 2
}
# told ERE: a line of the console, before the shell's lines, begins so.
told() {
    sed '/^= begin/,$d' "$boot_logs/$this.txt" | grep -Eq "^($1)"
}

case_sysprep() {
    local first
    set_entry sysprep --size 16K
    again "try show migcost.efi --show"
    check "$this: nothing is printed (G4)" silent
    ends "the machine goes on, and has a record (F1)" show 0x0
    first=$(section show | grep '^measured')
    again "try show migcost.efi --show" "try delete migcost.efi --delete"
    check "$this: a second start prints nothing either" silent
    check "$this: with a record of this machine it does not measure again (F6)" \
        [ "$(section show | grep '^measured')" = "$first" ]
    ends "the record can be deleted" delete 0x0
}
silent() {
    ! told 'migcost'
}

case_entries() {
    local kind
    set_entry boot --size 16K --no-store
    again "try after migcost.efi --version"
    check "$this: options of an entry come without a NUL (E4)" \
        told 'migcost: done in .*: measured, not stored as asked'
    ends "the next entry is tried afterwards (F2)" after 0x0

    set_entry ascii --size 16K --no-store
    again "try after migcost.efi --version"
    check "$this: they may be ASCII (E5)" told 'migcost: done in .*: measured, not stored as asked'

    for kind in whole mark; do
        set_entry $kind --size 16K --no-store
        again "try after migcost.efi --version"
        check "$this: options are found in a whole boot entry (E3) and behind a mark (E6): $kind" \
            told 'migcost: done in .*: measured, not stored as asked'
    done

    set_entry garbage
    again "try after migcost.efi --version"
    check "$this: bytes that are no text are ignored (E2)" \
        told 'migcost: the options are no text and are ignored'
    check "$this: and it is measured without" told 'migcost: done in .*: measured, stored'
}

# A stick boots by itself on a machine with another disk; afterwards the shell looks around.
boot_stick() {
    {
        printf '@echo -off\nfs0:\necho = begin variable =\n'
        printf 'dmpstore MigrationCost -guid 947a949a-b9cc-4678-b178-443eddc5a6e7\n'
        printf 'echo = end variable %%lasterror%% =\nreset -s\n'
    } >"$boot_logs/$this.nsh"
    cp build/migcost-usb.img "$boot_logs/$this.stick"
    vm_disk "$boot_logs/$this.img" 16 "$boot_logs/$this.nsh=/startup.nsh"
    boot -cpu "$VM_CPU" -smp 2 -device qemu-xhci -device usb-storage,drive=stick \
        -drive "if=none,id=stick,format=raw,file=$boot_logs/$this.stick"
    check "$this: the machine switched itself off in time" [ "$boot_status" -eq 0 ]
    check "$this: the stick started the application, which measured" \
        grep -q '^migcost: done in .*: measured, not stored as asked' "$boot_logs/$this.txt"
    check "$this: the report is on the stick" report_on_stick
    says "no variable is stored" variable 'dmpstore: No matching variables'
}
report_on_stick() {
    mcopy -n -o -i "$boot_logs/$this.stick@@1M" ::/report.json "$boot_logs/$this.json" &&
        jq -e '.record and (.cpus | length == 2)' "$boot_logs/$this.json" >/dev/null
}

case_usb() {
    VM_TYPE=('a key ends this' ' ' "${VM_TYPE[@]}")
    boot_stick
}

long_usb_alone() { # no key: 60 s
    boot_stick
}

# Linux takes over after ExitBootServices (A11), finds its initrd (E9) and its knob (I1).
case_linux() {
    if ! tests/qemu/fetch-kernel >"$boot_logs/$this.fetch" 2>&1; then
        echo "skip $this: $(tail -n 1 "$boot_logs/$this.fetch")"
        return
    fi
    make_run env OUT="$boot_logs/$this" tests/qemu/run
    check "$this: the terminal shows nothing of firmware, shell and kernel" calm
    if grep -q '^run: a machine whose costs are known' "$boot_logs/$this.txt"; then
        check "$this: two levels are told" recommended_levels 2
        check "$this: Linux brings up all eight CPUs (A11)" \
            grep -Eq '^linux: .*, 8 CPUs$' "$boot_logs/$this.txt"
    else
        echo "skip $this: $(grep -m 1 'plugin' "$boot_logs/$this.txt")"
    fi
}

# A QEMU without plugins: said, and all goes on without a known machine.
case_no_plugin() {
    local bin=$boot_logs/$this.bin qemu
    if ! tests/qemu/fetch-kernel >"$boot_logs/$this.fetch" 2>&1; then
        echo "skip $this: $(tail -n 1 "$boot_logs/$this.fetch")"
        return
    fi
    qemu=$(command -v qemu-system-x86_64)
    mkdir -p "$bin"
    cat >"$bin/qemu-system-x86_64" <<END
#!/bin/bash
case " \$* " in *" -plugin "*) echo "qemu: -plugin: invalid option" >&2 && exit 1 ;; esac
exec "$qemu" "\$@"
END
    chmod +x "$bin/qemu-system-x86_64"
    make_run env PATH="$PWD/$bin:$PATH" OUT="$boot_logs/$this" tests/qemu/run
    check "$this: that there are no plugins is said" \
        grep -q '^run: .*takes no plugin.*built without them' "$boot_logs/$this.txt"
    check "$this: what is run instead is said" \
        grep -q '^run: so this is QEMU as it is' "$boot_logs/$this.txt"
}

# What make run cannot do is told before anything is booted.
case_run_refuses() {
    local wrong=$boot_logs/$this.machine
    echo "cpus = many" >"$wrong"
    refuse "$this: a machine file that is not there" 'nowhere.machine cannot be read; there are' \
        env MACHINE=nowhere.machine tests/qemu/run
    refuse "$this: a wrong machine file, with line and reason" "$wrong:1: " \
        env MACHINE="$wrong" OUT="$boot_logs/$this" tests/qemu/run
    refuse "$this: a number of CPUs beside a machine that has one" 'SMP is for MACHINE=none' \
        env SMP=2 MACHINE=tests/machine/machines/p4ht.machine tests/qemu/run
    refuse "$this: more CPUs than firmware can number" 'SMP=256 is not' \
        env SMP=256 MACHINE=none tests/qemu/run
    check "$this: nothing was booted" [ ! -e "$boot_logs/$this/serial.log" ]
}

recommended_levels() { # so many levels have a threshold of their own
    [ "$(sed -n 's/^per level *//p' "$boot_logs/$this.txt" | head -n 1 | tr -cd , | wc -c)" -eq $(($1 - 1)) ]
}

# make_run COMMAND...: runs it, and takes over the results that it prints.
make_run() {
    local line
    "$@" >"$boot_logs/$this.txt" 2>&1
    check "$this: make run ends with status 0" [ $? -eq 0 ]
    while read -r line; do
        case $line in
        "run: ok: "*) ok "$this: ${line#run: ok: }" ;;
        "run: FAILED: "*) not_ok "$this: ${line#run: FAILED: }" ;;
        esac
    done <"$boot_logs/$this.txt"
}

# The other CPUs must be the firmware's again when an image ends its boot services (A11). That failed
# once in a while elsewhere: twenty times.
long_exits() {
    local good=0
    for _ in {1..20}; do
        rm -f "$boot_logs/$this.vars"
        boot_shell -cpu "$VM_CPU" -smp "$(vm_smp 8)" >/dev/null <<'NSH'
migcost.efi --size 16K --no-store --chain \child.efi exit
echo = came back =
NSH
        grep -q '^child: boot services have ended' "$boot_logs/$this.txt" && good=$((good + 1))
    done
    check "$this: 20 of 20 images ended the boot services ($good did)" [ $good -eq 20 ]
}

calm() {
    ! grep -Eq $'\e|BdsDxe|Shell|^\[ *[0-9]+\.' "$boot_logs/$this.txt"
}
