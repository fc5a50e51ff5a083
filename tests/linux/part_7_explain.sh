# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# `migcost explain`: costs of a working set, out of a record of 256 KiB at each level.

system
$out/craft $root/$variable attributes=7 class=0:10:0 marks=1 class=3:10:40000 range=8000:200000 evict=1048576:76500 \
    class=7:21:200000 marks=0x20
expect "explain scales to the size" 0 'LLC +10\.0 us \+- 200 ns, linear 4\.00 us to chase 100 us' \
    explain --wss=128K
check "it names what cannot be told from zero" grep -Eq '^core +cannot be told from zero$' $out/said
check "no range where none was measured" grep -Eq '^system d21 +50\.0 us \+- 1\.00 us$' $out/said
expect "explain at the working set" 0 'LLC +20\.0 us' explain --wss=262144
check "is not beyond it" bash -c "! grep -q eyond $out/said"
expect "explain beyond the working set says so" 0 'LLC +20\.0 us.*; beyond 256 KiB: that is the cost there' \
    explain --wss=1M
check "and where it may be more" grep -q 'system d21 .*may be more' $out/said

expect "explain says when nothing is left to lose" 0 'LLC .*; nothing to lose after 1 MiB of other data \(76\.5 us\)$' \
    explain --wss=128K
check "and nothing where that is not known" grep -Eq '^system d21 +50\.0 us \+- 1\.00 us$' $out/said
expect "show says it too" 0 '^evicted by +LLC: 1 MiB of other data, which take one CPU 76\.5 us' show

run explain --wss=128K --json
equal "explain: JSON" "$(jq -c '.wss_bytes, (.levels[1] | .level, .cost_ns, .linear_ns, .chase_ns, .beyond)' <<<"$said" | tr '\n' ' ')" \
    '131072 "LLC" 10000 4000 100000 false '
equal "explain: JSON of what evicts" "$(jq -c '[.levels[1, 2] | .evict_bytes, .evict_ns]' <<<"$said")" '[1048576,76500,null,null]'
equal "explain: JSON without a range" "$(jq -c '.levels[2] | has("linear_ns")' <<<"$said")" false
equal "explain: JSON zero" "$(jq -c '.levels[0].zero' <<<"$said")" true

for word in "explain" "explain --wss" "explain --wss=0" "explain --wss=x" "explain --wss=-5" \
    "explain --wss=99999999999999999999" "explain --wss=1K --force" "show --wss=1K"; do
    # shellcheck disable=SC2086 # words
    expect "usage: migcost $word" 2 'try migcost --help' $word
done
expect "explain --wss of 64 bits" 0 beyond explain --wss=18446744073709551615
$out/craft $root/$variable attributes=7
expect "a record without costs" 26 'holds no costs by level' explain --wss=1K
rm $root/$variable
put proc/cmdline 'migcost.cache_decay_ns=64000'
expect "a number from the command line alone" 26 'holds no costs by level' explain --wss=1K
put proc/cmdline quiet
expect "no record" 6 'no EFI variable' explain --wss=1K
