# SPDX-License-Identifier: BSD-2-Clause
# From report.json, what known_machine compares, as lines of words. Null is "-".
def word: if . == null then "-" else tostring end;
def number_in($names): . as $name | $names | index($name);

.matrix as $matrix
| ["run", (.run.pattern | number_in(["linear", "scatter", "chase"])),
   (.run.access | number_in(["read", "write", "update"])),
   .run.raw_working_set_bytes, .run.region_node,
   (if .flags.names | index("clock-disagrees") then 1 else 0 end)],
  ($matrix.apic_ids | to_entries[] | ["cpu", .value]),
  (.classes[]
   | ["class", .cost.ns, .cost.spread_ns, .cost.samples, .working_set_bytes, .pairs,
      .measured_pair[0], .measured_pair[1],
      (if .flags | index("zero") then 1 else 0 end),
      .evict_bytes, .evict_footprint_bytes, .evict_ns]),
  (range($matrix.apic_ids | length) as $s | range($matrix.apic_ids | length) as $d
   | ["cell", $s, $d, $matrix.cost_ns[$s][$d], $matrix.raw_ns[$s][$d], $matrix.class[$s][$d]])
| map(word) | join(" ")
