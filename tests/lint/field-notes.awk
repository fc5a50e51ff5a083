# SPDX-License-Identifier: BSD-2-Clause
# Reads what citations.awk prints, then docs/field-notes.md, and prints the document with the
# columns "where" and "test" of every note made anew. Files that only help a test (headers, hooks,
# the firmware of the host, awk) are no test and are not listed.
function add(list, file) {
    return list == "" ? file : list ", " file
}

# The header of a file and the file itself become one entry.
function compact(list,    n, i, parts, stem, last, result) {
    n = split(list, parts, ", ")
    result = last = ""
    for (i = 1; i <= n; i++) {
        stem = parts[i]
        sub(/\.[ch]$/, "", stem)
        if (last != "" && stem == last && parts[i] == stem ".h") {
            sub(/\.c$/, ".[ch]", result)
            continue
        }
        result = add(result, parts[i])
        last = parts[i] ~ /\.c$/ ? stem : ""
    }
    return result == "" ? "-" : result
}

FNR == NR {
    split($0, pair, "\t")
    note = pair[1]
    file = pair[2]
    if (file !~ /^tests\//)
        where[note] = add(where[note], file)
    else if (file !~ /\.(h|awk)$|\/(hooks|firmware)\//) {
        sub(/^tests\//, "", file)
        test[note] = add(test[note], file)
    }
    next
}
/^\| [A-I][0-9]+ \|/ {
    split($0, cell, /[ ]*\|[ ]*/)
    note = cell[2]
    print "| " note " | " cell[3] " | " cell[4] " | " compact(where[note]) \
        " | " compact(test[note]) " |"
    next
}
{ print }
