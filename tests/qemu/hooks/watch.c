/* SPDX-License-Identifier: BSD-2-Clause */
/* Driver: counts what the application asks of the firmware, and looks at what it does on other
 * CPUs. tell.c prints it. */
#include "hook.h"

static const EFI_GUID our_vendor = {
    0x947a949a, 0xb9cc, 0x4678, {0xb1, 0x78, 0x44, 0x3e, 0xdd, 0xc5, 0xa6, 0xe7}};

/* What other CPUs find there, too: it must outlive every stack frame. */
static struct watch watch;
static struct mp_protocol original;
static EFI_SET_VARIABLE set_variable;
static EFI_SET_WATCHDOG_TIMER set_watchdog;
static mp_procedure procedure;
static VOID *procedure_argument;

static bool same_guid(const EFI_GUID *a, const EFI_GUID *b)
{
    return __builtin_memcmp(a, b, sizeof(*a)) == 0;
}

static EFI_STATUS EFIAPI on_set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes,
                                         UINTN size, VOID *data)
{
    if (!vendor || !same_guid(vendor, &our_vendor))
        watch.other_sets++;
    else if (size == 0)
        watch.deletes++;
    else
        watch.sets++;
    return set_variable(name, vendor, attributes, size, data);
}

static EFI_STATUS EFIAPI on_watchdog(UINTN seconds, UINT64 code, UINTN size, CHAR16 *data)
{
    watch.watchdog = seconds;
    return set_watchdog(seconds, code, size, data);
}

/* What code on another CPU must leave as it found it. */
struct context {
    UINT64 cr0, cr3, cr4, flags;
    UINT8 gdtr[16], idtr[16];
};
#define FLAGS_KEPT 0x600u /* interrupts, direction */

static void read_context(struct context *ret)
{
    *ret = (struct context){0}; /* the last bytes of the table registers are not written */
    __asm__ volatile("mov %%cr0, %0" : "=r"(ret->cr0));
    __asm__ volatile("mov %%cr3, %0" : "=r"(ret->cr3));
    __asm__ volatile("mov %%cr4, %0" : "=r"(ret->cr4));
    __asm__ volatile("pushfq; popq %0" : "=r"(ret->flags));
    __asm__ volatile("sgdt %0" : "+m"(ret->gdtr));
    __asm__ volatile("sidt %0" : "+m"(ret->idtr));
    ret->flags &= FLAGS_KEPT;
}

/* A bit for each part that differs. */
static UINT64 difference(const struct context *a, const struct context *b)
{
    UINT64 bits = 0;

    bits |= a->cr0 != b->cr0 ? 1 : 0;
    bits |= a->cr3 != b->cr3 ? 2 : 0;
    bits |= a->cr4 != b->cr4 ? 4 : 0;
    bits |= a->flags != b->flags ? 8 : 0;
    bits |= __builtin_memcmp(a->gdtr, b->gdtr, sizeof(a->gdtr)) != 0 ? 16 : 0;
    bits |= __builtin_memcmp(a->idtr, b->idtr, sizeof(a->idtr)) != 0 ? 32 : 0;
    return bits;
}

#define STACK_PAINTED 8192u /* of the 32 KiB that OVMF gives to each */
#define STACK_PAINT   0x5a5a5a5a5a5a5a5au

/* Paints the stack below this frame. No call may be made in here. */
static inline volatile UINT64 *paint_stack(void)
{
    UINT64 *top;

    __asm__ volatile("mov %%rsp, %0" : "=r"(top));
    volatile UINT64 *bottom = top - STACK_PAINTED / sizeof(*top);
    for (volatile UINT64 *word = bottom; word < top; word++)
        *word = STACK_PAINT;
    return bottom;
}

static UINT64 painted_over(const volatile UINT64 *bottom)
{
    UINT64 left = 0;

    while (left < STACK_PAINTED && *bottom++ == STACK_PAINT)
        left += sizeof(*bottom);
    return STACK_PAINTED - left;
}

static void keep_largest(UINT64 *largest, UINT64 value)
{
    UINT64 seen = __atomic_load_n(largest, __ATOMIC_RELAXED);

    while (value > seen && !__atomic_compare_exchange_n(largest, &seen, value, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static VOID EFIAPI on_ap(VOID *argument)
{
    struct context before, after;

    (void)argument;
    read_context(&before);
    const volatile UINT64 *bottom = paint_stack();
    procedure(procedure_argument);
    keep_largest(&watch.stack, painted_over(bottom));
    read_context(&after);
    __atomic_fetch_or(&watch.changed, difference(&before, &after), __ATOMIC_RELAXED);
    __atomic_fetch_add(&watch.aps, 1, __ATOMIC_RELAXED);
}

static EFI_STATUS EFIAPI on_start_all(struct mp_protocol *self, mp_procedure what, BOOLEAN in_turn,
                                      EFI_EVENT event, UINTN timeout_us, VOID *argument,
                                      UINTN **failed)
{
    watch.starts++;
    watch.blocking += event ? 0 : 1;
    watch.procedure = (UINTN)what;
    procedure = what;
    procedure_argument = argument;
    EFI_STATUS status =
        original.startup_all_aps(self, on_ap, in_turn, event, timeout_us, argument, failed);
    if (EFI_ERROR(status))
        watch.refused++;
    return status;
}

static EFI_STATUS EFIAPI on_count(struct mp_protocol *self, UINTN *total, UINTN *enabled)
{
    watch.counts++;
    return original.get_number_of_processors(self, total, enabled);
}

static EFI_STATUS EFIAPI on_info(struct mp_protocol *self, UINTN number,
                                 struct mp_processor_info *ret)
{
    watch.infos++;
    return original.get_processor_info(self, number, ret);
}

static EFI_STATUS EFIAPI on_who_am_i(struct mp_protocol *self, UINTN *number)
{
    watch.whos++;
    return original.who_am_i(self, number);
}

/* Functions that the application never calls: that they are is all there is to know. */
static EFI_STATUS EFIAPI on_start_this(VOID)
{
    watch.this_aps++;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI on_switch(VOID)
{
    watch.switches++;
    return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI on_enable(VOID)
{
    watch.enables++;
    return EFI_UNSUPPORTED;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct efi efi;
    EFI_HANDLE handle = NULL;
    EFI_GUID guid = WATCH_GUID;

    efi_open(&efi, image, system_table);
    struct mp_protocol *mp = hook_mp(&efi);
    if (mp) {
        original = *mp;
        mp->get_number_of_processors = on_count;
        mp->get_processor_info = on_info;
        mp->startup_all_aps = on_start_all;
        mp->startup_this_ap = (VOID *)on_start_this;
        mp->switch_bsp = (VOID *)on_switch;
        mp->enable_disable_ap = (VOID *)on_enable;
        mp->who_am_i = on_who_am_i;
    }
    set_watchdog = efi.bs->SetWatchdogTimer;
    efi.bs->SetWatchdogTimer = on_watchdog;
    set_variable = efi.rt->SetVariable;
    efi.rt->SetVariable = on_set_variable;
    return efi.bs->InstallProtocolInterface(&handle, &guid, EFI_NATIVE_INTERFACE, &watch);
}
