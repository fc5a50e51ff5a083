# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# The command line of the command, its help, its manual page, and JSON.

system
record flags=0x41
run show --json
equal "JSON: decay" "$(jq .decay_ns <<<"$said")" 123456
equal "JSON: APIC ids" "$(jq -c .apic_ids <<<"$said")" '[0,1,2,3]'
equal "JSON: one object per class" "$(jq '.classes | length' <<<"$said")" 3
equal "JSON: flags by name" "$(jq -c .flags.names <<<"$said")" '["hypervisor","core-clock-unknown"]'
a=$said
run show --format=json
equal "--json is --format=json" "$said" "$a"
run --json show
equal "options may come first" "$said" "$a"
# The way that docs/record.md shows: nothing but od.
equal "od finds the number" "$(od -An -t u4 -j 24 -N 4 $root/$variable | tr -d ' ')" 123456

for word in "" bogus "show apply" "apply 5" "show --force" "show --value=5000" "apply --json" \
    "restore --file=x" "restore --force" "status --dry-run" "show --format=xml" "apply --value=x" \
    "apply --value=-5" "apply --value" "show --json=1" "show -x" "show --nope" \
    "apply --value=5000 --file=x"; do
    # shellcheck disable=SC2086 # words
    expect "usage: migcost $word" 2 'try migcost --help' $word
done
expect "a wrong option names itself and the nearest" 2 'unknown option --forse; did you mean --force\?' apply --forse
expect "one with a value, too" 2 'unknown option --vaule; did you mean --value\?' apply --vaule=5
expect "a wrong command names the nearest" 2 'unknown command aply; did you mean apply\?' aply
expect "a missing value" 2 '--file: takes a value' show --file
expect "a value that is not taken" 2 '--json=1: takes no value' show --json=1
expect "--help" 0 '^usage: migcost show' --help
expect "--version" 0 "^migcost $(make -s print-VERSION)\$" --version

# The table of exit statuses is one: in --help as in the manual page.
run --help
help=$(sed -n '/^exit status:/,$p' <<<"$said" | tail -n +2 | sed -E 's/^ +//; s/  /\n/')
page=$(sed -n '/^\.SH EXIT STATUS/,/^\.SH FILES/p' docs/man/migcost.8 |
    sed 's/\\-/-/g' | grep -v '^\.')
equal "manual page and --help list the same exit statuses" "$page" "$help"
numbers=$(awk 'NR % 2' <<<"$help")
equal "exit statuses are numbered without gaps" "$numbers" \
    "$(seq 0 "$(tail -n 1 <<<"$numbers")")"
run --help
while read -r option; do
    check "manual page: $option" grep -q -- "${option//-/\\\\-}" docs/man/migcost.8
done < <(grep -oE -- '--[a-z-]+' <<<"$said" | sort -u)
if command -v groff >/dev/null; then
    equal "manual page: no complaint of groff" "$(groff -man -Tutf8 -ww -z docs/man/migcost.8 2>&1)" ""
fi

check "static: works without any library" bash -c "! ldd $program 2>/dev/null | grep -q '=>'"
"$program" show --root=$root >/dev/full 2>$out/error
equal "output that cannot be written is an error" "$?" 1
