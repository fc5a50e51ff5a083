# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# The knob: found, checked against, written, read back, put back (I1 to I5, I7).

kept=run/migcost/knob
system
expect "apply" 0 '/sys/kernel/debug/sched/migration_cost_ns: 500000 -> 123456' apply
holds "apply writes the decay" $debugfs_knob 123456
holds "apply keeps what was there" $kept '/sys/kernel/debug/sched/migration_cost_ns 500000'
expect "apply again" 0 '123456 already' apply
expect "apply another value" 0 '123456 -> 200000' apply --value=200us
holds "a second apply keeps the first value" $kept '/sys/kernel/debug/sched/migration_cost_ns 500000'
expect "status" 0 'wanted: +123456 ns' status
expect "status: what is there now" 0 'now: +200000 ns' status
expect "status: what is kept" 0 'before: +500000 ns' status
expect "restore --dry-run" 0 '200000 -> 500000 \(not done' restore --dry-run
holds "restore --dry-run writes nothing" $debugfs_knob 200000
expect "restore" 0 '200000 -> 500000' restore
holds "restore writes the old value" $debugfs_knob 500000
gone "restore forgets it" run/migcost/knob
expect "restore without anything kept" 17 'nothing to restore' restore

system
expect "--dry-run" 0 '500000 -> 123456 \(not done' apply --dry-run
holds "--dry-run writes nothing" $debugfs_knob 500000
gone "--dry-run keeps nothing" run/migcost/knob
put $debugfs_knob 123456
expect "the value is there already" 0 'already' apply
gone "then nothing is kept" run/migcost/knob

for old in 0 4294967295 50000000; do
    system
    put $debugfs_knob $old
    expect "apply over $old" 0 "$old -> 123456" apply
    expect "restore of $old, the system's own choice" 0 "123456 -> $old" restore
    holds "restored: $old" $debugfs_knob $old
done

# One range (I5).
system
while read -r value want; do
    expect "--value=$value" "$want" "ns" apply --value="$value"
    [ "$want" = 0 ] || holds "refused: $value" $debugfs_knob 500000
    put $debugfs_knob 500000
done <<'END'
1000 0
1us 0
10ms 0
10000000 0
999 11
0 11
10000001 11
100ms 11
4294967295 11
4294967296 11
4294968296 11
18446744073709551615 11
END
for value in 10000001 100ms 100000000; do
    expect "--value=$value --force" 0 'above 10000000 ns \(forced\)' apply --value=$value --force
    put $debugfs_knob 500000
done
for value in 0 999 100000001 4294967295 4294967296; do
    expect "--value=$value is refused even by force" 11 'is not from 1000 to 100000000 ns' apply --value=$value --force
    holds "refused by force: $value" $debugfs_knob 500000
done
record decay=20000000
expect "a recorded value above 10 ms" 11 'above 10000000' apply
expect "a recorded value above 10 ms, forced" 0 '500000 -> 20000000' apply --force

# Flags (I7), whatever they say: a hypervisor, a clock that cannot be trusted (B1, B10).
system
record flags=0x9
expect "a flagged result" 9 'flagged: hypervisor, clock-trapped' apply
holds "a flagged result is not applied" $debugfs_knob 500000
expect "--dry-run says so, too" 9 'flagged' apply --dry-run
expect "a flagged result, forced" 0 'hypervisor, clock-trapped \(forced\)' apply --force
holds "a flagged result is applied by force" $debugfs_knob 123456
system
record flags=0x1FFFFFF
expect "all flags at once" 9 'classes-differ' apply
expect "by hand no record is asked" 0 '500000 -> 60000' apply --value=60us
rm $root/$variable
put $debugfs_knob 500000
expect "by hand none is needed" 0 '500000 -> 60000' apply --value=60us
expect "apply without a record" 6 'no EFI variable' apply
$out/craft $out/mine signature=0x806F8 firmware=1.2.3 decay=45000
expect "apply --file" 0 '60000 -> 45000' apply --file=$out/mine

# Where the knob is (I1, I2, I4).
system
rm $root/$debugfs_knob
put $sysctl_knob 400000
expect "before 5.13: the sysctl" 0 '/proc/sys/kernel/sched_migration_cost_ns: 400000 -> 123456' apply
holds "before 5.13: its path is kept" $kept '/proc/sys/kernel/sched_migration_cost_ns 400000'
expect "before 5.13: restore" 0 '123456 -> 400000' restore
put $debugfs_knob 500000
expect "both: debugfs" 0 'debug/sched/migration_cost_ns: 500000' apply
holds "both: the sysctl is left alone" $sysctl_knob 400000
system
rm $root/$debugfs_knob
expect "no knob" 12 'kernel 6.1.0 has no knob.*CONFIG_SCHED_DEBUG' apply
put proc/mounts 'efivarfs /sys/firmware/efi/efivars efivarfs rw 0 0'
expect "debugfs not mounted" 13 'mount -t debugfs' apply
put proc/filesystems '	ext4'
expect "no debugfs at all" 12 'no debugfs' apply
rm -r $root/sys/kernel/debug
put $sysctl_knob 400000
expect "the sysctl needs no debugfs" 0 '400000 -> 123456' apply

# What the knob may answer (I3 has its errno in test_linux_knob).
system
put $debugfs_knob 'many words'
expect "a knob without a number" 1 'holds no number' apply
put $debugfs_knob 4294967296
expect "a knob of more than 32 bits" 1 'holds no number' apply
rm $root/$debugfs_knob
mkdir $root/$debugfs_knob
expect "a directory for a knob" 1 'Is a directory' apply
rmdir $root/$debugfs_knob
mkfifo $root/$debugfs_knob
{ echo 500000 >$root/$debugfs_knob; cat $root/$debugfs_knob >$out/written; echo 400000 >$root/$debugfs_knob; } &
expect "a kernel that keeps another value" 16 '123456 was written, 400000 is read back' apply
wait $!
equal "one number and a newline were written" "$(od -An -c $out/written | tr -s ' ')" ' 1 2 3 4 5 6 \n'
holds "then the old value stays kept" $kept '/sys/kernel/debug/sched/migration_cost_ns 500000'

system
put $kept '/etc/shadow 500000'
expect "restore writes to a knob and nowhere else" 1 'not what .apply. wrote' restore
for text in '' '/sys/kernel/debug/sched/migration_cost_ns' '/sys/kernel/debug/sched/migration_cost_ns 5x' \
    '/sys/kernel/debug/sched/migration_cost_ns 4294967296'; do
    put $kept "$text"
    expect "restore from '$text'" 1 'not what .apply. wrote' restore
done
rm -r $root/run
echo >$root/run
expect "no room to keep the old value" 1 'cannot be kept' apply
holds "then nothing is written" $debugfs_knob 500000

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    system
    chmod 600 $root/$debugfs_knob
    cp $program $out/for_nobody
    allowed=$program
    program="setpriv --reuid=65534 --clear-groups $PWD/$out/for_nobody"
    run_as_nobody() {
        $program --root="$PWD/$root" "$@" >$out/said 2>$out/error
    }
    if $program --version >/dev/null 2>&1; then
        run_as_nobody apply
        equal "not root" "$?" 15
        check "not root: says so" grep -q 'root may' $out/error
        chmod 600 $root/$variable
        run_as_nobody show
        equal "a variable that may not be read" "$?" 8
        chmod 666 $root/$debugfs_knob
        run_as_nobody apply --value=60us
        equal "no right to keep the old value" "$?" 15
        holds "then nothing is written either" $debugfs_knob 500000
    else
        echo "skip not root: this tree is not open to others"
    fi
    program=$allowed
fi
