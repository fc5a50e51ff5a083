# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# `migcost measure` on the CPUs of this machine, however many there are and whatever else they do:
# structure, endings and messages, no figures.

mapfile -t mine < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
    while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done)
one=${mine[0]}
gcc -std=c11 -O1 -Wall -Wextra -Werror -o $out/deny tests/linux/deny.c || exit 1

# Without /proc and /sys of a made-up system: what may be used is what there is.
rm -rf $root
mkdir -p $root
full=0
[ ${#mine[@]} -gt 1 ] || full=23

expect "measure ends, and says under what it ran" $full 'under-os: an operating system' \
    measure --size 64K --budget 10
check "it says what pages its memory has" grep -Eq '^pages +(2 MiB|4 KiB)' $out/said
check "it counts what others disturbed" grep -Eq '^disturbed +[0-9]+ of [0-9]+ touches' $out/said
run --json measure --size=64K --budget=10 --save=$out/measured
equal "JSON, an option before the word: status" "$code" $full
equal "JSON: CPUs" "$(jq '.cpus | length' <<<"$said")" ${#mine[@]}
equal "JSON: flag" "$(jq '[.flags.names[] | select(. == "under-os")] | length' <<<"$said")" 1
equal "JSON: rows of the matrix" "$(jq '.matrix.cost_ns | length' <<<"$said")" ${#mine[@]}
equal "JSON: nothing but JSON on standard output" "$(jq -s length <<<"$said")" 1
expect "show reads what measure saved" 0 'under-os' show --file=$out/measured
expect "apply refuses it" 9 'under-os|operating system' apply --file=$out/measured --dry-run
run measure --quiet --size=64K --budget=10 --save=$out/none/x
equal "--quiet prints nothing but errors" "$said$error" \
    "migcost: --save=$out/none/x: No such file or directory"
equal "a record that cannot be saved is an error" "$code" 1

# Endings.
LC_ALL=C taskset -c "$one" $program --root=$root measure --size=64K >$out/said 2>$out/error
equal "one CPU" "$?" 23
check "one CPU: no pair" grep -q 'one CPU makes no pair' $out/said
mkdir -p $root/sys/devices/system/cpu
put sys/devices/system/cpu/present "0-8191"
put sys/devices/system/cpu/online "$(taskset -cp $$ | sed 's/.*: //')"
offline=25
[ ${#mine[@]} -gt 1 ] || offline=23
expect "CPUs that are offline" $offline 'note: [0-9]+ CPUs are offline' measure --size=64K
put sys/devices/system/cpu/online "0-8191"
outside=24
[ ${#mine[@]} -gt 1 ] || outside=23
expect "CPUs outside of the cpuset" $outside 'outside of what this process may use' \
    measure --size=64K
put sys/devices/system/cpu/online "8191"
expect "no CPU that may be used" 18 'no CPU that is online may be used' measure
rm -r $root/sys
mkdir $root/proc
cpus 4294967293
expect "a CPU of --cpus outside of the cpuset" 19 'APIC id 4294967293 is outside' \
    measure --cpus 4294967293
expect "a CPU of --cpus that does not exist" 19 'no CPU has APIC id 4294967292' \
    measure --cpus 0xfffffffc
rm -r $root/proc
$out/deny $program measure --size=64K >$out/said 2>$out/error
code=$?
if [ $code -eq 77 ]; then
    echo "skip no permission to pin: this kernel has no such filter"
else
    equal "no permission to pin" "$code $(grep -c 'can be pinned to CPU.*not permitted' $out/error)" "18 1"
fi
(ulimit -v 12000 && exec $program measure --size=64M) >$out/said 2>$out/error
equal "too little memory" "$?" 20
check "too little memory: says so" grep -q '^migcost: .*\(memory\|--size\)' $out/error

$program measure --size=256M --pattern=chase --budget=60 >$out/said 2>$out/error &
victim=$!
sleep 0.5
kill -INT $victim
wait $victim
equal "SIGINT ends it" "$?" 21
check "and what is there is shown" grep -q '^flags ' $out/said
before=$SECONDS
$program measure --size=256M --pattern=chase --budget=1 >$out/said 2>$out/error
check "the budget ends it" [ $((SECONDS - before)) -le 20 ]
check "and is named" grep -q 'budget-hit' $out/said

# Wrong words: tests/unit/test_linux_measure.c has them all.
expect "an option of the firmware application" 2 'measure does not take --chain' measure --chain x
expect "a wrong option names the nearest" 2 'did you mean --budget\?' measure --buget 5
expect "an option of measure before another command" 2 'unknown option --budget' --budget=5 show
expect "measure --help" 0 '^usage: migcost show' measure --help
