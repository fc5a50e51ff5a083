# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# `migcost status` and `migcost check`: what else decides over the knob, and whether a result is of this
# machine; and the copy of the variable in /run.

says() { # says NAME ERE: what the last command said has such a line
    check "$1" grep -Eq -- "$2" <<<"$said"
}
silent() { # silent NAME ERE: no such line
    check "$1" bash -c '! grep -Eq -- "$1" <<<"$2"' - "$2" "$said"
}

system
run status
equal "status: ends well" "$code" 0
silent "status: nobody else was found" '^others: '
silent "status: nothing makes it matter less" '^matters: '
silent "status: nothing is counted" '^used: '

# Who sets the knob too (I6).
mkdir -p $root/etc/tuned $root/usr/lib/tuned/postgresql
put etc/tuned/active_profile postgresql
put usr/lib/tuned/postgresql/tuned.conf '[scheduler]
sched_migration_cost_ns=50000000'
expect "status: tuned's profile" 0 '^others:  tuned, profile postgresql sets' status
put usr/lib/tuned/postgresql/tuned.conf '[scheduler]
# sched_migration_cost_ns=50000000'
run status
silent "status: a comment sets nothing" '^others: '
put etc/tuned/active_profile '../../../etc'
run status
silent "status: a profile is a name, not a path" '^others: '
put etc/sysctl.d/90-db.conf 'kernel.sched_migration_cost_ns = 5000000'
expect "status: a file of sysctl" 0 '^others:  /etc/sysctl.d/90-db.conf sets' status
rm -r $root/etc/sysctl.d
put etc/tmpfiles.d/x.conf 'w /sys/kernel/debug/sched/migration_cost_ns - - - - 250000'
expect "status: a file of tmpfiles" 0 '^others:  /etc/tmpfiles.d/x.conf sets' status
rm -r "${root:?}/etc"

# What makes it matter less.
cache() { # cache CPU LEVEL SHARED
    put "sys/devices/system/cpu/cpu$1/cache/index$2/level" "$2"
    put "sys/devices/system/cpu/cpu$1/cache/index$2/shared_cpu_list" "$3"
}
put sys/devices/system/cpu/online 0-3
for cpu in 0 1 2 3; do
    cache $cpu 2 $cpu
    cache $cpu 3 0-3
done
expect "status: one last-level cache" 0 '^matters: little, all CPUs share one' status
for cpu in 0 1; do cache $cpu 3 0-1; done
for cpu in 2 3; do cache $cpu 3 2-3; done
run status
silent "status: two of them" '^matters: little'
put proc/sys/kernel/numa_balancing 1
expect "status: NUMA balancing" 0 '^matters: less, NUMA balancing' status
put proc/sys/kernel/numa_balancing 0
mkdir -p $root/sys/kernel/debug/sched/llc_balancing
expect "status: cache-aware balancing" 0 '^matters: less, cache-aware' status
put sys/kernel/debug/sched/llc_balancing/enabled 0
run status
silent "status: switched off" '^matters: less'
put sys/kernel/sched_ext/state enabled
expect "status: sched_ext" 0 '^matters: not at all .* sched_ext' status
put sys/kernel/sched_ext/state disabled

# Whether it is consulted at all.
stat15='version 15
timestamp 1
cpu0 0 0 0 0 0 0 0 0 0
domain0 3 1 2 3 4 50 6 7 8 1 2 3 4 500 60 7 8 1 2 3 4 5 600 7 8 0 0 0 0 0 0 0 0 0 0 0 0'
stat17='version 17
timestamp 1
cpu0 0 0 0 0 0 0 0 0 0
domain0 MC 3 1 2 3 4 5 6 7 10 20 8 9 1 2 3 4 5 6 7 10 20 8 9 1 2 3 4 5 6 7 10 20 8 9 0 0 0'
put proc/schedstat "$stat15"
expect "status: schedstats are off" 0 '^used:    not counted' status
put proc/sys/kernel/sched_schedstats 1
expect "status: version 15 of schedstat" 0 '^used:    555 tasks .*, 666 of them although hot' status
put proc/schedstat "$stat17"
expect "status: version 17" 0 '^used:    30 tasks .*, 60 of them although hot' status
for wrong in 'version 99' 'version' '' 'domain0' $'version 15\ndomain0 3 1 2' $'version 15\ndomain0 3 x 2 3 4 5 6 7 8'; do
    put proc/schedstat "$wrong"
    run status
    silent "status: schedstat that is not understood is not counted (${wrong%%$'\n'*})" '^used: '
done

put proc/schedstat "$stat15"
run status --json
equal "status: JSON" "$(jq -c '[.wanted_ns, .same_machine, .now_ns, .last_level_caches, .pulled, .pulled_hot, .sched_ext]' <<<"$said")" \
    '[123456,true,500000,2,555,666,false]'
rm $root/$debugfs_knob
run status --json
equal "status: without a knob it says so and why" "$code $(jq -r '.no_knob' <<<"$said" | grep -c 'no knob')" "12 1"

# check
system
expect "check: a sound record of this machine" 0 '^machine: no difference' check
record flags=1
expect "check: a flagged one" 9 '^flags:   hypervisor' check
cpus 0 1 7
expect "check: another machine comes first" 10 '^machine: the CPU with APIC id 7' check
run check --json
equal "check: JSON" "$(jq -c '[.same_machine, (.difference | length > 0), .flags.names]' <<<"$said")" '[false,true,["hypervisor"]]'
expect "check: another machine is not measured again" 10 'another machine' check --remeasure
rm $root/$variable
expect "check: no record" 6 'no EFI variable' check
put proc/cmdline 'migcost.cache_decay_ns=64000'
expect "check: a number alone" 26 'nothing to check' check
expect "check takes no --force" 2 'does not take' check --force

# Newer microcode and a sibling that is off are notes (D16).
system
record microcode=0x20
sed -i 's/^flags/microcode\t: 0x2b000461\n&/' $root/proc/cpuinfo
expect "check: newer microcode is a note" 0 'note: measured under microcode 0x20, running 0x2b000461' check
expect "apply: and no reason to refuse" 0 ' -> ' apply
cpus 0 2
expect "check: SMT off is a note" 0 "note: 2 of the record's 4 CPUs are online" check

# The copy of the variable (D11): one read of the firmware a boot.
system
touch -d '1 hour ago' $root/$variable
run show
check "variable: a copy is kept" cmp $root/$variable $root/run/migcost/variable
first=$said
stamp=$(stat -c %Y $root/$variable)
printf 'something else' >$root/$variable
touch -d "@$stamp" $root/$variable
run show
equal "variable: the copy serves while the variable is no newer" "$said" "$first"
sleep 0.02
printf 'something else' >$root/$variable
expect "variable: a newer one counts" 7 'holds ' show
record
run show
equal "variable: and is kept in its turn" "$code $(cmp $root/$variable $root/run/migcost/variable && echo same)" "0 same"
rm $root/run/migcost/variable
ln -s /etc/passwd $root/run/migcost/variable
expect "variable: a link is no copy" 0 '^decay ' show
rm -r "${root:?}/run"
: >$root/run
expect "variable: without /run it is read all the same" 0 '^decay ' show

# Measured again, on the CPUs of this machine: structure and endings, no figures.
rm -rf $root
mkdir -p $root
run measure --quiet --size=64K --budget=10 --save=$out/measured
expect "check --remeasure: a flagged record is still compared" 9 '^(core|L2|module|LLC|die|package|node|system).*: (firmware|not to be compared)|^flags: ' \
    check --remeasure --file=$out/measured
run check --remeasure --json --file=$out/measured
equal "check --remeasure: JSON has a level for each of the record's" \
    "$(jq '.levels | length' <<<"$said")" "$($program show --json --file=$out/measured | jq '.classes // .levels | length')"
