/* SPDX-License-Identifier: BSD-2-Clause */
/* Distance classes from keys and from the matrix. */
#include "classes.h"
#include "stats.h"

unsigned classes_cut(const int64_t *sorted, unsigned count, int64_t *ret_first, unsigned max)
{
    unsigned groups = 0;
    for (unsigned i = 0; i < count; i++) {
        bool apart = i == 0;
        if (i > 0) {
            int64_t gap = sorted[i] - sorted[i - 1];
            int64_t size = sorted[i - 1] < 0 ? -sorted[i - 1] : sorted[i - 1];
            apart = gap * 100 > size * CLUSTER_GAP_PERCENT;
        }
        if (apart && groups < max)
            ret_first[groups++] = sorted[i];
    }
    return groups;
}

static unsigned find_class(struct result *result, struct class_key key)
{
    for (unsigned i = 0; i < result->class_count; i++) {
        if (topology_key_equal(result->classes[i].key, key))
            return i;
    }
    if (result->class_count < MAX_CLASSES) {
        result->classes[result->class_count] = (struct class_result){.key = key};
        return result->class_count++;
    }
    for (unsigned i = MAX_CLASSES; i-- > 0;) {
        if (result->classes[i].key.level == key.level) {
            result->classes[i].flags |= CLASS_TWO_PEAKS;
            return i;
        }
    }
    return MAX_CLASSES - 1;
}

static void assign(struct result *result, unsigned a, unsigned b, unsigned which)
{
    result->class_of[result_cell(result, a, b)] = (uint8_t)which;
    result->class_of[result_cell(result, b, a)] = (uint8_t)which;
    result->classes[which].pairs++;
}

void classes_from_keys(struct result *result, const bool *usable)
{
    result->class_count = 0;
    for (unsigned a = 0; a < result->cpu_count; a++) {
        for (unsigned b = a + 1; b < result->cpu_count; b++) {
            if (!usable[a] || !usable[b])
                continue;
            struct class_key key = topology_key(&result->cpus[a], &result->cpus[b], result->numa);
            assign(result, a, b, find_class(result, key));
        }
    }
}

/* Cost of a pair, directions averaged; COST_UNKNOWN where either is. */
static int32_t pair_cost(const struct result *result, const int32_t *cost, unsigned a, unsigned b)
{
    int32_t forth = cost[result_cell(result, a, b)], back = cost[result_cell(result, b, a)];
    if (forth == COST_UNKNOWN || back == COST_UNKNOWN)
        return COST_UNKNOWN;
    return (int32_t)(((int64_t)forth + back) / 2);
}

static unsigned group_of(const int64_t *first, unsigned groups, int64_t cost)
{
    unsigned group = 0;
    while (group + 1 < groups && cost >= first[group + 1])
        group++;
    return group;
}

/* Which keys meet which groups, and what hangs together through them. */
struct meeting {
    unsigned keys, groups;
    uint32_t pairs[MAX_CLASSES][MAX_CLASSES]; /* [key][group]: number of pairs */
    uint8_t component[MAX_CLASSES];           /* of each key */
    uint8_t group_component[MAX_CLASSES];
};

static void find_components(struct meeting *meeting)
{
    for (unsigned k = 0; k < meeting->keys; k++)
        meeting->component[k] = (uint8_t)k;
    for (unsigned g = 0; g < meeting->groups; g++)
        meeting->group_component[g] = CLASS_NONE;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned k = 0; k < meeting->keys; k++) {
            for (unsigned g = 0; g < meeting->groups; g++) {
                if (meeting->pairs[k][g] == 0 ||
                    meeting->component[k] == meeting->group_component[g])
                    continue;
                if (meeting->group_component[g] < meeting->component[k])
                    meeting->component[k] = meeting->group_component[g];
                else
                    meeting->group_component[g] = meeting->component[k];
                changed = true;
            }
        }
    }
}

/* The class that pairs of key k in group g go to: their key where it meets one group, else (key,
 * group), or the group alone where keys and groups cross. Returned as the (key, group) pair that
 * stands for it. */
static void representative(const struct meeting *meeting, unsigned k, unsigned g, unsigned *ret_k,
                           unsigned *ret_g)
{
    unsigned keys = 0, groups = 0;
    for (unsigned i = 0; i < meeting->keys; i++)
        keys += meeting->component[i] == meeting->component[k];
    for (unsigned i = 0; i < meeting->groups; i++)
        groups += meeting->group_component[i] == meeting->component[k];
    *ret_k = k;
    *ret_g = g;
    if (groups == 1) {
        *ret_g = CLASS_NONE;
    } else if (keys > 1) {
        for (unsigned i = 0; i < meeting->keys; i++) {
            if (meeting->pairs[i][g] > meeting->pairs[*ret_k][g])
                *ret_k = i; /* named after the key that most of its pairs have */
        }
    }
}

bool classes_from_matrix(struct result *result, const int32_t *cost_ns, int64_t near_zero,
                         int64_t *values)
{
    struct meeting meeting = {.keys = result->class_count};
    int64_t first[MAX_CLASSES] = {0};
    unsigned n = result->cpu_count, count = 0;

    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            int32_t cost = pair_cost(result, cost_ns, a, b);
            if (cost != COST_UNKNOWN && result->class_of[result_cell(result, a, b)] != CLASS_NONE)
                values[count++] = cost > near_zero ? cost : near_zero;
        }
    }
    stats_sort(values, count);
    meeting.groups = classes_cut(values, count, first, MAX_CLASSES);
    if (meeting.groups == 0)
        return false;

    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            int32_t cost = pair_cost(result, cost_ns, a, b);
            uint8_t key = result->class_of[result_cell(result, a, b)];
            if (cost != COST_UNKNOWN && key != CLASS_NONE)
                meeting.pairs[key][group_of(first, meeting.groups, cost)]++;
        }
    }
    find_components(&meeting);

    /* New classes, first come first served; (key, none) keeps the key's class. */
    struct {
        struct class_key key;
        uint16_t flags;
    } old[MAX_CLASSES];
    uint8_t known_k[MAX_CLASSES], known_g[MAX_CLASSES];
    bool differs = false;
    for (unsigned k = 0; k < meeting.keys; k++) {
        old[k].key = result->classes[k].key;
        old[k].flags = result->classes[k].flags;
    }
    result->class_count = 0;
    for (unsigned a = 0; a < n; a++) {
        for (unsigned b = a + 1; b < n; b++) {
            uint8_t key = result->class_of[result_cell(result, a, b)];
            if (key == CLASS_NONE)
                continue;
            int32_t cost = pair_cost(result, cost_ns, a, b);
            unsigned k = key, g = CLASS_NONE;
            if (cost != COST_UNKNOWN)
                representative(&meeting, key, group_of(first, meeting.groups, cost), &k, &g);
            unsigned at = 0;
            while (at < result->class_count && (known_k[at] != k || known_g[at] != g))
                at++;
            if (at == MAX_CLASSES) {
                at = MAX_CLASSES - 1;
                result->classes[at].flags |= CLASS_TWO_PEAKS;
            } else if (at == result->class_count) {
                result->classes[at] =
                    (struct class_result){.key = old[k].key, .flags = old[k].flags};
                known_k[at] = (uint8_t)k;
                known_g[at] = (uint8_t)g;
                if (g != CLASS_NONE) {
                    result->classes[at].flags |= CLASS_SPLIT;
                    differs = true;
                }
                result->class_count++;
            }
            assign(result, a, b, at);
        }
    }
    return differs;
}

static bool before(const struct class_result *a, int32_t cost_a, const struct class_result *b,
                   int32_t cost_b)
{
    if (a->key.level != b->key.level)
        return a->key.level < b->key.level;
    if (a->key.distance != b->key.distance)
        return a->key.distance < b->key.distance;
    return cost_a < cost_b;
}

void classes_sort(struct result *result, int32_t *cost)
{
    uint8_t to[MAX_CLASSES], from[MAX_CLASSES];
    for (unsigned i = 0; i < result->class_count; i++)
        from[i] = (uint8_t)i;
    for (unsigned i = 1; i < result->class_count; i++) {
        for (unsigned k = i;
             k > 0 && before(&result->classes[k], cost[k], &result->classes[k - 1], cost[k - 1]);
             k--) {
            struct class_result swap = result->classes[k];
            result->classes[k] = result->classes[k - 1];
            result->classes[k - 1] = swap;
            int32_t swap_cost = cost[k];
            cost[k] = cost[k - 1];
            cost[k - 1] = swap_cost;
            uint8_t swap_from = from[k];
            from[k] = from[k - 1];
            from[k - 1] = swap_from;
        }
    }
    for (unsigned i = 0; i < result->class_count; i++)
        to[from[i]] = (uint8_t)i;
    size_t cells = (size_t)result->cpu_count * result->cpu_count;
    for (size_t i = 0; i < cells; i++) {
        if (result->class_of[i] != CLASS_NONE)
            result->class_of[i] = to[result->class_of[i]];
    }
}
