# SPDX-License-Identifier: BSD-2-Clause
# Virtual machines: `make run` and the image for a USB stick.

run: ## boot in QEMU and OVMF, measure, and show what Linux reads (SMP=n sets the CPUs)
	@tests/deps build run
	@$(MAKE) --no-print-directory -s efi host
	@tests/qemu/run
.PHONY: run
