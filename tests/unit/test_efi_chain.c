/* SPDX-License-Identifier: BSD-2-Clause */
/* Starting the next image: its device path, its options, and every way in which it can fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mock_efi.h"

#include "../../efi/chain.c"
#include "../../efi/device_path.c"
#include "../../efi/efi.c"
#include "../../efi/files.c"

static const uint8_t volume_path[] = {2,    1,    12, 0, 0xd0, 0x41, 3, 0x0a, 0, 0, 0, 0, /* ACPI */
                                      1,    1,    6,  0, 0,    0x1f,                      /* PCI */
                                      4,    1,    8,  0, 1,    2,    3, 4, /* media, shortened */
                                      0x7f, 0xff, 4,  0};
#define VOLUME_PREFIX (sizeof(volume_path) - 4)

struct machine_under_test {
    EFI_LOADED_IMAGE_PROTOCOL self, child;
    const void *volume;
    EFI_STATUS load_status, start_status;
    bool leaves_handle; /* where loading fails */
    unsigned loads, starts, unloads;
    uint8_t path[1024]; /* as LoadImage got it */
    CHAR16 options[8192];
    size_t options_bytes;
    uint64_t watchdog_at_start;
    bool exit_data;
    bool has_files; /* the volume has a file system, and opening a file of it says .. */
    EFI_STATUS open_status;
    EFI_FILE_IO_INTERFACE files;
    struct _EFI_FILE_HANDLE file;
    unsigned files_open;
};
static struct machine_under_test *test;

#define DEVICE ((EFI_HANDLE)0x1000)
#define OURS   ((EFI_HANDLE)0x2000)
#define CHILD  ((EFI_HANDLE)0x3000)

static EFI_STATUS EFIAPI mock_handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, VOID **interface)
{
    if (handle == DEVICE && guid->Data1 == 0x09576e91 && test->volume) {
        *interface = (VOID *)(uintptr_t)test->volume;
        return EFI_SUCCESS;
    }
    if (handle == DEVICE && guid->Data1 == 0x964e5b22 && test->has_files) {
        *interface = &test->files;
        return EFI_SUCCESS;
    }
    if (handle == CHILD && guid->Data1 == 0x5B1B31A1) {
        *interface = &test->child;
        return EFI_SUCCESS;
    }
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *self, EFI_FILE_HANDLE *root)
{
    (void)self;
    test->files_open++;
    *root = &test->file;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_file(EFI_FILE_HANDLE self, EFI_FILE_HANDLE *file, CHAR16 *name,
                                   UINT64 mode, UINT64 attributes)
{
    (void)self, (void)attributes;
    assert_int_equal(mode, EFI_FILE_MODE_READ);
    assert_int_equal(name[0], '\\');
    assert_int_equal(name[4], '\\');
    if (!EFI_ERROR(test->open_status))
        test->files_open++;
    *file = &test->file;
    return test->open_status;
}

static EFI_STATUS EFIAPI read_file(EFI_FILE_HANDLE self, UINTN *size, VOID *data)
{
    (void)self, (void)data;
    assert_int_equal(*size, 0); /* that it is there is enough */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_file(EFI_FILE_HANDLE self)
{
    (void)self;
    test->files_open--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI load(BOOLEAN policy, EFI_HANDLE parent, EFI_DEVICE_PATH *path,
                              VOID *source, UINTN size, EFI_HANDLE *handle)
{
    const uint8_t *bytes = (const uint8_t *)path;
    size_t length = device_path_length(bytes) + NODE_HEADER;

    assert_false(policy);
    assert_ptr_equal(parent, OURS);
    assert_null(source); /* by path, or the child does not know its volume (E9) */
    assert_int_equal(size, 0);
    assert_true(length <= sizeof(test->path));
    memcpy(test->path, bytes, length);
    test->loads++;
    if (!EFI_ERROR(test->load_status) || test->leaves_handle)
        *handle = CHILD;
    return test->load_status;
}

static EFI_STATUS EFIAPI start(EFI_HANDLE handle, UINTN *size, CHAR16 **data)
{
    assert_ptr_equal(handle, CHILD);
    test->starts++;
    test->watchdog_at_start = mock->watchdog_s;
    test->options_bytes = test->child.LoadOptionsSize;
    if (test->options_bytes > 0)
        memcpy(test->options, test->child.LoadOptions, test->options_bytes);
    *size = 0;
    if (test->exit_data) {
        *data = malloc(16);
        *size = 16;
    }
    return test->start_status;
}

static EFI_STATUS EFIAPI unload(EFI_HANDLE handle)
{
    assert_ptr_equal(handle, CHILD);
    test->unloads++;
    return EFI_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    mock_open(calloc(1, sizeof(struct mock)));
    test = calloc(1, sizeof(*test));
    test->volume = volume_path;
    test->self.DeviceHandle = DEVICE;
    mock->efi.image = OURS;
    mock->efi.self = &test->self;
    mock->boot.LoadImage = load;
    mock->boot.StartImage = start;
    mock->boot.UnloadImage = unload;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    struct mock *services = mock;
    mock_close();
    free(services);
    free(test);
    return 0;
}

static enum chain_status load_it(const char *path, const char *options, const char *handoff,
                                 struct chain_image *image, EFI_STATUS *status)
{
    const struct chain_request request = {path, options, handoff};
    return chain_load(&mock->efi, &request, image, status);
}

static void assert_units(const CHAR16 *units, const char *expected)
{
    for (size_t i = 0; i <= strlen(expected); i++)
        assert_int_equal(units[i], (unsigned char)expected[i]);
}

static void the_path_is_the_volume_a_file_and_an_end(void **state)
{
    (void)state;
    const struct {
        const char *typed, *name;
    } cases[] = {{"\\EFI\\a.efi", "\\EFI\\a.efi"},
                 {"/EFI/a.efi", "\\EFI\\a.efi"},
                 {"EFI\\a.efi", "\\EFI\\a.efi"},
                 {"a", "\\a"}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct chain_image image;
        EFI_STATUS status;
        assert_int_equal(load_it(cases[i].typed, "", "", &image, &status), CHAIN_OK);
        assert_memory_equal(test->path, volume_path, VOLUME_PREFIX);
        const uint8_t *node = test->path + VOLUME_PREFIX;
        size_t bytes = 4 + 2 * (strlen(cases[i].name) + 1);
        assert_int_equal(node[0], 4);
        assert_int_equal(node[1], 4);
        assert_int_equal(get16(node + 2), bytes);
        CHAR16 name[64];
        memcpy(name, node + 4, bytes - 4);
        assert_units(name, cases[i].name);
        const uint8_t end[] = {0x7f, 0xff, 4, 0};
        assert_memory_equal(node + bytes, end, 4);
        chain_unload(&mock->efi, &image);
    }
}

static void a_child_gets_its_options_and_the_default_watchdog(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    assert_int_equal(load_it("a", "quiet  root=\"/dev/x y\"", "", &image, &status), CHAIN_OK);
    assert_int_equal(chain_start(&mock->efi, &image, &status), CHAIN_OK);
    assert_units(test->options, "quiet  root=\"/dev/x y\"");
    assert_int_equal(test->options_bytes, 2 * 23);
    assert_int_equal(test->watchdog_at_start, 300); /* (E14, G1) */
}

static void the_hand_off_follows_behind_a_blank(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    assert_int_equal(load_it("a", "quiet", "migcost.cache_decay_ns=7", &image, &status), CHAIN_OK);
    assert_int_equal(chain_start(&mock->efi, &image, &status), CHAIN_OK);
    assert_units(test->options, "quiet migcost.cache_decay_ns=7");
}

static void without_options_a_child_gets_none(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_OK);
    assert_int_equal(chain_start(&mock->efi, &image, &status), CHAIN_OK);
    assert_int_equal(test->options_bytes, 0);
    assert_null(test->child.LoadOptions);
}

/* E8: refused with nothing started, not cut. */
static void a_line_that_the_kernel_would_cut_is_refused(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    char options[2048];
    memset(options, 'x', sizeof(options));
    options[sizeof(options) - 1] = '\0';
    assert_int_equal(load_it("a", options, "m=1", &image, &status), CHAIN_LINE_TOO_LONG);
    assert_int_equal(test->starts, 0);
    assert_int_equal(test->unloads, 1);
    options[2047 - 4] = '\0';
    assert_int_equal(load_it("a", options, "m=1", &image, &status), CHAIN_OK);
    chain_unload(&mock->efi, &image);
}

static void failures_to_load_are_told_apart(void **state)
{
    (void)state;
    const struct {
        EFI_STATUS status;
        bool leaves_handle;
        enum chain_status chain;
        unsigned unloads;
    } cases[] = {
        {EFI_NOT_FOUND, false, CHAIN_MISSING, 0},
        {EFI_SECURITY_VIOLATION, true, CHAIN_REFUSED, 1}, /* a live handle (E11) */
        {EFI_ACCESS_DENIED, false, CHAIN_REFUSED, 0},
        {EFI_ACCESS_DENIED, true, CHAIN_REFUSED, 0}, /* what it left is no handle */
        {EFI_LOAD_ERROR, false, CHAIN_FAILED, 0},
        {EFI_UNSUPPORTED, false, CHAIN_FAILED, 0},
        {EFI_OUT_OF_RESOURCES, false, CHAIN_FAILED, 0},
        {EFI_DEVICE_ERROR, false, CHAIN_FAILED, 0},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct chain_image image;
        EFI_STATUS status;
        test->load_status = cases[i].status;
        test->leaves_handle = cases[i].leaves_handle;
        test->unloads = 0;
        assert_int_equal(load_it("a", "x", "", &image, &status), cases[i].chain);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(test->unloads, cases[i].unloads);
        assert_null(image.handle);
    }
    assert_int_equal(test->starts, 0);
}

/* E13: whatever it says, it came back; and what never ran is unloaded. */
static void a_child_may_come_back_with_any_status(void **state)
{
    (void)state;
    const EFI_STATUS statuses[] = {EFI_SUCCESS, EFI_ABORTED, EFI_NOT_FOUND, EFI_INVALID_PARAMETER,
                                   EFI_WARN_UNKNOWN_GLYPH};
    struct chain_image image;
    EFI_STATUS status;
    test->exit_data = true;
    for (unsigned i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        test->start_status = statuses[i];
        assert_int_equal(load_it("a", "x", "y", &image, &status), CHAIN_OK);
        assert_int_equal(chain_start(&mock->efi, &image, &status), CHAIN_OK);
        assert_int_equal(status, statuses[i]);
        assert_int_equal(test->unloads, 0);
    }
    test->start_status = EFI_SECURITY_VIOLATION;
    assert_int_equal(load_it("a", "x", "y", &image, &status), CHAIN_OK);
    assert_int_equal(chain_start(&mock->efi, &image, &status), CHAIN_REFUSED);
    assert_int_equal(test->unloads, 1);
}

/* E9: images loaded from memory have no device. */
static void without_a_volume_there_is_nothing_to_start(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    test->volume = NULL;
    assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_NO_VOLUME);
    test->self.DeviceHandle = NULL;
    assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_NO_VOLUME);
    mock->efi.self = NULL;
    assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_NO_VOLUME);
    assert_int_equal(test->loads, 0);
}

static void what_is_not_there_is_known_before_it_is_loaded(void **state)
{
    (void)state;
    EFI_STATUS status;
    test->files.OpenVolume = open_volume;
    test->file.Open = open_file;
    test->file.Read = read_file;
    test->file.Close = close_file;
    assert_int_equal(chain_look(&mock->efi, "EFI/a", &status), CHAIN_OK); /* a network: who knows */
    test->has_files = true;
    assert_int_equal(chain_look(&mock->efi, "EFI/a", &status), CHAIN_OK);
    test->open_status = EFI_NOT_FOUND;
    assert_int_equal(chain_look(&mock->efi, "/EFI\\a", &status), CHAIN_MISSING);
    test->open_status = EFI_DEVICE_ERROR; /* loading it will tell */
    assert_int_equal(chain_look(&mock->efi, "EFI/a", &status), CHAIN_OK);
    assert_int_equal(test->files_open, 0);
    assert_int_equal(test->loads, 0);
}

static void a_device_path_without_an_end_is_not_followed(void **state)
{
    (void)state;
    static const uint8_t no_length[] = {4, 1, 0, 0, 0x7f, 0xff, 4, 0};
    static const uint8_t end_at_once[] = {0x7f, 0xff, 4, 0};
    uint8_t endless[NODES_MAX * 4];
    struct chain_image image;
    EFI_STATUS status;

    for (unsigned i = 0; i < NODES_MAX; i++)
        put_node(endless + 4 * i, 4, 1, 4);
    const void *paths[] = {no_length, end_at_once, endless};
    for (unsigned i = 0; i < 3; i++) {
        test->volume = paths[i];
        assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_FAILED);
    }
    assert_int_equal(test->loads, 0);
}

static void without_memory_nothing_is_started(void **state)
{
    (void)state;
    struct chain_image image;
    EFI_STATUS status;
    mock->pages_limit = 0;
    assert_int_equal(load_it("a", "", "", &image, &status), CHAIN_FAILED);
    mock->pages_limit = 1; /* the path fits, the options do not */
    assert_int_not_equal(load_it("a", "x", "", &image, &status), CHAIN_OK);
    assert_int_equal(test->starts, 0);
    assert_int_equal(test->unloads, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_path_is_the_volume_a_file_and_an_end),
        TEST(a_child_gets_its_options_and_the_default_watchdog),
        TEST(the_hand_off_follows_behind_a_blank),
        TEST(without_options_a_child_gets_none),
        TEST(a_line_that_the_kernel_would_cut_is_refused),
        TEST(failures_to_load_are_told_apart),
        TEST(a_child_may_come_back_with_any_status),
        TEST(without_a_volume_there_is_nothing_to_start),
        TEST(what_is_not_there_is_known_before_it_is_loaded),
        TEST(a_device_path_without_an_end_is_not_followed),
        TEST(without_memory_nothing_is_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
