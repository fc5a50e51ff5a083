/* SPDX-License-Identifier: BSD-2-Clause */
/* Files: where they lie, what is read of them, and that they are written in place or not at all
 * (G8). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/device_path.c"
#include "../../efi/efi.c"
#include "../../efi/files.c"

#define FILE_MAX 4096u
#define DEVICE   ((EFI_HANDLE)0x1000)

struct volume {
    EFI_LOADED_IMAGE_PROTOCOL self;
    EFI_FILE_IO_INTERFACE interface;
    struct _EFI_FILE_HANDLE root, file;
    bool no_file_system, exists, read_only, full;
    uint8_t content[FILE_MAX];
    UINT64 size, position;
    unsigned reads, writes, flushes, opens, creates, roots_open, files_open;
    EFI_STATUS open_volume_status, position_status, read_status, write_status, flush_status,
        close_status;
};
static struct volume *volume;

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    if (handle != DEVICE || guid->Data1 != 0x964e5b22 || volume->no_file_system)
        return EFI_UNSUPPORTED;
    *interface = &volume->interface;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *root)
{
    (void)self;
    if (EFI_ERROR(volume->open_volume_status))
        return volume->open_volume_status;
    volume->roots_open++;
    *root = &volume->root;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *file, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    const char *expected = "\\report.json";
    assert_ptr_equal(self, &volume->root);
    for (unsigned i = 0; i <= strlen(expected); i++)
        assert_int_equal(name[i], expected[i]);
    assert_int_equal(attributes, 0);
    volume->opens++;
    if (volume->read_only)
        return EFI_WRITE_PROTECTED;
    if (mode & EFI_FILE_MODE_CREATE) {
        volume->creates++;
        if (volume->full)
            return EFI_VOLUME_FULL;
        volume->exists = true;
    }
    if (!volume->exists)
        return EFI_NOT_FOUND;
    volume->files_open++;
    *file = &volume->file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE self)
{
    unsigned *open = self == &volume->root ? &volume->roots_open : &volume->files_open;
    assert_true(*open > 0);
    --*open;
    return self == &volume->file ? volume->close_status : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_position(EFI_FILE_HANDLE self, UINT64 position)
{
    (void)self;
    volume->position = position == UINT64_MAX ? volume->size : position;
    return volume->position_status;
}

static EFI_STATUS EFIAPI get_position(EFI_FILE_HANDLE self, UINT64 *position)
{
    (void)self;
    *position = volume->position;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_file(EFI_FILE_HANDLE self, UINTN *size, VOID *data)
{
    (void)self;
    volume->reads++;
    if (EFI_ERROR(volume->read_status))
        return volume->read_status;
    if (*size > volume->size)
        *size = volume->size;
    memcpy(data, volume->content, *size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_file(EFI_FILE_HANDLE self, UINTN *size, VOID *data)
{
    (void)self;
    volume->writes++;
    if (EFI_ERROR(volume->write_status))
        return volume->write_status;
    assert_true(volume->position + *size <= FILE_MAX);
    memcpy(volume->content + volume->position, data, *size);
    if (volume->position + *size > volume->size)
        volume->size = volume->position + *size;
    if (volume->full)
        *size -= 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI flush_file(EFI_FILE_HANDLE self)
{
    (void)self;
    volume->flushes++;
    return volume->flush_status;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    volume = calloc(1, sizeof(*volume));
    volume->self.DeviceHandle = DEVICE;
    mock->efi.self = &volume->self;
    volume->interface.OpenVolume = open_volume;
    volume->root.Open = open_file; /* Delete stays NULL: never called */
    volume->root.Close = volume->file.Close = close_file;
    volume->file.SetPosition = set_position;
    volume->file.GetPosition = get_position;
    volume->file.Read = read_file;
    volume->file.Write = write_file;
    volume->file.Flush = flush_file;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(volume->roots_open + volume->files_open, 0);
    struct mock *services = mock;
    mock_close();
    free(services);
    free(volume);
    return 0;
}

static const char text[] = "{\"a\":1}";
#define LENGTH (sizeof(text) - 1)

static enum file_status save(bool may_create, uint64_t *room, EFI_STATUS *status)
{
    return files_write(&mock->efi, L"\\report.json", text, LENGTH, may_create, room, status);
}

static enum file_status load(char *bytes, size_t room, size_t *length)
{
    EFI_STATUS status;
    return files_read(&mock->efi, L"\\report.json", bytes, room, length, &status);
}

static void a_file_that_is_there_keeps_its_size(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    volume->exists = true;
    volume->size = 100;
    memset(volume->content, 'x', 100);
    assert_int_equal(save(false, &room, &status), FILE_OK);
    assert_int_equal(room, 100);
    assert_int_equal(volume->size, 100);
    assert_memory_equal(volume->content, text, LENGTH);
    for (unsigned i = LENGTH; i < 99; i++)
        assert_int_equal(volume->content[i], ' ');
    assert_int_equal(volume->content[99], '\n');
    assert_int_equal(volume->writes, 1);
    assert_int_equal(volume->flushes, 1);
    assert_int_equal(volume->creates, 0);
}

static void a_file_of_just_the_size_is_filled(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    volume->exists = true;
    volume->size = LENGTH + 1;
    assert_int_equal(save(false, &room, &status), FILE_OK);
    assert_int_equal(volume->size, LENGTH + 1);
}

static void a_file_is_never_made_or_made_longer(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    assert_int_equal(save(false, &room, &status), FILE_MISSING);
    volume->exists = true;
    volume->size = LENGTH;
    assert_int_equal(save(false, &room, &status), FILE_TOO_SMALL);
    assert_int_equal(room, LENGTH);
    assert_int_equal(volume->creates + volume->writes + volume->flushes, 0);
}

static void on_our_own_stick_it_is_made_and_may_grow(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    assert_int_equal(save(true, &room, &status), FILE_OK);
    assert_int_equal(volume->creates, 1);
    assert_int_equal(volume->size, LENGTH + 1);
    volume->size = 2;
    assert_int_equal(save(true, &room, &status), FILE_OK);
    assert_int_equal(volume->size, LENGTH + 1);
    assert_int_equal(volume->creates, 1);
}

static void failures_are_told_and_everything_is_closed(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;

    volume->exists = true;
    volume->size = 100;
    volume->read_only = true;
    assert_int_equal(save(false, &room, &status), FILE_FAILED);
    assert_int_equal(status, EFI_WRITE_PROTECTED);
    volume->read_only = false;

    const EFI_STATUS failure = EFI_MEDIA_CHANGED;
    EFI_STATUS *const calls[] = {&volume->position_status, &volume->write_status,
                                 &volume->flush_status, &volume->close_status};
    for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        *calls[i] = failure;
        assert_int_equal(save(false, &room, &status), FILE_FAILED);
        assert_int_equal(status, failure);
        *calls[i] = EFI_SUCCESS;
    }
    volume->full = true; /* a short write that says success */
    assert_int_equal(save(false, &room, &status), FILE_FAILED);
    assert_int_equal(status, EFI_VOLUME_FULL);
    mock->pages_limit = 0;
    assert_int_equal(save(false, &room, &status), FILE_FAILED);
    assert_int_equal(status, EFI_OUT_OF_RESOURCES);
}

static void a_full_volume_takes_no_new_file(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    volume->full = true;
    assert_int_equal(save(true, &room, &status), FILE_FAILED);
    assert_int_equal(status, EFI_VOLUME_FULL);
}

static void an_image_from_nowhere_has_no_volume(void **state)
{
    (void)state;
    uint64_t room;
    EFI_STATUS status;
    volume->open_volume_status = EFI_NO_MEDIA;
    assert_int_equal(save(false, &room, &status), FILE_NO_VOLUME);
    volume->no_file_system = true;
    assert_int_equal(save(false, &room, &status), FILE_NO_VOLUME);
    volume->self.DeviceHandle = NULL;
    assert_int_equal(save(false, &room, &status), FILE_NO_VOLUME);
    mock->efi.self = NULL;
    assert_int_equal(save(false, &room, &status), FILE_NO_VOLUME);
}

static void a_file_is_read_by_one_call_up_to_the_room(void **state)
{
    (void)state;
    char bytes[8] = "";
    size_t length = 9;
    assert_int_equal(load(bytes, sizeof(bytes), &length), FILE_MISSING);
    assert_int_equal(length, 0);
    volume->exists = true;
    volume->size = 3;
    memcpy(volume->content, "abcdefghij", 10);
    assert_int_equal(load(bytes, sizeof(bytes), &length), FILE_OK);
    assert_int_equal(length, 3);
    assert_memory_equal(bytes, "abc\0", 4);
    volume->size = 10;
    assert_int_equal(load(bytes, 4, &length), FILE_OK);
    assert_int_equal(length, 4);
    assert_memory_equal(bytes, "abcd\0", 5);
    assert_int_equal(volume->reads, 2);
    assert_int_equal(volume->opens, 3);
    assert_int_equal(volume->creates + volume->writes, 0);
    volume->read_status = EFI_DEVICE_ERROR;
    assert_int_equal(load(bytes, 4, &length), FILE_FAILED);
    assert_int_equal(length, 0);
    volume->no_file_system = true;
    assert_int_equal(load(bytes, 4, &length), FILE_NO_VOLUME);
}

/* A device path of file path nodes, one for each name. */
static uint8_t own_path[2048];
static size_t own_path_length;

static void path_begin(void)
{
    memcpy(own_path, "\1\1\6\0\0\0", 6); /* a PCI device */
    own_path_length = 6;
    volume->self.FilePath = (EFI_DEVICE_PATH *)(void *)own_path;
}
static void path_end(void)
{
    memcpy(own_path + own_path_length, "\x7F\xFF\4", 4);
}
static void path_add(const char *name, bool terminated)
{
    size_t units = strlen(name) + terminated, bytes = NODE_HEADER + units * 2;
    uint8_t *node = own_path + own_path_length;
    node[0] = NODE_MEDIA;
    node[1] = NODE_FILE_PATH;
    node[2] = (uint8_t)bytes;
    node[3] = (uint8_t)(bytes >> 8);
    for (size_t i = 0; i < units; i++) {
        node[NODE_HEADER + 2 * i] = (uint8_t)name[i];
        node[NODE_HEADER + 2 * i + 1] = 0;
    }
    own_path_length += bytes;
    path_end();
}

static void beside_is(const char *expected)
{
    CHAR16 path[FILES_PATH_MAX];
    assert_true(files_beside(&mock->efi, L"x.y", path));
    for (size_t i = 0; i <= strlen(expected); i++)
        assert_int_equal(path[i], expected[i]);
}

static void a_file_beside_the_image_is_found_however_loaders_name_it(void **state)
{
    (void)state;
    path_begin();
    path_add("\\EFI\\migcost\\migcost.efi", true);
    beside_is("\\EFI\\migcost\\x.y");
    path_begin();
    path_add("\\EFI\\migcost", true); /* GRUB: the folder, then the name */
    path_add("migcost.efi", true);
    beside_is("\\EFI\\migcost\\x.y");
    path_begin();
    path_add("EFI\\", false);
    path_add("\\migcost.efi", false);
    beside_is("\\EFI\\x.y");
    path_begin();
    path_add("migcost.efi", true);
    beside_is("\\x.y");
}

static void without_a_path_there_is_nothing_beside_the_image(void **state)
{
    (void)state;
    CHAR16 path[FILES_PATH_MAX];
    volume->self.FilePath = NULL; /* (E9) */
    assert_false(files_beside(&mock->efi, L"x.y", path));
    path_begin();
    path_end();
    assert_false(files_beside(&mock->efi, L"x.y", path));
    path_begin();
    path_add("", false);
    assert_false(files_beside(&mock->efi, L"x.y", path));
    path_begin();
    path_add("", true);
    assert_false(files_beside(&mock->efi, L"x.y", path));
    path_add("a.efi", true);
    own_path[2] = 3; /* a node that ends before it begins */
    assert_false(files_beside(&mock->efi, L"x.y", path));
    mock->efi.self = NULL;
    assert_false(files_beside(&mock->efi, L"x.y", path));
}

static void a_path_that_is_too_long_is_none(void **state)
{
    (void)state;
    char name[FILES_PATH_MAX + 1];
    CHAR16 path[FILES_PATH_MAX];
    memset(name, 'a', sizeof(name));
    name[0] = '\\';
    for (size_t length = FILES_PATH_MAX - 8; length < FILES_PATH_MAX; length++) {
        name[length - 1] = '\\';
        name[length] = '\0';
        path_begin();
        path_add(name, true);
        /* the folder, "x.y" and a NUL */
        assert_int_equal(files_beside(&mock->efi, L"x.y", path), length + 4 <= FILES_PATH_MAX);
        name[length - 1] = 'a';
        name[length] = 'a';
    }
    name[FILES_PATH_MAX] = '\0';
    path_begin();
    path_add(name, true);
    assert_true(files_beside(&mock->efi, L"x.y", path)); /* a long name in the root folder */
    path_begin();
    path_add(name, true);
    path_add("b", true);
    assert_false(files_beside(&mock->efi, L"x.y", path));
}

/* G8: in place, and never longer. */
static void a_part_of_a_file_is_written_where_it_lies(void **state)
{
    (void)state;
    EFI_STATUS status;
    volume->exists = true;
    volume->size = 64;
    memset(volume->content, 'x', 64);
    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 64, 16, "0123", 4, &status),
                     FILE_OK);
    assert_memory_equal(volume->content + 14, "xx0123xx", 8);
    assert_int_equal(volume->size, 64);
    assert_int_equal(volume->writes, 1);
    assert_int_equal(volume->flushes, 1);

    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 63, 16, "0123", 4, &status),
                     FILE_TOO_SMALL);
    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 65, 16, "0123", 4, &status),
                     FILE_TOO_SMALL);
    assert_int_equal(volume->writes, 1);
}

static void a_part_that_cannot_be_written_is_told_by_its_status(void **state)
{
    (void)state;
    EFI_STATUS *const failing[] = {&volume->position_status, &volume->write_status,
                                   &volume->flush_status, &volume->close_status};
    EFI_STATUS status;
    volume->size = 64;
    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 64, 0, "0123", 4, &status),
                     FILE_MISSING);
    assert_int_equal(volume->creates, 0);
    volume->exists = true;
    for (unsigned i = 0; i < 4; i++) {
        *failing[i] = EFI_DEVICE_ERROR;
        assert_int_equal(files_patch(&mock->efi, L"\\report.json", 64, 0, "0123", 4, &status),
                         FILE_FAILED);
        assert_int_equal(status, EFI_DEVICE_ERROR);
        *failing[i] = EFI_SUCCESS;
    }
    volume->full = true; /* a short write */
    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 64, 0, "0123", 4, &status),
                     FILE_FAILED);
    volume->read_only = true;
    assert_int_equal(files_patch(&mock->efi, L"\\report.json", 64, 0, "0123", 4, &status),
                     FILE_FAILED);
    assert_int_equal(status, EFI_WRITE_PROTECTED);
}

static void every_status_has_words(void **state)
{
    (void)state;
    for (enum file_status i = FILE_OK; i <= FILE_FAILED; i++)
        assert_true(strlen(file_status_text(i)) > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_that_is_there_keeps_its_size),
        TEST(a_file_of_just_the_size_is_filled),
        TEST(a_file_is_never_made_or_made_longer),
        TEST(on_our_own_stick_it_is_made_and_may_grow),
        TEST(failures_are_told_and_everything_is_closed),
        TEST(a_full_volume_takes_no_new_file),
        TEST(an_image_from_nowhere_has_no_volume),
        TEST(a_file_is_read_by_one_call_up_to_the_room),
        TEST(a_file_beside_the_image_is_found_however_loaders_name_it),
        TEST(without_a_path_there_is_nothing_beside_the_image),
        TEST(a_path_that_is_too_long_is_none),
        TEST(a_part_of_a_file_is_written_where_it_lies),
        TEST(a_part_that_cannot_be_written_is_told_by_its_status),
        TEST(every_status_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
