-- Every knob of a rule profile alone: the same steps under each of its values, and what comes of them. What a value
-- means, and whose rule it is, `accdeep rules --profile NAME` tells; knobs.lua of spec/flang has those of Fortran.
scenario { title = "Knobs: what each changes" }

local program = [[
  struct s { int n; float *a, *b; };
  struct t { int k, l, m; };
  struct s S;
  struct t T = { 1, 2, 3 };
  float A[4] = { 1, 2, 3, 4 }, B[4] = { 10, 20, 30, 40 };
  float z[20], *p, *q, *word;
  int n = 1;
]]

local function world(base, knob, value)
  rules { base = base, [knob] = value }
  declare(program)
  host.S = { n = 2 }
  host.S.a = addr "A[0]"
  host.S.b = addr "B[0]"
  for i = 0, 19 do host.z[i] = i end
end

-- What becomes of steps: "done", or the code of their error.
local function outcome(steps)
  local ok, problem = pcall(steps)
  return ok and "done" or problem.code
end

-- The same for a directive, and for a data region.
local function of(text)
  return outcome(function() acc(text) end)
end
local function of_data(text)
  return outcome(function() acc(text)(function() end) end)
end

-- A case for each value: under it the steps give what is wanted.
local function turned(knob, base, steps, wanted)
  for value, result in pairs(wanted) do
    case(("accepts: %s = %s under %s [HOUSE-knobs]"):format(knob, tostring(value), base), function()
      world(base, knob, value)
      expect.equal(steps(), result)
    end)
  end
end

-- S, A and B present, S.a attached to A.
local function attached()
  acc "enter data copyin(S, A, B)"
  acc_attach "S.a"
end

-- The bits that the device holds for a pointer.
local function on_device(text)
  acc_memcpy_from_device(addr "word", acc_deviceptr(text), 8)
  return host.word
end

-- The device's value of an element.
local function sent(text)
  acc_memcpy_from_device(addr "B[0]", acc_deviceptr(text), 4)
  return host.B[0]
end

-- ------------------------------------------------------------------------------ members, clauses --

turned("members", "tr14", function()
  acc "enter data copyin(S.a[0:2])"
  return { acc_is_present "S", acc_is_present "S.a" }
end, { held = { true, true }, ignored = { false, false }, mapped = { false, true } })

turned("extended", "tr14", function()
  return outcome(function()
    declare "struct list { int n; struct list *next;\n#pragma acc shape include(next[0:next ? 1 : 0])\n};"
  end)
end, { [false] = "recursive-type", [true] = "done" })

turned("present", "tr14", function()
  declare [[
    struct v { int n; float *data;
      #pragma acc shape include(data[0:n])
      #pragma acc shape(top) exclude(data)
    } V;
  ]]
  host.V = { n = 2, data = { 1, 2 } }
  acc "enter data copyin<top>(V)"
  return of_data "data present(V)"
end, { deep = "not-present", shallow = "done" })

-- ------------------------------------------------------------------------ data that are present --

turned("again", "tr14", function()
  acc "enter data copyin(z)"
  return of "enter data copyin(z)"
end, { ignore = "done", reject = "already-present" })

turned("counting", "openacc-3.3", function()
  acc "enter data copyin(z)"
  acc "enter data copyin(z) create(z)"
  return state().present[1].dynamic
end, { clauses = 3, constructs = 2 })

turned("partial_overlap", "tr14", function()
  acc "enter data copyin(z[0:4])"
  host.z[0] = 50
  local done = of "enter data copyin(z[0:8])"
  return { done, acc_is_present "z[0:8]", sent "z[0]" }
end, { error = { "partially-present", false, 0 }, present_and_copyin = { "done", true, 0 },
  update_and_copy = { "done", true, 50 } })

turned("fusion", "tr14", function()
  acc "enter data copyin(z[0:4])"
  acc "enter data copyin(z[8:4])"
  return acc_deviceptr "z[8]" - acc_deviceptr "z[0]" == 8
end, { [false] = false, [true] = true })

turned("part_present", "tr14", function()
  acc "enter data copyin(z[0:4])"
  return of_data "data no_create(z[0:8])"
end, { ignore = "done", reject = "partially-present" })

turned("frame_grows", "libgomp-12", function()
  acc "enter data copyin(T.k, T.m)"
  return of "enter data copyin(T.l)"
end, { ignore = "done", reject = "partially-present" })

turned("holes", "tr14", function()
  declare "struct u { int k, l;\n#pragma acc shape exclude(l)\n} U;"
  acc "enter data copyin(U)"
  return of_data "data present(U.l)"
end, { ignore = "done", reject = "not-present" })

turned("member", "libgomp-12", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  for _, object in ipairs(state().present) do
    if object.name == "S" then return object.dynamic end
  end
end, { counted = 2, uncounted = 1 })

-- ------------------------------------------------------------------------- data that are absent --

turned("exit_absent", "tr14", function()
  return of "exit data delete(z)"
end, { ignore = "done", reject = "not-present" })

turned("exit_unowned", "directory", function()
  local result
  expect.accepts("data copyin(z)", function() result = of "exit data delete(z)" end)
  return result
end, { ignore = "done", reject = "not-present" })

turned("null_pointer", "tr14", function()
  acc "enter data copyin(q)"
  return of "enter data copyin(q[0:2])"
end, { ignore = "done", reject = "null-pointer" })

-- ------------------------------------------------------------------------------------- pointers --

turned("attach", "openacc-3.3", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(A)"
  local new = #state().attached
  acc "enter data copyin(S.a[0:4])"
  acc "enter data copyin(S.a[0:4])"
  return { new, #state().attached, state().attached[1] and state().attached[1].count }
end, { counted = { 0, 1, 2 }, new = { 0, 0 }, every = { 0, 1, 1 } })

turned("attach_absent", "tr14", function()
  acc "enter data copyin(S)"
  return of "enter data attach(S.a)"
end, { ignore = "done", reject = "not-present" })

turned("attach_implied", "openacc-3.3", function() return of "enter data copyin(S.a[0:2])" end,
  { ignore = "done", reject = "not-present" })

turned("attach_null", "openacc-3.3", function()
  acc "enter data copyin(S)"
  host.S.a = NULL
  return of "enter data attach(S.a)"
end, { ignore = "done", reject = "null-pointer" })

turned("reattach", "openacc-3.3", function()
  attached()
  host.S.a = addr "B[0]"
  acc_attach "S.a"
  return on_device "S.a" == acc_deviceptr "B[0]"
end, { moves = true, counts = false })

turned("detach_unattached", "openacc-3.3", function()
  acc "enter data copyin(S)"
  return of "exit data detach(S.a)"
end, { ignore = "done", reject = "not-attached" })

turned("detach_final", "openacc-3.3", function()
  attached()
  host.S.b = addr "A[0]"
  acc_detach_finalize "S.b"
  return on_device "S.b" == addr "A[0]"
end, { ignore = true, reject = false })

turned("pointer_changed", "tr14", function()
  attached()
  host.S.a = addr "B[0]"
  return of "exit data detach(S.a)"
end, { ignore = "done", reject = "pointer-changed" })

turned("still_attached", "tr14", function()
  attached()
  return of "exit data delete(A)"
end, { ignore = "done", reject = "still-attached" })

turned("lost_target", "openacc-3.3", function()
  attached()
  acc_delete "A"
  return on_device "S.a" == addr "A[0]"
end, { restored = true, dangles = false })

turned("attached", "openacc-3.3", function()
  attached()
  expect.accepts "update self(S)"
  return host.S.a == addr "A[0]"
end, { kept = true, copied = false })

turned("update", "tr14", function()
  attached()
  local count = 0
  for _, event in ipairs(events(function() acc "update device(S)" end)) do
    if event.op == "h2d" then count = count + event.bytes end
  end
  return { count, on_device "S.a" == acc_deviceptr "A[0]" }
end, { split = { 16, true }, reverse = { 24, true } })

turned("untranslated", "tr14", function()
  acc "enter data copyin(S)"
  local held = on_device "S.a"
  return held == addr "A[0]" and "host" or held == NULL and "null" or "poison"
end, { host = "host", null = "null", poison = "poison" })

case("accepts: untranslated = null leaves attached pointers alone where data are sent again [HOUSE-knobs]", function()
  rules { base = "libgomp-12", untranslated = "null", partial_overlap = "update_and_copy" }
  declare(program)
  host.S.a = addr "A[0]"
  acc "enter data copyin(S.a[0:4])"
  acc "enter data copyin(S)"
  expect.attached("S.a", 1)
  expect.device("S.a[2]", 3)
end)

turned("stale", "directory", function()
  local result
  acc "data copyin(z[0:4])" (function()
    host.q = acc_deviceptr "z[0]"
    expect.accepts("data copyin(z[8:4])", function()
      result = outcome(function() acc "parallel deviceptr(q)" "q[0] = 1;" end)
    end)
  end)
  return result
end, { ignore = "done", reject = "out-of-bounds" })

-- ------------------------------------------------------------------------------------- routines --

turned("unmap_used", "openacc-3.3", function()
  local d = acc_malloc(80)
  acc_map_data(addr "z[0]", d, 80)
  local result
  expect.accepts("data create(z[2:4])", function() result = outcome(function() acc_unmap_data(addr "z[0]") end) end)
  return result
end, { ignore = "done", reject = "already-present" })

turned("zero_map", "openacc-3.3", function()
  return outcome(function() acc_create(addr "z[0]", 0) end)
end, { ignore = "done", reject = "invalid-section" })

turned("zero_update", "openacc-3.3", function()
  return outcome(function() acc_update_device(addr "z[0]", 0) end)
end, { ignore = "done", reject = "not-present" })

turned("zero_present", "openacc-3.3", function()
  acc_create "z"
  return acc_is_present(addr "z[3]", 0)
end, { ignore = true, reject = false })

turned("null_routine", "openacc-3.3", function()
  return outcome(function() acc_delete(NULL, 4) end)
end, { ignore = "done", reject = "null-pointer" })

-- --------------------------------------------------------------------------------------- OpenMP --

turned("section", "openmp-5.1", function()
  host.p, host.q = addr "z[0]", addr "z[0]"
  omp "target enter data map(to: p[0:4])"
  local first = #state().present
  omp "target enter data map(to: q[0:4])"
  return { first, #state().present }
end, { ["one-step"] = { 1, 1 }, ["two-step"] = { 2, 3 }, ["value-first"] = { 2, 2 } })

turned("implicit", "openmp-5.1", function()
  omp "target" "n = n + 1; z[0] = 7;"
  return { host.n, host.z[0] }
end, { firstprivate = { 1, 7 }, tofrom = { 2, 7 }, ["by-type"] = { 2, 7 } })

turned("unmatched", "openmp-5.1", function()
  host.p = addr "z[0]"
  expect.accepts("omp target map(tofrom: n)", "if (p == 0) n = 40;")
  return host.n
end, { host = 1, null = 40 })

turned("extended_range", "openmp-5.2", function()
  host.p = addr "z[4]"
  omp "target enter data map(to: p[4:4])"
  host.q = addr "z[5]"
  return outcome(function() omp "target" "q[3] = 1;" end)
end, { [false] = "host-pointer-on-device", [true] = "done" })

-- ------------------------------------------------------------------------------- what there is not --

case("rejects: a knob that there is not [HOUSE-knobs]", function()
  local problem = expect.fails("unknown-name", function() rules { base = "tr14", atach = "new" } end)
  expect.equal(problem.help, "did you mean 'attach'?")
  expect.fails("unknown-name", function() rules { base = "tr14", fancy = true } end)
end)

case("rejects: a value that the knob has not [HOUSE-knobs]", function()
  local problem = expect.fails("type-mismatch", function() rules { base = "tr14", attach_null = "rejects" } end)
  expect.equal(problem.message, "attach_null is ignore or reject, not 'rejects'")
  expect.equal(problem.help, "did you mean 'reject'?")
  expect.fails("type-mismatch", function() rules { base = "tr14", attach_null = true } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", extended_range = "no" } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", counting = 1 } end)
end)

case("rejects: rules that are neither a name nor knobs of one [HOUSE-knobs]", function()
  local function refused(wanted, message)
    local problem = expect.fails("type-mismatch", function() rules(wanted) end, { rule = "HOUSE-knobs" })
    expect.equal(problem.message, message)
    expect.equal(type(problem.help), "string")
  end
  refused(false, "rules is a profile's name or a table with base, not 'false'")
  refused(14, "rules is a profile's name or a table with base, not '14'")
  refused(function() end, "rules is a profile's name or a table with base, not a function")
  refused({ base = {} }, "base is a profile's name, not a table")
  refused({ base = false }, "base is a profile's name, not 'false'")
  refused({ untranslated = {} }, "untranslated is host or null or poison, not a table")
  expect.fails("type-mismatch", function() rules() end)
  refused({ "tr14" }, "the name of a rule knob is a text, not '1'")
  refused({ [{}] = true }, "the name of a rule knob is a text, not a table")
end)
