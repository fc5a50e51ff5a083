/* SPDX-License-Identifier: BSD-2-Clause */
/* The breadcrumb's bytes and its rule: breadcrumb.h has the contract. */
#include "breadcrumb.h"
#include "crc32.h"
#include "little_endian.h"
#include "mem.h"

#define MAGIC      0x5247494Du /* "MIGR" */
#define VERSION    1u
#define AT_VERSION 4u
#define AT_STAGE   5u
#define AT_COUNT   6u
#define AT_SUBJECT 8u
#define AT_CRC     12u

uint32_t breadcrumb_subject(const struct record_identity *identity, const char *version)
{
    const uint32_t fields[] = {identity->cpu_signature, identity->apic_ids_crc,
                               identity->caches_crc,    identity->numa_crc,
                               identity->firmware_crc,  identity->method};
    uint8_t bytes[4];
    uint32_t crc = 0;
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        put32(bytes, fields[i]);
        crc = crc32_update(crc, bytes, sizeof bytes);
    }
    size_t length = 0;
    while (version[length] != '\0')
        length++;
    return crc32_update(crc, version, length);
}

void breadcrumb_encode(const struct breadcrumb *breadcrumb, uint8_t ret_bytes[BREADCRUMB_BYTES])
{
    memset(ret_bytes, 0, BREADCRUMB_BYTES);
    put32(ret_bytes, MAGIC);
    ret_bytes[AT_VERSION] = VERSION;
    ret_bytes[AT_STAGE] = breadcrumb->stage;
    ret_bytes[AT_COUNT] = breadcrumb->count;
    put32(ret_bytes + AT_SUBJECT, breadcrumb->subject);
    put32(ret_bytes + AT_CRC, crc32_update(0, ret_bytes, AT_CRC));
}

bool breadcrumb_decode(const uint8_t *bytes, size_t length, struct breadcrumb *ret)
{
    if (length != BREADCRUMB_BYTES || get32(bytes) != MAGIC || bytes[AT_VERSION] != VERSION ||
        get32(bytes + AT_CRC) != crc32_update(0, bytes, AT_CRC))
        return false;
    if (bytes[AT_STAGE] == 0 || bytes[AT_STAGE] >= BREADCRUMB_STAGES || bytes[AT_COUNT] == 0)
        return false;
    *ret = (struct breadcrumb){
        .stage = bytes[AT_STAGE],
        .count = bytes[AT_COUNT],
        .subject = get32(bytes + AT_SUBJECT),
    };
    return true;
}

bool breadcrumb_next(const struct breadcrumb *found, enum breadcrumb_stage stage, uint32_t subject,
                     bool force, struct breadcrumb *ret)
{
    bool again = found && found->stage == stage && found->subject == subject;
    if (again && found->count >= BREADCRUMB_TRIES && !force)
        return false;
    uint8_t before = again ? found->count : 0;
    *ret = (struct breadcrumb){
        .stage = (uint8_t)stage,
        .count = (uint8_t)(before < UINT8_MAX ? before + 1 : UINT8_MAX),
        .subject = subject,
    };
    return true;
}
