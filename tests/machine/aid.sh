# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the scripts share that hold the engine against the machine model. Source it behind tests/lib.sh
# with $out set: the folder for their files, which they must not share with a suite that runs by itself.
: "${out:?}"
make --no-print-directory sim >/dev/null || exit 1
sim=build/host/migcost-sim
machines=tests/machine/machines
mkdir -p "$out"

# agrees FILE [OPTION...]: the closed form and the model, line by line.
agrees() {
    local file=$1
    shift
    awk -f tests/machine/truth.awk "$file" >"$out/truth.txt" || return 1
    $sim --compare-with="$out/truth.txt" "$@" "$file"
}

# robust OPTION... FILE: the engine within 3 percent.
robust() {
    $sim --tolerance 3 "$@" >"$out/robust.txt" && return
    sed 's/^/    /' "$out/robust.txt"
    return 1
}

# altered NAME SED: another machine, in $out/altered.machine.
altered() {
    sed -E "$2" "$machines/$1.machine" >"$out/altered.machine"
    ! cmp -s "$out/altered.machine" "$machines/$1.machine"
}
