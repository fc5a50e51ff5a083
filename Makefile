# SPDX-License-Identifier: BSD-2-Clause
# Builds the firmware application, the Linux command and every test. `make help` lists the targets.

B := build
CC := gcc
VERSION := 0.1.0
Q := $(if $(V),,@) # `make V=1` shows every command

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror

# Sources are found, not listed.
LIB_SRC := $(filter-out lib/mem.c,$(wildcard lib/*.c))
ARCH_SRC := $(wildcard arch/x86/*.c) $(wildcard arch/x86/*.asm)
SMP_SRC := $(wildcard smp/*.c)
objects = $(addprefix $(B)/$(1)/,$(addsuffix .o,$(2)))

all: efi host ## the firmware application and the Linux command
.PHONY: all

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18
.PHONY: help

deps: ## install with apt what is missing to build, run and check
	@tests/deps build run check
.PHONY: deps

# ---- The firmware application ----

EFI_SRC := $(wildcard efi/*.c) $(SMP_SRC) $(ARCH_SRC) $(LIB_SRC) lib/mem.c
EFI_OBJ := $(call objects,efi,$(EFI_SRC))

# UEFI types: gnu-efi's headers and nothing else of it.
EFI_TYPES := -DGNU_EFI_USE_MS_ABI          # EFIAPI is the ms_abi; efi/efi.h insists (H7)
EFI_TYPES += -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
EFI_TYPES += -fshort-wchar                 # L"..." is UCS-2, as firmware takes it

EFI_CFLAGS := $(CFLAGS)
EFI_CFLAGS += -std=c11 $(WARN)
EFI_CFLAGS += -Oz -fomit-frame-pointer     # a small image (tests/lint/pe_lint.c has the limit); -Os: 1.5 KiB more
EFI_CFLAGS += -fno-move-loop-invariants -fno-tree-loop-optimize -fno-caller-saves # 1.5 KiB less: they
                                           # trade size for speed, and speed lies in touch.asm alone
EFI_CFLAGS += -fno-caller-saves -fno-thread-jumps # what they make faster, they make longer: 0.8 KiB
EFI_CFLAGS += -fno-tree-loop-im -fno-move-loop-invariants # the same, by spilled registers: 0.8 KiB
EFI_CFLAGS += -Wno-maybe-uninitialized    # at -Oz gcc sees too little; the other builds have it
EFI_CFLAGS += -march=x86-64 -mtune=generic # runs on every x86-64 CPU
EFI_CFLAGS += -g                           # for objdump -S and the stack lint; not in the image
EFI_CFLAGS += -ffreestanding               # no libc: nothing but lib/mem.c behind the compiler
EFI_CFLAGS += -fbuiltin                    # but it knows memcpy() and its like: short ones need no call
EFI_CFLAGS += -mgeneral-regs-only          # vector and x87 registers are not ours (H9)
EFI_CFLAGS += -mno-red-zone                # the firmware's interrupts use our stack (H10)
EFI_CFLAGS += -fpie -fvisibility=hidden    # runs at any address, without a GOT
EFI_CFLAGS += -ffunction-sections -fdata-sections # so that the linker can drop what is not used
EFI_CFLAGS += -fno-stack-protector         # no canary to read from a thread area (H11)
EFI_CFLAGS += -fcf-protection=none         # no CET landing pads: firmware does not use them (H11)
EFI_CFLAGS += -fno-stack-clash-protection  # no guard page to probe for (H11)
EFI_CFLAGS += -fno-lto                     # the lints read the objects (H11)
EFI_CFLAGS += -fno-asynchronous-unwind-tables -fno-exceptions # no one unwinds: no .eh_frame in the image (H11)
EFI_CFLAGS += -Wp,-U_FORTIFY_SOURCE        # its checks live in a libc; -Wp: after a -Wp,-D (H11)
EFI_CFLAGS += -fstack-usage                # read by the lint of the AP stack (A25)
EFI_CFLAGS += -ffile-prefix-map=$(CURDIR)= # the same image from any directory (H12)
EFI_CFLAGS += $(EFI_TYPES)
EFI_CFLAGS += -DMIGCOST_VERSION='"$(VERSION)"'

# Where a function that is called once is inlined at a loss, by the registers that it then spills
# (gcc 12; the other files gain by it): 0.7 KiB.
APART := arch/x86/clock_rate.c efi/backend.c efi/output.c lib/chain.c lib/engine_matrix.c \
    lib/json.c lib/number.c lib/options.c lib/options_table.c lib/recommend.c \
    lib/record_compare.c lib/record_fields.c lib/record_identity.c lib/report_json_parts.c \
    lib/report_matrix.c lib/report_text.c lib/stats.c
$(call objects,efi,$(APART)): EFI_CFLAGS += -fno-inline-functions-called-once

# Or the compiler sees that memcpy() is a memcpy and makes it call itself.
$(B)/efi/lib/mem.c.o: EFI_CFLAGS += -fno-builtin -fno-tree-loop-distribute-patterns

EFI_LDFLAGS := -T linker.ld                # sections and their rights: see there
EFI_LDFLAGS += -m elf_x86_64 -nostdlib     # our objects and no others
EFI_LDFLAGS += -pie --no-dynamic-linker    # relocations stay; pe_finish makes them PE's
EFI_LDFLAGS += -Bsymbolic                  # no symbol is looked up by name
EFI_LDFLAGS += -z text                     # no relocation in .text or .rodata (C2)
EFI_LDFLAGS += -z noexecstack --fatal-warnings # every object says that its stack holds no code (H6)
EFI_LDFLAGS += -z norelro -z noseparate-code # linker.ld alone decides the pages
EFI_LDFLAGS += --no-undefined --gc-sections
EFI_LDFLAGS += --build-id=none --hash-style=sysv # nothing that objcopy would leave out anyway
EFI_LDFLAGS += $(shell ld.bfd --help | grep -qs pack-relative-relocs && echo -z nopack-relative-relocs) # (H2)

EFI_SECTIONS := -j .text -j .rodata -j .sbat -j .data -j .reloc

efi: $(B)/migcost.efi ## build/migcost.efi, the firmware application
.PHONY: efi

# --output-target: binutils 2.46 takes --target for the input, too (H1).
$(B)/migcost.efi: $(B)/migcost.elf $(B)/tools/pe_finish
	$(Q)objcopy --strip-all $(EFI_SECTIONS) --output-target=efi-app-x86_64 \
		--file-alignment 512 --section-alignment 4096 $< $@.tmp
	@size=$$($(B)/tools/pe_finish $@.tmp) && mv $@.tmp $@ && echo "$@: $$size bytes"

# bfd, since gold and lld name relocation sections otherwise (H2).
$(B)/migcost.elf: $(EFI_OBJ) linker.ld
	$(Q)ld.bfd $(EFI_LDFLAGS) -Map $(B)/migcost.map -o $@ $(EFI_OBJ)

$(B)/efi/%.c.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(EFI_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/efi/%.asm.o: %.asm Makefile
	@mkdir -p $(@D)
	$(Q)nasm -f elf64 -w+error -MD $(@:.o=.d) -MP -o $@ $<

$(B)/tools/%: tools/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) -MMD -MP -o $@ $<

$(B)/tests/%: tests/lint/%.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -g -O1 $(WARN) -fsanitize=address,undefined -MMD -MP -o $@ $<

# For the lints: the value of a variable of this file.
print-%:
	@echo '$($*)'

# ---- The Linux command ----

HOST_SRC := $(wildcard linux/*.c) $(SMP_SRC) $(ARCH_SRC) $(LIB_SRC)
HOST_OBJ := $(call objects,host,$(HOST_SRC))

HOST_CFLAGS := -std=c11 -O2 -g $(WARN) $(CFLAGS)
HOST_CFLAGS += -pthread -ffunction-sections -fdata-sections
HOST_CFLAGS += -ffile-prefix-map=$(CURDIR)= -DMIGCOST_VERSION='"$(VERSION)"'

host: $(if $(wildcard linux/*.c),$(B)/migcost) ## build/migcost, the Linux command
.PHONY: host

# Static, so that it works in an initramfs.
$(B)/migcost: $(HOST_OBJ)
	$(Q)$(CC) -static -pthread -Wl,--gc-sections -o $@ $(HOST_OBJ)

$(B)/host/%.c.o: %.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/host/%.asm.o: %.asm Makefile
	@mkdir -p $(@D)
	$(Q)nasm -f elf64 -g -F dwarf -w+error -MD $(@:.o=.d) -MP -o $@ $<

# ---- Unit tests: everything below efi/ and linux/, on the host, under sanitizers ----

UNIT_CFLAGS := -std=c11 -g -O1 $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS += -fno-omit-frame-pointer -DMIGCOST_VERSION='"$(VERSION)"'
UNIT_AIDS := $(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)) # shared by several tests
UNIT_OBJ := $(call objects,unit,$(SMP_SRC) $(ARCH_SRC) $(LIB_SRC) $(UNIT_AIDS))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

# Tests of single files of efi/, included into the test, against mock services.
$(B)/unit/test_efi_%: private UNIT_CFLAGS += $(EFI_TYPES)

unit: $(UNIT_TESTS) ## run the unit tests
	@set -e; for t in $(UNIT_TESTS); do $$t; done
unit-programs: $(UNIT_TESTS)
.PHONY: unit unit-programs

$(B)/unit/test_%: tests/unit/test_%.c $(B)/unit/libmigcost.a
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -o $@ $< $(UNIT_LIBS) $(B)/unit/libmigcost.a -lcmocka

# The whole application on a firmware of the host, tests/firmware/. What is wrapped is the
# processor's part that only firmware may do, and the engine: see there.
FIRMWARE_OBJ := $(call objects,unit,$(wildcard efi/*.c) $(wildcard tests/firmware/*.c))
FIRMWARE_SMP := $(call objects,unit/firmware,$(SMP_SRC))
FIRMWARE_WRAPS := cpuid_collect clock_calibrate memory_flush mp_team_init engine_run verify_run
FIRMWARE_TESTS := $(filter $(B)/unit/test_efi_whole%,$(UNIT_TESTS))
$(FIRMWARE_OBJ): private UNIT_CFLAGS += $(EFI_TYPES)
$(FIRMWARE_SMP): private UNIT_CFLAGS += -include tests/firmware/yield.h
$(B)/unit/firmware/%.c.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/unit/libfirmware.a: $(FIRMWARE_OBJ) $(FIRMWARE_SMP)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(FIRMWARE_TESTS): $(B)/unit/libfirmware.a
$(FIRMWARE_TESTS): private UNIT_LIBS := $(B)/unit/libfirmware.a -pthread $(FIRMWARE_WRAPS:%=-Wl,--wrap=%)

$(B)/unit/libmigcost.a: $(UNIT_OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $(UNIT_OBJ)

$(B)/unit/%.c.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/unit/%.asm.o: %.asm
	@mkdir -p $(@D)
	$(Q)nasm -f elf64 -g -F dwarf -w+error -MD $(@:.o=.d) -MP -o $@ $<

# ---- Fuzzers: every parser, under clang's fuzzer and sanitizers ----

FUZZ_CFLAGS := -std=c11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_CFLAGS += -fno-omit-frame-pointer -DMIGCOST_VERSION='"$(VERSION)"'
FUZZ_OBJ := $(call objects,fuzz,$(LIB_SRC) $(wildcard arch/x86/*.c) $(SMP_SRC))
FUZZ_OBJ += $(call objects,unit,$(wildcard arch/x86/*.asm))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS := 60

fuzz: fuzz-programs ## fuzz each parser for FUZZ_SECONDS=60
	@tests/fuzz/run -max_total_time=$(FUZZ_SECONDS)
fuzz-programs: $(FUZZERS)
.PHONY: fuzz fuzz-programs

$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(B)/fuzz/libmigcost.a
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(B)/fuzz/libmigcost.a

$(B)/fuzz/libmigcost.a: $(FUZZ_OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $(FUZZ_OBJ)

$(B)/fuzz/%.c.o: %.c
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

# ---- Figures ----

BENCHES := $(patsubst tests/bench/%.c,$(B)/bench/%,$(wildcard tests/bench/bench_*.c))

bench: efi $(B)/tests/pe_lint $(BENCHES) ## print sizes and times
	@tests/bench/run
bench-programs: $(BENCHES)
.PHONY: bench bench-programs

# With the objects of the Linux command, that is, as users get them.
$(B)/bench/%: tests/bench/%.c $(B)/host/libmigcost.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(HOST_CFLAGS) -MMD -MP -MF $@.d -o $@ $< $(B)/host/libmigcost.a

$(B)/host/libmigcost.a: $(filter-out $(B)/host/linux/%,$(HOST_OBJ))
	@rm -f $@
	$(Q)ar rcs $@ $^

# ---- The Linux side, into a system ----

PREFIX ?= /usr/local
UNITS ?= /etc/systemd/system
install: host ## the Linux command, its unit and manual pages; PREFIX=/usr/local, DESTDIR=
	$(Q)install -D -m 755 $(B)/migcost $(DESTDIR)$(PREFIX)/sbin/migcost
	$(Q)install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 docs/man/migcost.8 docs/man/migcost.efi.8
	$(Q)install -d $(DESTDIR)$(UNITS)
	$(Q)sed 's|/usr/sbin/|$(PREFIX)/sbin/|' linux/units/migcost.service >$(DESTDIR)$(UNITS)/migcost.service
uninstall: ## take away what install brought
	$(Q)rm -f $(DESTDIR)$(PREFIX)/sbin/migcost $(DESTDIR)$(UNITS)/migcost.service
	$(Q)rm -f $(DESTDIR)$(PREFIX)/share/man/man8/migcost.8 $(DESTDIR)$(PREFIX)/share/man/man8/migcost.efi.8
.PHONY: install uninstall

# ---- Checks ----

check: deps ## all tests but the long ones; the last line is "N passed, N failed"
	@tests/run quick check
check-quick: ## the tests that need no virtual machine, in under 3 minutes
	@tests/deps build check
	@tests/run quick
check-long: deps ## what takes too long for every time
	@tests/run long
check-kernel: deps ## build the kernel series into Debian's kernel, boot it, look at its thresholds
	@tests/deps kernel
	@tests/kernel/check-kernel
.PHONY: check check-quick check-long check-kernel

lint: ## what tools and rules say of the sources and of the image
	@tests/deps build check
	@tests/run format source field-notes manual safety runner static image reproducible
format: ## format the C sources
	@tests/lint/format --fix
.PHONY: lint format

clean: ## remove build/
	rm -rf $(B)
.PHONY: clean

# Virtual machines, the machine model, and what only the Linux side needs.
-include tests/qemu/qemu.mk tests/machine/machine.mk tests/bench/bench.mk linux/linux.mk

.SECONDARY:
.DELETE_ON_ERROR:
-include $(EFI_OBJ:.o=.d) $(HOST_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(UNIT_TESTS:=.d)
-include $(FIRMWARE_OBJ:.o=.d) $(FIRMWARE_SMP:.o=.d)
-include $(FUZZ_OBJ:.o=.d) $(FUZZERS:=.d) $(BENCHES:=.d)
