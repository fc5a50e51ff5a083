/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths: device_path.h has the contract. */
#include "device_path.h"

#include "../lib/little_endian.h"

#define NODES_MAX 64u /* a device path longer than this has no end */

size_t device_path_length(const uint8_t *path)
{
    size_t length = 0;
    for (unsigned i = 0; i < NODES_MAX; i++) {
        const uint8_t *node = path + length;
        if (node[0] == NODE_END && node[1] == NODE_END_ENTIRE)
            return length;
        if (get16(node + 2) < NODE_HEADER)
            return 0;
        length += get16(node + 2);
    }
    return 0;
}

bool device_path_folder(const uint8_t *path, CHAR16 *ret, size_t units)
{
    const uint8_t *node = path, *end = path + device_path_length(path);
    size_t used = 0, folder = 0;

    for (; node < end; node += get16(node + 2)) {
        const uint8_t *name = node + NODE_HEADER, *behind = node + get16(node + 2);
        if (node[0] != NODE_MEDIA || node[1] != NODE_FILE_PATH)
            continue;
        for (bool first = true; behind - name >= 2 && get16(name) != 0; first = false) {
            CHAR16 unit = get16(name);
            bool bare = unit != '\\';
            if (first && bare) /* a node goes on where the one before ended */
                unit = '\\';
            else
                name += 2;
            if (used == units)
                return false;
            if (unit == '\\' && used > 0 && ret[used - 1] == '\\')
                continue;
            ret[used++] = unit;
            if (unit == '\\')
                folder = used;
        }
    }
    if (folder == 0 || folder == units)
        return false;
    ret[folder] = '\0';
    return true;
}
