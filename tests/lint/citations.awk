# SPDX-License-Identifier: BSD-2-Clause
# Finds the field notes that files cite: one, or a range with "to". In C only comments and strings
# count, where such a word is no name of the code. Prints note and file.
function flush(    text, from, to, before, after, last) {
    text = all " "
    last = " "
    while (match(text, /[A-I][0-9]+( to [A-I][0-9]+)?/)) {
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : last
        after = substr(text, RSTART + RLENGTH, 1)
        from = substr(text, RSTART, RLENGTH)
        last = substr(from, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (before after ~ /[A-Za-z0-9_]/) continue
        to = from
        sub(/ to .*/, "", from)
        sub(/.* to /, "", to)
        if (substr(from, 1, 1) != substr(to, 1, 1)) {
            print to "\t" file
            to = from
        }
        for (i = substr(from, 2) + 0; i <= substr(to, 2) + 0; i++)
            print substr(from, 1, 1) i "\t" file
    }
    all = ""
}

# What of a line of C is comment or string; "state" is what its end leaves open.
function words(line,    said, at) {
    said = ""
    while (line != "") {
        if (state == "comment") {
            at = index(line, "*/")
            if (at == 0) return said " " line
            said = said " " substr(line, 1, at - 1)
            line = substr(line, at + 2)
            state = ""
        } else if (match(line, /\/\*|\/\/|"/)) {
            at = substr(line, RSTART, RLENGTH)
            line = substr(line, RSTART + RLENGTH)
            if (at == "//") return said " " line
            if (at == "/*") {
                state = "comment"
                continue
            }
            match(line, /^([^"\\]|\\.)*/)
            said = said " " substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 2)
        } else {
            return said
        }
    }
    return said
}

FNR == 1 {
    flush()
    file = FILENAME
    is_c = file ~ /\.[ch]$/
    state = ""
}
{
    line = is_c ? words($0) : $0
    sub(/^[ \t]*[*;#]*[ \t]*/, "", line)
    all = all " " line
}
END { flush() }
