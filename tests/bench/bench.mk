# SPDX-License-Identifier: BSD-2-Clause
# The algorithms that Linux used from 2004 to 2007, on the machine model.

OLD_OBJ := $(call objects,host,$(MODEL_LIB_SRC) $(LIB_SRC) tests/bench/migcost_old.c) \
	$(call objects,host,$(wildcard tests/bench/old_*.c) tests/bench/v5.c arch/x86/touch_order.c)

old: $(B)/host/migcost-old ## build/host/migcost-old, what Linux did from 2004 to 2007 on a modelled machine
.PHONY: old

$(B)/host/migcost-old: $(OLD_OBJ)
	$(Q)$(CC) -Wl,--gc-sections -o $@ $(OLD_OBJ)

-include $(patsubst %,$(B)/host/%.d,$(wildcard tests/bench/*.c))

# ---- On the machine at hand ----

REAL_OBJ := $(filter-out $(B)/host/linux/main.c.o,$(HOST_OBJ))
REAL_PROGRAMS := $(B)/bench/real_spread $(B)/bench/touch_cycles

bench: $(REAL_PROGRAMS)
bench-programs: $(REAL_PROGRAMS)

$(B)/bench/real_spread: $(call objects,host,$(addprefix tests/bench/,real_spread.c real.c real_v5.c v5.c)) $(REAL_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread -Wl,--gc-sections -o $@ $^

$(B)/bench/touch_cycles: $(call objects,host,tests/bench/touch_cycles.c tests/bench/touch_plain.c) $(REAL_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -pthread -Wl,--gc-sections -o $@ $^
