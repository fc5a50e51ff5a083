# SPDX-License-Identifier: BSD-2-Clause
# Builds the firmware application, the Linux command and every test. `make help` lists the targets.

B := build
CC := gcc

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
HOST_CFLAGS := -std=c11 -g -O1 $(WARN) -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# Everything below efi/ and linux/ also runs on the host, under sanitizers.
HOST_SRC := $(wildcard lib/*.c arch/x86/*.c smp/*.c)
HOST_OBJ := $(HOST_SRC:%.c=$(B)/unit/%.o) $(patsubst %.asm,$(B)/unit/%.o,$(wildcard arch/x86/*.asm))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

.PHONY: unit clean
unit: $(UNIT_TESTS)
	@set -e; for t in $(UNIT_TESTS); do $$t; done

$(B)/unit/test_%: tests/unit/test_%.c $(B)/unit/libmigcost.a
	$(CC) $(HOST_CFLAGS) -MMD -o $@ $< $(B)/unit/libmigcost.a -lcmocka

$(B)/unit/libmigcost.a: $(HOST_OBJ)
	@rm -f $@
	ar rcs $@ $(HOST_OBJ)

$(B)/unit/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -MMD -c -o $@ $<

$(B)/unit/%.o: %.asm
	@mkdir -p $(@D)
	nasm -f elf64 -g -F dwarf -w+error -o $@ $<

clean:
	rm -rf $(B)

-include $(HOST_OBJ:.o=.d) $(UNIT_TESTS:=.d)
