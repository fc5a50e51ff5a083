# SPDX-License-Identifier: BSD-2-Clause
# The machine model inside QEMU: a TCG plugin, one object for each version of QEMU's interface.

PLUGIN_APIS := 1 2 3 4
PLUGIN_SRC := $(addprefix tests/machine/plugin/,guest.c host_clock.c layout.c pass.c watch.c)
PLUGIN_SRC += $(addprefix tests/machine/,cache.c claims.c coherence.c cost.c machine_check.c)
PLUGIN_SRC += $(addprefix tests/machine/,machine_file.c machine_keys.c machine_sets.c model.c value.c)
PLUGIN_SRC += arch/x86/touch_order.c lib/touch.c
PLUGIN_CFLAGS := $(HOST_CFLAGS) -fPIC -fvisibility=hidden
PLUGINS := $(patsubst %,$(B)/plugin/plugin-%.so,$(PLUGIN_APIS))

plugin: $(PLUGINS) ## build/plugin/, QEMU plugins that give a guest a modelled machine
.PHONY: plugin

# What QEMU offers is found when it loads the object: undefined here.
$(PLUGINS): $(B)/plugin/plugin-%.so: $(B)/plugin/plugin-%.o $(call objects,plugin,$(PLUGIN_SRC))
	$(Q)$(CC) -shared -Wl,--gc-sections -o $@ $^

$(PLUGINS:.so=.o): $(B)/plugin/plugin-%.o: tests/machine/plugin/plugin.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) -DPLUGIN_API=$* -MMD -MP -c -o $@ $<

$(B)/plugin/%.c.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CFLAGS) -MMD -MP -c -o $@ $<

-include $(patsubst %,$(B)/plugin/%.d,$(PLUGIN_SRC)) $(PLUGINS:.so=.d)

# ---- known_machine: plans a run, and judges it ----

KNOWN_SRC := $(addprefix tests/machine/plugin/,accounting.c guest.c host_clock.c known_machine.c)
KNOWN_SRC += $(addprefix tests/machine/plugin/,layout.c measured.c pass.c plan.c verdict.c)
KNOWN_OBJ := $(call objects,host,$(KNOWN_SRC) $(MODEL_LIB_SRC) $(LIB_SRC)) \
	$(call objects,host,$(wildcard arch/x86/touch_order.c))

$(B)/host/known_machine: $(KNOWN_OBJ)
	$(Q)$(CC) -pthread -Wl,--gc-sections -o $@ $(KNOWN_OBJ)

-include $(patsubst %,$(B)/host/%.d,$(KNOWN_SRC))

known-machine: ## boot in QEMU a machine whose costs are known, MACHINE=FILE, and compare
	@tests/deps build run
	@$(MAKE) --no-print-directory -s efi plugin $(B)/host/known_machine
	@tests/machine/known-machine $(if $(MACHINE),"$(MACHINE)")
.PHONY: known-machine
