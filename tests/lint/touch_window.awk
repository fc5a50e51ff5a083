# SPDX-License-Identifier: BSD-2-Clause
# Shows that nothing but a loop and its fences stands between the two clock reads of each pass of
# the touch kernel, with the markers outside.
# usage: objdump -d touch.asm.o | awk -v passes=9 -f touch_window.awk

/^ *[0-9a-f]+:\t/ {
    split($0, column, "\t")
    if (column[3] == "") next # the bytes of a long instruction go on
    n++
    at = column[1]
    gsub(/[ :]/, "", at)
    line_of[at] = n
    text[n] = column[3]
    sub(/ *[#<].*/, "", text[n])
    sub(/ +$/, "", text[n])
    if (text[n] == "rdtsc") clock[++clocks] = n
}

function complain(where, why) {
    printf "    %s: %s\n", where ? text[where] : "touch kernel", why
    bad = 1
}

# The instruction before or after, alignment left out.
function marker(where, end,    bytes) {
    if (text[where] !~ /^nop[wl] +0x4d43[0-9a-f]+\(%rax,%rax,1\)$/) return 0
    bytes = text[where]
    sub(/.*0x4d43/, "", bytes)
    sub(/\(.*/, "", bytes)
    return substr(bytes, 2, 1) == end
}

function branch(where) {
    return text[where] ~ /^j/
}

function target(where,    words) {
    split(text[where], words, " ")
    return words[2] in line_of ? line_of[words[2]] : 0
}

function check_pass(first, last,    i, begin, end, to) {
    if (text[first - 1] != "lfence" || text[first - 2] != "mfence")
        complain(first - 1, "the first clock read is not fenced")
    if (!marker(first - 3, "0")) complain(first - 3, "no marker before the first clock read")
    if (text[last - 1] != "lfence" || text[last - 2] != "mfence")
        complain(last - 1, "the second clock read is not fenced")
    if (!marker(last + 1, "1")) complain(last + 1, "no marker behind the second clock read")

    # The loop: from the lowest target of a branch to the last branch.
    for (i = first + 1; i < last; i++) {
        if (!branch(i)) continue
        to = target(i)
        if (to <= first || to > last) complain(i, "branches out of the measured part")
        if (to > i) complain(i, "branches forward")
        if (!begin || to < begin) begin = to
        end = i
    }
    if (!begin) {
        complain(first, "no loop behind it")
        return
    }
    for (i = first + 1; i < last; i++) {
        if (text[i] ~ /^(call|ret|int|syscall|rdtsc|cpuid|rdmsr|wrmsr|in |out )/ ||
            text[i] ~ /%rsp|%rip|[%][cdefgs]s:/)
            complain(i, "has no place between the clock reads")
        else if (marker(i, "0") || marker(i, "1"))
            complain(i, "marker between the clock reads")
        else if (i >= begin && i <= end)
            accesses += text[i] ~ /\(/ && text[i] !~ /^lea/
        else if (text[i] !~ /^(mfence|lfence)$/ && text[i] !~ /^mov +%[a-z0-9]+,%[a-z0-9]+$/)
            complain(i, "stands outside the loop")
    }
    if (!accesses) complain(begin, "a loop that touches no memory")
    accesses = 0
}

END {
    if (clocks != 2 * passes) complain(0, clocks " clock reads, not two for each of " passes)
    for (p = 1; p < clocks; p += 2) check_pass(clock[p], clock[p + 1])
    exit bad
}
