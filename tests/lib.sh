# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the test scripts share: source this first. It goes to the root of the tree.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
export LC_ALL=C
# shellcheck disable=SC2034 # for the script that sources this: exit $status
status=0

ok() {
    echo "ok $*"
}

not_ok() {
    echo "not ok $*"
    # shellcheck disable=SC2034
    status=1
}

# check NAME COMMAND...: one test, passed if the command succeeds.
check() {
    local name=$1
    shift
    if "$@"; then ok "$name"; else not_ok "$name"; fi
}

# refuse NAME PATTERN COMMAND...: one test, passed if the command fails and says something that
# matches: how a check shows that it can fail. What is said is indented, so that it is not taken for
# a result.
refuse() {
    local name=$1 pattern=$2 said
    shift 2
    if said=$("$@" 2>&1); then
        not_ok "$name"
    elif grep -Eq "$pattern" <<<"$said"; then
        ok "$name"
        return
    else
        not_ok "$name: failed, but for another reason"
    fi
    head -n 20 <<<"$said" | sed 's/^/    /'
}
