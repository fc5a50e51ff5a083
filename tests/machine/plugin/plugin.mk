# SPDX-License-Identifier: BSD-2-Clause
# The machine model inside QEMU: a TCG plugin, one object for each version of QEMU's interface.

PLUGIN_APIS := 1 2 3 4
PLUGIN_SRC := $(addprefix tests/machine/plugin/,guest.c host_clock.c layout.c pass.c watch.c who.c)
PLUGIN_MODEL_SRC := $(filter-out tests/machine/sim_%,$(MODEL_LIB_SRC))
PLUGIN_MODEL_SRC += arch/x86/touch_order.c lib/machine.c lib/topology.c lib/touch.c
PLUGIN_CFLAGS := $(HOST_CFLAGS) -fPIC -fvisibility=hidden
PLUGINS := $(patsubst %,$(B)/plugin/plugin-%.so,$(PLUGIN_APIS))

plugin: $(PLUGINS) ## build/plugin/, QEMU plugins that give a guest a modelled machine
.PHONY: plugin

# What QEMU offers is found when it loads the object: that, and nothing else of ours, is undefined.
$(PLUGINS): $(B)/plugin/plugin-%.so: $(B)/plugin/plugin-%.o $(call objects,plugin,$(PLUGIN_SRC)) \
		$(B)/plugin/libmodel.a
	$(Q)$(CC) -shared -pthread -Wl,--gc-sections -o $@ $^
	$(Q)! nm --undefined-only $@ | grep -Ev ' (U qemu_plugin_|U g_byte_array_new|[Uw] .*@GLIBC|w )' || { rm $@; false; }

$(B)/plugin/libmodel.a: $(call objects,plugin,$(PLUGIN_MODEL_SRC))
	@rm -f $@
	$(Q)ar rcs $@ $^

$(PLUGINS:.so=.o): $(B)/plugin/plugin-%.o: tests/machine/plugin/plugin.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) -DPLUGIN_API=$* -MMD -MP -c -o $@ $<

$(B)/plugin/%.c.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) -MMD -MP -c -o $@ $<

-include $(patsubst %,$(B)/plugin/%.d,$(PLUGIN_SRC) $(PLUGIN_MODEL_SRC)) $(PLUGINS:.so=.d)

# ---- known_machine: plans a run, and judges it ----

KNOWN_SRC := $(addprefix tests/machine/plugin/,accounting.c guest.c host_clock.c known_machine.c)
KNOWN_SRC += $(addprefix tests/machine/plugin/,layout.c measured.c pass.c plan.c verdict.c)
KNOWN_OBJ := $(call objects,host,$(KNOWN_SRC) $(MODEL_LIB_SRC) $(LIB_SRC)) \
	$(call objects,host,$(wildcard arch/x86/touch_order.c))

$(B)/host/known_machine: $(KNOWN_OBJ)
	$(Q)$(CC) -pthread -Wl,--gc-sections -o $@ $(KNOWN_OBJ)

-include $(patsubst %,$(B)/host/%.d,$(KNOWN_SRC))

known: $(B)/host/known_machine sim
.PHONY: known

# ---- Their unit tests ----

PLUGIN_TESTED := $(sort $(PLUGIN_SRC) $(filter-out %/known_machine.c,$(KNOWN_SRC)))

$(B)/unit/libplugin.a: $(call objects,unit,$(PLUGIN_TESTED))
	@rm -f $@
	$(Q)ar rcs $@ $^

PLUGIN_TEST_LIBS := $(addprefix $(B)/unit/,libplugin.a libmodel.a libmigcost.a)
$(B)/unit/test_plugin_%: tests/unit/test_plugin_%.c $(PLUGIN_TEST_LIBS)
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -o $@ $< $(PLUGIN_TEST_LIBS) -lcmocka

-include $(patsubst %,$(B)/unit/%.d,$(PLUGIN_TESTED))

known-machine: ## boot in QEMU a machine whose costs are known, MACHINE=FILE, and compare
	@tests/deps build run
	@$(MAKE) --no-print-directory -s efi plugin $(B)/host/known_machine
	@tests/machine/known-machine $(if $(MACHINE),"$(MACHINE)")
.PHONY: known-machine
