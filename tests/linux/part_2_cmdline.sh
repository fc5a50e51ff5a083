# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# The kernel command line as a source, and what is made for one (D13, E8).

system
rm -r $root/sys/firmware
words='migcost.cache_decay_ns=64000 migcost.level_ns=0:0,3:20000,7:64000'
put proc/cmdline "quiet $words"
expect "the command line needs no EFI" 0 'source: kernel command line' show
expect "its number" 0 'decay: 64000 ns \(64.0 us\)' show
expect "its levels" 0 'LLC: 20000 ns' show
run show --json
equal "its JSON" "$(jq -c . <<<"$said")" \
    '{"source":"kernel command line","decay_ns":64000,"levels":[{"level":"core","decay_ns":0},{"level":"LLC","decay_ns":20000},{"level":"system","decay_ns":64000}]}'
run show --format=cmdline
equal "its parameters are those it has" "$(grep ^migcost <<<"$said")" "$words"

put proc/cmdline 'migcost.cache_decay_ns=64000'
run show --json
equal "a number without levels" "$(jq -c . <<<"$said")" \
    '{"source":"kernel command line","decay_ns":64000,"levels":[]}'
put proc/cmdline 'migcost.cache_decay_ns=1 migcost.cache_decay_ns="70000"'
expect "the last of two counts, and quotes are taken off" 0 'decay: 70000' show
put proc/cmdline 'a="b migcost.cache_decay_ns=5000" migcost.cache_decay_ns=70000'
expect "a parameter inside quotes is none" 0 'decay: 70000' show
put proc/cmdline 'quiet -- migcost.cache_decay_ns=70000'
expect "what is behind -- is init's" 3 'not started by EFI' show

while read -r bad; do
    put proc/cmdline "quiet migcost.cache_decay_ns=$bad"
    expect "refused: cache_decay_ns=$bad" 7 'no number from 1000 to 100000000' show
done <<'END'

0
999
100000001
4294967295
4294967297
18446744073709551617
-5000
5000x
0x5000
5e3
END
while read -r bad; do
    put proc/cmdline "migcost.cache_decay_ns=64000 migcost.level_ns=$bad"
    expect "refused: level_ns=$bad" 7 'no list of LEVEL:NS' show
done <<'END'

7
7:
:5000
7:5000,
8:5000
7:999
7:5000,7:5000
7:5000,3:5000
7:5000;3:5000
0x7:5000
7:0x5000
-1:5000
0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0
END
put proc/cmdline 'migcost.cache_decay_ns'
expect "refused: a parameter without a value" 7 'no number' show

system
put proc/cmdline 'migcost.cache_decay_ns=64000'
expect "the command line goes before the variable" 0 'decay: 64000' show
expect "another number in the variable is said" 0 'note: the EFI variable holds another result \(123456 ns\)' show
put proc/cmdline 'migcost.cache_decay_ns=123456'
expect "the same number brings its record with it" 0 'flags' show
record flags=1
expect "and its flags" 9 'hypervisor' apply

# Parameters for old kernels: one value for each scheduling domain, innermost first.
system
run show --format=cmdline
equal "migration_cost= in microseconds by domain" "$(grep ^migration <<<"$said")" migration_cost=0,40,123
equal "migcost. parameters" "$(grep ^migcost <<<"$said")" \
    'migcost.cache_decay_ns=123456 migcost.level_ns=0:0,3:40000,7:123456'
equal "all other lines are comments" "$(grep -Evc '^(migration_cost=|migcost\.)' <<<"$said")" \
    "$(grep -c '^# ' <<<"$said")"
$out/craft $root/$variable attributes=7 class=1:10:8000 class=3:10:20000 class=5:10:30000 \
    class=6:20:70000 class=7:21:90000
run show --format=cmdline
equal "levels that are one domain there take the larger value" "$(grep ^migration <<<"$said")" \
    migration_cost=20,30,90
$out/craft $root/$variable attributes=7
run show --format=cmdline
equal "no class: the one number" "$(grep ^migration <<<"$said")" migration_cost=123
