# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# The systemd unit: what make install puts where, and what the unit takes for success.

unit=linux/units/migcost.service
to=$PWD/$out/installed
rm -rf "$to"
check "make install" make -s install DESTDIR="$to" PREFIX=/usr
check "the command is installed" test -x "$to/usr/sbin/migcost"
check "so is the unit, with its place" grep -q '^ExecStart=/usr/sbin/migcost apply$' "$to/etc/systemd/system/migcost.service"
check "make uninstall" make -s uninstall DESTDIR="$to" PREFIX=/usr
equal "nothing is left" "$(find "$to" -type f)" ""

# Whatever makes `apply` not applicable is no failure of the unit, and nothing else is success.
fine=$(sed -n 's/^SuccessExitStatus=//p' $unit)
applicable() { # applicable: the statuses of the command's own table that are no failures of a boot
    $program --help | sed -n 's/^ *\([0-9]*\)  \(no record: .*\|not applied.*\|this kernel has no knob.*\|the knob is in debugfs.*\|kernel lockdown.*\|nothing to restore\)$/\1/p' |
        tr '\n' ' ' | sed 's/ $//'
}
equal "the unit's list is that of the command" "$fine" "$(applicable)"
if command -v systemd-analyze >/dev/null; then
    mkdir -p $out/units
    sed "s|/usr/sbin/|$PWD/build/|; /^Documentation/d" $unit >$out/units/migcost.service
    # What it asks of other units is this host's business, not the file's.
    systemd-analyze verify "$PWD/$out/units/migcost.service" >$out/said 2>&1
    check "systemd takes the unit" bash -c "! grep -E 'migcost.service:.*(Unknown|Failed|Invalid|not absolute|not executable)' $out/said"
else
    echo "skip systemd takes the unit: systemd-analyze is not installed"
fi
check "it runs behind tuned (I6)" grep -q '^After=.*tuned.service' $unit
check "it needs nothing of the initramfs (I10)" grep -q '^WantedBy=multi-user.target' $unit
