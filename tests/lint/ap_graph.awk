# SPDX-License-Identifier: BSD-2-Clause
# Follows every call from the entry of the code that runs on other CPUs (A28), and adds up its stack
# along the deepest chain (A25).
# usage: awk -v entry=NAME -v limit=BYTES -f ap_graph.awk STACK MAP DISASSEMBLY
#   STACK: all .su files of gcc, each line with "OBJECT:" before it; MAP: of ld; DISASSEMBLY: of
#   objdump -d. A function is known by its address, since static ones may share a name.

# OBJECT:file.c:line:column:function TAB bytes TAB static|dynamic...
FILENAME == ARGV[1] {
    split($1, part, ":")
    name = part[5]
    sub(/\..*/, "", name)
    key = part[1] " " name
    if (stack[key] < $2) stack[key] = $2
    if ($3 ~ /dynamic/) dynamic[key] = 1
    next
}

# " .text.name" [newline] "address size object": which object a section at an address came from.
FILENAME == ARGV[2] {
    if ($1 ~ /^\.text/ && NF == 4) object[address($2)] = $4
    else if (NF == 3 && $1 ~ /^0x/ && section ~ /^\.text/) object[address($1)] = $3
    section = $1
    next
}

/^[0-9a-f]+ <.*>:$/ { # a function begins
    if (current != "" && !ended) edge(address($1), "falls through")
    current = address($1)
    name = $2
    gsub(/[<>:]/, "", name)
    names[current] = name
    if (name in by_name) by_name[name] = "twice"
    else by_name[name] = current
    # Several assembler labels lie in one section: the first one's object goes for all.
    if (current in object) from = object[current]
    object[current] = from
    ended = 0
    next
}

/^ *[0-9a-f]+:\t/ {
    split($0, column, "\t")
    split(column[3], word, " ")
    operation = word[1]
    target = word[2]
    if (operation == "notrack" || operation == "bnd") {
        operation = word[2]
        target = word[3]
    }
    ended = operation ~ /^(ret|jmp|ud2|hlt)/ || (ended && operation ~ /^(nop|xchg|data16|cs|int3)/)
    if (operation ~ /^push/) pushed[current] += 8
    if (operation ~ /^sub/ && column[3] ~ /,%rsp/) unknown[current] = 1
    if (operation !~ /^(call|j)/) next
    if (target ~ /^\*/) {
        indirect[current] = column[3]
        next
    }
    place = column[3]
    sub(/^[^<]*</, "", place)
    sub(/>.*/, "", place)
    if (place !~ /\+0x/) {
        edge(address(target), operation)
        next
    }
    sub(/\+0x.*/, "", place)
    if (place != names[current]) into[current] = into[current] " " place
}

function address(text) {
    sub(/^0x/, "", text)
    sub(/^0+/, "", text)
    return text
}

function edge(to, operation) {
    # A jump to its own beginning is a loop, a call is recursion.
    if (to != current || operation ~ /^call/) edges[current] = edges[current] " " to
}

function complain(why) {
    print "    " why
    bad = 1
}

# Bytes of stack from here on down, with the return address.
function depth(at, chain,    n, list, i, own, below, deepest, key, parts) {
    if (at in known) return known[at]
    if (at in open) {
        complain("recursion:" chain " " names[at])
        return 0
    }
    open[at] = 1
    chain = chain " " names[at]
    if (at in indirect) complain("indirect call or jump:" chain ": " indirect[at])
    if (object[at] !~ /\/(smp|arch\/x86|lib)\/[^\/]*\.o$/)
        complain("leaves smp, arch and lib:" chain " in " object[at])
    key = names[at]
    sub(/\..*/, "", key)
    key = object[at] " " key
    if (key in dynamic) complain("stack of unknown size:" chain)
    if (key in stack) own = stack[key] + 8
    else if (object[at] ~ /\.asm\.o$/ && !(at in unknown)) own = pushed[at] + 8
    else complain("no stack usage known:" chain)
    n = split(edges[at], list, " ")
    for (i = 1; i <= n; i++) {
        if (!(list[i] in names)) complain("calls what is no function:" chain " " list[i])
        else if ((below = depth(list[i], chain)) > deepest) deepest = below
    }
    n = split(into[at], parts, " ")
    for (i = 1; i <= n; i++) {
        if (by_name[parts[i]] == "twice") complain("jumps into one of two:" chain " " parts[i])
        else if ((below = depth(by_name[parts[i]], chain)) > deepest) deepest = below
    }
    delete open[at]
    reached++
    known[at] = own + deepest
    return known[at]
}

END {
    if (by_name[entry] == "" || by_name[entry] == "twice") {
        print "    no function " entry
        exit 1
    }
    bytes = depth(by_name[entry], "")
    printf "    %d functions from %s, %d bytes of stack\n", reached, entry, bytes
    if (bytes >= limit) complain("that is not below " limit)
    exit bad
}
