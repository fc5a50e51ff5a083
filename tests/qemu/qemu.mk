# SPDX-License-Identifier: BSD-2-Clause
# Virtual machines: `make run` and the image for a USB stick, and what the boot tests are made of.

run: ## boot in QEMU and OVMF, measure, and show what Linux reads (MACHINE=FILE, or none and SMP=n)
	@tests/deps build run
	@$(MAKE) --no-print-directory -s efi host
	@[ "$(MACHINE)" = none ] || $(MAKE) --no-print-directory -s plugin $(B)/host/known_machine || \
		echo "run: the plugin for known machines cannot be built"
	@tests/qemu/run
.PHONY: run

# ---- A USB stick that measures by itself ----

usb-image: ## build/migcost-usb.img, to be written to a USB stick: boot it, measure, report on the stick
	@tests/deps build run
	@$(MAKE) --no-print-directory -s $(B)/migcost-usb.img
.PHONY: usb-image

$(B)/migcost-usb.img: tools/usb-image $(B)/migcost-usb.efi $(B)/migcost.efi
	$(Q)tools/usb-image $@ $(B)/migcost-usb.efi $(B)/migcost.efi
	@echo "$@: write it to a stick with: dd if=$@ of=/dev/sdX bs=1M conv=fsync"

# The application with --usb as its default.
$(B)/efi/usb/settings.c.o: efi/settings.c Makefile
	@mkdir -p $(@D)
	$(Q)$(CC) $(EFI_CFLAGS) -DMIGCOST_USB=true -MMD -MP -c -o $@ $<
$(B)/migcost-usb.elf: $(B)/efi/usb/settings.c.o $(EFI_OBJ) linker.ld
	$(Q)ld.bfd $(EFI_LDFLAGS) -o $@ $< $(filter-out $(B)/efi/efi/settings.c.o,$(EFI_OBJ))
$(B)/migcost-usb.efi: $(B)/migcost-usb.elf $(B)/tools/pe_finish
	$(Q)objcopy --strip-all $(EFI_SECTIONS) --output-target=efi-app-x86_64 \
		--file-alignment 512 --section-alignment 4096 $< $@.tmp
	@$(B)/tools/pe_finish $@.tmp >/dev/null && mv $@.tmp $@

# ---- Hook images of the boot tests, each from one file, with what it uses of the application ----

HOOK_DRIVERS := watch refuse lose hang broken_tpm lie stage# these stay in memory: the shell loads them
HOOKS := $(patsubst tests/qemu/hooks/%.c,$(B)/hooks/%.efi,$(wildcard tests/qemu/hooks/*.c))

hooks: $(HOOKS)
.PHONY: hooks

$(HOOK_DRIVERS:%=$(B)/hooks/%.efi): private target := efi-bsdrv-x86_64
$(B)/hooks/%.efi: target = efi-app-x86_64
$(B)/hooks/%.efi: $(B)/hooks/%.elf $(B)/tools/pe_finish
	$(Q)objcopy --strip-all $(EFI_SECTIONS) --output-target=$(target) \
		--file-alignment 512 --section-alignment 4096 $< $@.tmp
	@$(B)/tools/pe_finish $@.tmp >/dev/null && mv $@.tmp $@

$(B)/hooks/%.elf: $(B)/efi/tests/qemu/hooks/%.c.o $(EFI_OBJ) linker.ld
	@mkdir -p $(@D)
	$(Q)ld.bfd $(EFI_LDFLAGS) -u hook_pointer -o $@ $< $(filter-out $(B)/efi/efi/main.c.o,$(EFI_OBJ))

-include $(B)/efi/usb/settings.c.d $(HOOKS:$(B)/hooks/%.efi=$(B)/efi/tests/qemu/hooks/%.c.d)
