# SPDX-License-Identifier: BSD-2-Clause
# The machine model, for the unit tests and for migcost-sim. README.md in this folder is its manual.

MODEL_SRC := $(wildcard tests/machine/*.c)
MODEL_PROGRAMS := tests/machine/migcost_sim.c
MODEL_LIB_SRC := $(filter-out $(MODEL_PROGRAMS),$(MODEL_SRC))

$(B)/unit/libmodel.a: $(call objects,unit,$(MODEL_LIB_SRC))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/unit/test_model%: tests/unit/test_model%.c $(B)/unit/libmodel.a $(B)/unit/libmigcost.a
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -o $@ $< $(B)/unit/libmodel.a $(B)/unit/libmigcost.a -lcmocka

-include $(patsubst %,$(B)/unit/%.d,$(MODEL_LIB_SRC)) $(patsubst %,$(B)/host/%.d,$(MODEL_SRC))

$(B)/fuzz/libmodel.a: $(call objects,fuzz,$(MODEL_LIB_SRC))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(B)/fuzz/fuzz_machine_file: tests/fuzz/fuzz_machine_file.c $(B)/fuzz/libmodel.a $(B)/fuzz/libmigcost.a
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP -MF $@.d -o $@ $< $(B)/fuzz/libmodel.a $(B)/fuzz/libmigcost.a

# ---- migcost-sim: the engine on the model ----

SIM_OBJ := $(call objects,host,$(MODEL_LIB_SRC) tests/machine/migcost_sim.c $(LIB_SRC)) \
	$(call objects,host,$(wildcard arch/x86/touch_order.c))

sim: $(B)/host/migcost-sim ## build/host/migcost-sim, the measurement on a modelled machine
.PHONY: sim

$(B)/host/migcost-sim: $(SIM_OBJ)
	$(Q)$(CC) -Wl,--gc-sections -o $@ $(SIM_OBJ)

-include tests/machine/plugin/plugin.mk
