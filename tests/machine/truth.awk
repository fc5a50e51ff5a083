#!/usr/bin/awk -f
# SPDX-License-Identifier: BSD-2-Clause
# The true costs of a described machine in closed form: what README.md says, and no simulation.
# usage: awk -f truth.awk FILE.machine
# Knows nothing of the model or of lib/: it has its own reader of machine files (good ones; wrong
# ones are migcost-sim's business) and its own arithmetic. Prints, for each ordered pair of CPUs and
# working sets that fit the caches which the two do not share,
#     s d bytes pattern stay_ns move_ns
# with stay = T(d after d) and move = T(d after s), and for the decay of a footprint
#     s d footprint evict least most
# with the bytes of other data between which the footprint is gone from the caches that d does not
# share with s; to be held against the model:
#     awk -f truth.awk FILE | migcost-sim --compare-with=- FILE
# Where no closed form is known (scattered pages beyond what lies anywhere, replacement other than LRU
# beyond a capacity, costs of evictions between caches where there are any, caches that other work takes lines of) it prints
# nothing; so a machine may give few lines.

function trim(text) {
    sub(/^[ \t\r]+/, "", text)
    sub(/[ \t\r]+$/, "", text)
    return text
}

function die(text) {
    print "truth.awk: " FILENAME ": line " FNR ": " text >"/dev/stderr"
    failed = 1
    exit 1
}

# "97 ns", "0.1us" -> ns
function time_ns(text) {
    if (text ~ /ns$/) return text + 0
    if (text ~ /us$/) return text * 1000
    if (text ~ /ps$/) return text / 1000
    die("time " text)
}

function size_bytes(text) {
    if (text ~ /K(iB)?$/) return text * 1024
    if (text ~ /M(iB)?$/) return text * 1048576
    if (text ~ /G(iB)?$/) return text * 1073741824
    if (text ~ /B$/) return text + 0
    die("size " text)
}

# A set of CPUs into in_set[].
function read_set(text,    parts, count, i, ends, cpu) {
    for (cpu = 0; cpu < cpus; cpu++)
        in_set[cpu] = 0
    gsub(/,/, " ", text)
    count = split(trim(text), parts, /[ \t]+/)
    for (i = 1; i <= count; i++) {
        if (parts[i] == "all") {
            for (cpu = 0; cpu < cpus; cpu++)
                in_set[cpu] = 1
            continue
        }
        if (split(parts[i], ends, "-") == 1)
            ends[2] = ends[1]
        for (cpu = ends[1] + 0; cpu <= ends[2] + 0; cpu++)
            in_set[cpu] = 1
    }
}

# Groups into group[cpu]; "" for CPUs in none.
function read_groups(text,    parts, count, i, cpu, each) {
    for (cpu = 0; cpu < cpus; cpu++)
        group[cpu] = ""
    if (text ~ /^each/) {
        each = substr(text, 5) + 0
        if (!each) each = 1
        for (cpu = 0; cpu < cpus; cpu++)
            group[cpu] = int(cpu / each)
        return
    }
    count = split(text, parts, ";")
    for (i = 1; i <= count; i++) {
        read_set(parts[i])
        for (cpu = 0; cpu < cpus; cpu++)
            if (in_set[cpu])
                group[cpu] = i - 1
    }
}

# What a line costs that `from` holds and `to` fetches, unless an earlier section said so.
function set_pair(from, to) {
    if (from != to && !((from, to) in transfer))
        transfer[from, to] = "section " distances
}

function bits_of(mask,    count, i, digit) {
    mask = tolower(mask)
    if (mask ~ /^0x/) {
        for (i = 3; i <= length(mask); i++) {
            digit = index("0123456789abcdef", substr(mask, i, 1)) - 1
            count += int(digit / 8) % 2 + int(digit / 4) % 2 + int(digit / 2) % 2 + digit % 2
        }
        return count
    }
    for (mask += 0; mask > 0; mask = int(mask / 2))
        count += mask % 2
    return count
}

function set_default_overlap(kind) {
    over[kind, "linear"] = over[kind, "scatter"] = over[kind, "chase"] = 1
}

BEGIN {
    set_default_overlap(0)
    kinds = 0
    kind_speed[0] = 100
    stream = adjacent = 100
    after = 3
    revisit["linear"] = revisit["scatter"] = revisit["chase"] = 100
}

{ sub(/#.*/, ""); $0 = trim($0) }
$0 == "" { next }

/^\[/ {
    heading = trim(substr($0, 2, length($0) - 2))
    section = heading
    sub(/[ \t].*/, "", section)
    name = trim(substr(heading, length(section) + 1))
    if (section == "kind") {
        kinds++
        for (p in revisit)
            over[kinds, p] = over[0, p]
        kind_speed[kinds] = 100
    } else if (section == "cache") {
        caches++
    } else if (section == "distance") {
        distances++
    } else if (section == "cpu") {
        read_set(name)
        for (cpu = 0; cpu < cpus; cpu++)
            chosen[cpu] = in_set[cpu]
    }
    next
}

{
    at = index($0, "=")
    key = trim(substr($0, 1, at - 1))
    value = trim(substr($0, at + 1))
}

section == "" && key == "line" { line = value + 0 }
section == "" && key == "cpus" {
    cpus = value + 0
    for (cpu = 0; cpu < cpus; cpu++) {
        kind_of[cpu] = 0
        speed[cpu] = 100
    }
}

section == "overlap" { over[0, key] = value + 0 }
section == "kind" && key ~ /^overlap\./ { over[kinds, substr(key, 9)] = value + 0 }
section == "kind" && key == "speed" { kind_speed[kinds] = value + 0 }
section == "kind" && key == "cpus" {
    read_set(value)
    for (cpu = 0; cpu < cpus; cpu++)
        if (in_set[cpu])
            kind_of[cpu] = kinds
}
section == "cpu" {
    for (cpu = 0; cpu < cpus; cpu++) {
        if (chosen[cpu] && key == "speed")
            speed[cpu] = value + 0
        if (chosen[cpu] && key == "way-mask")
            cpu_ways[cpu] = bits_of(value)
    }
}

section == "cache" && key == "level" { level[caches] = value + 0 }
section == "cache" && key == "size" { size[caches] = size_bytes(value) }
section == "cache" && key == "ways" { ways[caches] = value + 0 }
section == "cache" && key == "way-mask" { usable[caches] = bits_of(value) }
section == "cache" && key == "hit" { hit[caches] = time_ns(value) }
section == "cache" && key == "relation" { adds[caches] = value == "exclusive" || value == "victim" }
section == "cache" && key == "relation" { loose[caches] = value != "inclusive" }
section == "cache" && key == "replacement" { policy[caches] = value }
section == "cache" && key == "evict" { evicts = 1 }
section == "cache" && key == "filter-size" { filter[caches] = size_bytes(value) }
section == "cache" && key == "groups" {
    read_groups(value)
    for (cpu = 0; cpu < cpus; cpu++)
        instance[caches, cpu] = group[cpu]
}

section == "distance" && key == "transfer" { cost_of[distances] = time_ns(value) }
section == "distance" && key == "groups" {
    read_groups(value)
    for (a = 0; a < cpus; a++)
        for (b = 0; b < cpus; b++)
            if (group[a] != "" && group[a] == group[b])
                set_pair(a, b)
}
section == "distance" && key == "between" {
    count = split(value, pairs, ";")
    for (i = 1; i <= count; i++) {
        both = pairs[i] ~ /\|/
        split(pairs[i], ends, both ? "|" : ">")
        read_set(ends[1])
        for (a = 0; a < cpus; a++)
            from[a] = in_set[a]
        read_set(ends[2])
        for (a = 0; a < cpus; a++) {
            for (b = 0; b < cpus; b++) {
                if (from[a] && in_set[b]) {
                    set_pair(a, b)
                    if (both)
                        set_pair(b, a)
                }
            }
        }
    }
}

section == "memory" && key == "pages" && value != "contiguous" { page = size_bytes(value) }
section == "others" && key == "evict" { others = value + 0 > 0 }
section == "prefetch" && key == "stream" { stream = value + 0 }
section == "prefetch" && key == "stream-after" { after = value + 0 }
section == "prefetch" && key == "adjacent" { adjacent = value + 0 }
section == "prefetch" && key ~ /^revisit\./ { revisit[substr(key, 9)] = value + 0 }

# The k-th cache of a CPU's path, from 1; 0 behind the last.
function cache_at(cpu, k,    wanted, i) {
    for (wanted = 1; wanted <= 3; wanted++)
        for (i = 1; i <= caches; i++)
            if (level[i] == wanted && instance[i, cpu] != "" && --k == 0)
                return i
    return 0
}

function capacity(cpu, k,    cache, part) {
    cache = cache_at(cpu, k)
    part = cache in usable ? usable[cache] : ways[cache]
    if (!cache_at(cpu, k + 1) && cpu in cpu_ways && cpu_ways[cpu] < part)
        part = cpu_ways[cpu]
    return size[cache] / ways[cache] * part
}

# Caches that d has to itself as far as s is concerned.
function private_depth(s, d,    k, cache) {
    for (k = 1; (cache = cache_at(d, k)); k++)
        if (instance[cache, s] == instance[cache, d])
            break
    return k - 1
}

# Whether the touch kernel has this number of lines: less than 32, or 16..31 times a power of two.
function is_working_set(lines) {
    if (lines != int(lines) || lines < 1)
        return 0
    while (lines >= 32) {
        if (lines % 2)
            return 0
        lines /= 2
    }
    return 1
}

function larger(a, b) {
    return a > b ? a : b
}

# `lines` misses of that latency by CPU d, in nanoseconds at full speed: overlapped, the prefetchers'
# part off, and never less than a hit in the nearest cache. In linear order the first `after` lines
# find no stream; the second of them is the adjacent line of the first.
function misses(d, lines, latency, pattern, again,    least, each, early, second) {
    least = hit[cache_at(d, 1)]
    each = latency * again / 100 / (pattern == "chase" ? 1 : over[kind_of[d], pattern])
    if (pattern != "linear")
        return lines * larger(least, each)
    early = lines < after ? lines : after
    second = early > 1 ? 1 : 0
    return (early - second) * larger(least, each) + second * larger(least, each * adjacent / 100) + \
           (lines - early) * larger(least, each * stream / 100)
}

function at_speed(d, ns) {
    return ns * 100 / kind_speed[kind_of[d]] * 100 / speed[d]
}

# Staying in the k-th cache.
function stay_ns(d, lines, k, pattern) {
    if (k == 1)
        return at_speed(d, lines * hit[cache_at(d, 1)])
    return at_speed(d, misses(d, lines, hit[cache_at(d, k)], pattern, 100))
}

# Wherever pages lie, a cache holds as many as it has ways, since none of them has two lines in one set.
function fits_in_pages(cpu, bytes,    cache) {
    cache = cache_at(cpu, 1)
    return page <= size[cache] / ways[cache] && bytes <= page * capacity(cpu, 1) * ways[cache] / size[cache]
}

# Other work takes lines of the last cache, and of nearer ones only where that is inclusive.
function left_alone(cpu, k,    last) {
    for (last = k; cache_at(cpu, last + 1);)
        last++
    return last > k && loose[cache_at(cpu, last)]
}

# A working set that fits the k-th cache of both and overflows all nearer ones. What replacement
# other than LRU keeps of an overflowing cache has no closed form.
function fits(s, d, k, bytes,    cpu, i, j) {
    for (i = 0; i < 2; i++) {
        cpu = i ? s : d
        if (bytes > capacity(cpu, k) || (page && (k > 1 || !fits_in_pages(cpu, bytes))) || \
            (others && !left_alone(cpu, k)) || (evicts && k > 1))
            return 0
        for (j = 1; j < k; j++)
            if (bytes < 2 * capacity(cpu, j) ||
                (cache_at(cpu, j) in policy && policy[cache_at(cpu, j)] != "lru"))
                return 0
        for (j = 1; cache_at(cpu, j); j++)
            if (cache_at(cpu, j) in filter && bytes > filter[cache_at(cpu, j)])
                return 0
    }
    return 1
}

function put(s, d, bytes, k, fetch,    pattern, lines, move) {
    lines = bytes / line
    if (!is_working_set(lines))
        return
    for (pattern in revisit) {
        # Runs of lines end with their pages.
        if (page && pattern == "linear" && (stream != 100 || adjacent != 100))
            continue
        if (fetch)
            move = at_speed(d, misses(d, lines, fetch, pattern, revisit[pattern]))
        else
            move = stay_ns(d, lines, k, pattern)
        printf "%d %d %d %s %.3f %.3f\n", s, d, bytes, pattern, stay_ns(d, lines, k, pattern), move
    }
}

# As many pages as the nearest cache has ways.
function put_pages(s, d, fetch,    bytes) {
    bytes = page * (capacity(d, 1) * ways[cache_at(d, 1)] / size[cache_at(d, 1)])
    if (fits(s, d, 1, bytes))
        put(s, d, bytes, 1, fetch)
}

# A footprint of a quarter of the last of those caches, LRU: it stays while that and the other data fit
# together, in the sum of all whose outer one holds what the inner evicts. Beyond, each set that has one
# line too many loses all it had of the footprint, line by line as they are touched again; all sets have
# one too many after as much more as one way holds.
function put_decay(s, d, k,    footprint, sum, way, i, cache) {
    footprint = capacity(d, k) / 4
    if (page || others || evicts || !is_working_set(footprint / line))
        return
    for (i = 1; i <= k; i++) {
        cache = cache_at(d, i)
        if ((cache in policy && policy[cache] != "lru") || (cache in filter && i < k))
            return
        sum = (i > 1 && adds[cache] ? sum : 0) + capacity(d, i)
        way = (i > 1 && adds[cache] ? way : 0) + size[cache] / ways[cache]
    }
    printf "%d %d %d evict %d %d\n", s, d, footprint, sum - footprint, sum - footprint + way
}

END {
    if (failed)
        exit 1
    for (s = 0; s < cpus; s++) {
        for (d = 0; d < cpus; d++) {
            if (s == d)
                continue
            own = private_depth(s, d)
            if (own == 0) {
                # One nearest cache for both: nothing moves.
                if (fits(s, d, 1, capacity(d, 1) / 2))
                    put(s, d, capacity(d, 1) / 2, 1, 0)
                continue
            }
            split(transfer[s, d], where, " ")
            if (page)
                put_pages(s, d, cost_of[where[2]])
            for (k = 1; k <= own; k++) {
                bytes = capacity(d, k) < capacity(s, k) ? capacity(d, k) : capacity(s, k)
                if (fits(s, d, k, bytes / 2))
                    put(s, d, bytes / 2, k, cost_of[where[2]])
                if (fits(s, d, k, bytes))
                    put(s, d, bytes, k, cost_of[where[2]])
            }
            put_decay(s, d, own)
        }
    }
}
