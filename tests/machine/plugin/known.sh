# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# A machine whose costs are known, as arguments for QEMU and for the application. To be sourced, in
# the root of the tree.

KNOWN=build/host/known_machine

# known_plugin: puts into KNOWN_PLUGIN the plugin that this QEMU takes, the newest first; else says
# why there is none.
known_plugin() {
    local object said=""
    for object in build/plugin/plugin-{4,3,2,1}.so; do
        if said=$(qemu-system-x86_64 -machine none -display none -plugin "$object,probe=on" \
            2>&1 </dev/null); then
            KNOWN_PLUGIN=$object
            return
        fi
    done
    case $said in
    *"requires API version"*) said="its plugin interface is none of 1 to 4: $said" ;;
    *"invalid option"* | *"not supported"* | *"without TCG plugin"*) said="it was built without them" ;;
    *"not found"*) said="there is no qemu-system-x86_64" ;;
    esac
    echo "known-machine: QEMU takes no plugin, so that it can show no known machine: $said" >&2
    return 1
}

# known_plan FILE TRACE: fills KNOWN_QEMU and KNOWN_OPTIONS (arrays), KNOWN_CPUS and KNOWN_ABOUT. The
# plugin's account of the run will be in TRACE. SLOWDOWN and PATIENCE in the environment: see known_machine.
# shellcheck disable=SC2034 # used by those who source this
known_plan() {
    local plan kind rest words slowdown near far
    KNOWN_QEMU=() KNOWN_OPTIONS=() KNOWN_ABOUT=""
    case "$1$2" in *,*)
        echo "known-machine: QEMU splits names of files at commas: $1, $2" >&2
        return 2
        ;;
    esac
    plan=$($KNOWN plan "$1" "${SLOWDOWN:-0}" "${PATIENCE:-100}") || return
    while read -r kind rest; do
        read -ra words <<<"$rest"
        case $kind in
        scale) slowdown=${words[0]} near=${words[1]} far=${words[2]} ;;
        cpus) KNOWN_CPUS=${words[0]} ;;
        about) KNOWN_ABOUT+="$rest"$'\n' ;;
        qemu) KNOWN_QEMU+=("${words[@]}") ;;
        option) KNOWN_OPTIONS+=("${words[@]}") ;;
        esac
    done <<<"$plan"
    KNOWN_QEMU+=(-plugin "$KNOWN_PLUGIN,machine=$1,trace=$2,slowdown=$slowdown,near=$near,far=$far")
}

# known_check FILE TRACE REPORT TOLERANCE: compares with the truth what the application wrote into
# REPORT, report.json. Exit statuses are those of known_machine.
known_check() {
    jq -r -f tests/machine/plugin/flatten.jq "$3" >"$3.flat" || return 4
    $KNOWN check "$1" "$2" "$3.flat" "$4"
}
