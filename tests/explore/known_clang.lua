-- libomptarget of LLVM 14 and 19: differences that `accdeep explore` finds, each with its smallest program, and why.
-- tests/explore/run compares.

local IGNORED = "libomptarget finds no entry for a range that is present in part, and goes on."
local IMPLICIT_PART = "libomptarget maps nothing for an implicit list item of which a part is present; the "
  .. "kernel writes elsewhere."
local IMPLICIT_WRITE = "libomptarget looks up an implicit list item by its begin: a kernel writes beyond the "
  .. "block of the first part."
local ALWAYS = "libomptarget defect: `always` sends an attached pointer as the host has it; `target update` does not."
local SHADOW = "libomptarget defect: a copy to the host gives a pointer the value from when it was attached; "
  .. "what the host wrote since is lost."
local FILE_SCOPE = "clang maps a pointer with its section, and attaches it, if it is a variable with static "
  .. "storage; a local one it does not."
local NULL = "libomptarget finds nothing present at a null pointer, and goes on."
local DELETE_TOGETHER = "libomptarget defect: members are unmapped as one range; where a part of the range "
  .. "is absent, nothing is unmapped."

local known = {}

known.omp_duplicates = {
  { "target map(p[:0]) map(from: isnull) { isnull = p == 0 }", "device presence", FILE_SCOPE },
}

known.omp_arrays = {
  { "target enter data map(to: a[1:2]); target exit data map(from: a)", "error partially-present", IGNORED },
  { "target enter data map(to: a[1:2]); target exit data map(release: a)", "error partially-present", IGNORED },
  { "target enter data map(to: a[1:2]); target exit data map(delete: a)", "error partially-present", IGNORED },
  { "target enter data map(to: a[1:2]); target exit data map(always, from: a)", "error partially-present", IGNORED },
  { "target enter data map(alloc: a[2:2]); target exit data map(from: a[1:2])", "error partially-present", IGNORED },
  { "target data map(alloc: a[0:2]); target { a[2] = 9 }", "error not-present", IMPLICIT_PART },
  { "target enter data map(alloc: a[2:2]); target data map(alloc: a[0:2]); target { a[2] = 9 }",
    "device value", IMPLICIT_WRITE },
}

known.omp_attach = {
  { "target enter data map(to: s.d[0:4]); target exit data map(from: s)", "error partially-present", IGNORED },
  { "target enter data map(to: s.d[0:4]); target exit data map(delete: s)", "error partially-present", IGNORED },
  { "target enter data map(to: s.d[0:4]); target exit data map(release: a)", "error partially-present", IGNORED },
  { "target enter data map(to: s, s.d[0:4]); target enter data map(always, to: s)", "device pointer", ALWAYS },
  { "target enter data map(to: s.d[0:4]); s.d = a + 2; target exit data map(release: s.d[0:4])",
    "error partially-present", IGNORED },
  { "target enter data map(to: s, s.d[0:4]); s.d = a + 2; target exit data map(from: s)", "host pointer", SHADOW },
  { "target enter data map(to: s, s.d[0:4]); s.d = a + 2; target update from(s)", "host pointer", SHADOW },
  { "target enter data map(to: s, s.d[0:4]); target data map(tofrom: s); s.d = a + 2; end", "host pointer", SHADOW },
}

known.omp_pointers = {
  { "target enter data map(to: p[0:4])", "device presence", FILE_SCOPE },
  { "target enter data map(to: p[2:2])", "device presence", FILE_SCOPE },
  { "target enter data map(to: p, p[0:4])", "device pointer", FILE_SCOPE },
  { "target data map(tofrom: p[0:4])", "device presence", FILE_SCOPE },
  { "target enter data map(to: a); target map(present, alloc: p[0:4]) { p[1] = 9 }",
    "ends: abort: device mapping required by 'present' map type modifier does not exist for host address ADDRESS"
      .. " (N bytes)", FILE_SCOPE },
  { "target enter data map(to: p); target enter data map(to: p[0:4])", "device pointer", FILE_SCOPE },
  { "target enter data map(to: p); target enter data map(to: p[2:2])", "device pointer", FILE_SCOPE },
  { "target enter data map(to: p); target data map(tofrom: p[0:4])", "device pointer", FILE_SCOPE },
  { "p = 0; target exit data map(from: p[0:4])", "error null-pointer", NULL },
  { "p = 0; target update to(p[0:4])", "error null-pointer", NULL },
  { "target enter data map(to: a); target enter data map(to: p); target map(present, alloc: p[0:4]) { p[1] = 9 }",
    "device pointer", FILE_SCOPE },
}

known.omp_members = {
  { "target enter data map(to: s.x); target exit data map(from: s)", "error partially-present", IGNORED },
  { "target enter data map(to: s.x); target exit data map(delete: s.x, s.z)", "device presence", DELETE_TOGETHER },
  { "target data map(tofrom: s.x, s.z); target exit data map(from: s.x); target enter data map(to: s.x); end",
    "error partially-present", IGNORED },
}

known.omp_nested = {
  { "target enter data map(to: t.s[0:1]); target exit data map(release: t)", "error partially-present", IGNORED },
  { "target enter data map(to: t.s[0:1]); target exit data map(from: t)", "error partially-present", IGNORED },
  { "target enter data map(to: t.s[0:1]); target exit data map(delete: t)", "error partially-present", IGNORED },
  { "target enter data map(to: s.d[0:4]); target exit data map(release: t.s[0:1])",
    "error partially-present", IGNORED },
  { "target enter data map(to: s.d[0:4]); target exit data map(from: t.s[0:1])", "error partially-present", IGNORED },
}

return known
