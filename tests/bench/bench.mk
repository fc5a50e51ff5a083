# SPDX-License-Identifier: BSD-2-Clause
# The algorithms that Linux used from 2004 to 2007, on the machine model.

OLD_OBJ := $(call objects,host,$(MODEL_LIB_SRC) $(LIB_SRC) tests/bench/migcost_old.c) \
	$(call objects,host,$(wildcard tests/bench/old_*.c arch/x86/touch_order.c))

old: $(B)/host/migcost-old ## build/host/migcost-old, what Linux did from 2004 to 2007 on a modelled machine
.PHONY: old

$(B)/host/migcost-old: $(OLD_OBJ)
	$(Q)$(CC) -Wl,--gc-sections -o $@ $(OLD_OBJ)

-include $(patsubst %,$(B)/host/%.d,$(wildcard tests/bench/*.c))
