-- Each knob of a rule profile alone: the same steps under each of its values, with their results. The command
-- `accdeep rules --profile NAME` says what a value means and which rule it follows. spec/flang/knobs.lua has the
-- knobs of Fortran.
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

-- The same for a directive.
local function of(text)
  return outcome(function() acc(text) end)
end

-- The present objects, each with its structured and its dynamic counter: "z 1+0, n 0+2".
local function counters()
  local found = {}
  for k, object in ipairs(state().present) do
    found[k] = ("%s %d+%d"):format(object.name, object.structured, object.dynamic)
  end
  return table.concat(found, ", ")
end

-- The counters inside of a data region, or the code of its error.
local function of_data(text)
  local inside
  local result = outcome(function() acc(text)(function() inside = counters() end) end)
  return result == "done" and inside or result
end

-- A case for each value: under it the steps give what is wanted.
local function turned(knob, base, steps, wanted)
  for value, result in pairs(wanted) do
    case(("accepts: %s = %s has its effect under %s [HOUSE-knobs]"):format(knob, tostring(value), base), function()
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
  return { acc_is_present "S", acc_is_present "S.a", acc_is_present "A[0:2]" }
end, { held = { true, true, true }, ignored = { false, false, true }, mapped = { false, true, true } })

turned("chains", "libomptarget-19", function()
  declare "struct holder { struct s *s; } H;"
  host.H.s = addr "S"
  omp "target enter data map(to: H.s->a[0:2])"
  omp "target exit data map(release: H.s->a[0:2])"
  return counters()
end, { ignored = "", mapped = "H.s->a 0+1" })

turned("races", "tr14", function()
  return outcome(function()
    expect.fails("data-race", function()
      acc "parallel loop copy(A)" "for (int i = 1; i < 4; i++) A[i] = A[i - 1];"
    end)
  end)
end, { reported = "done", ignored = "expectation" })

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
  return { counters(), of_data "data present(V)" }
end, { deep = { "V 0+1", "not-present" }, shallow = { "V 0+1", "V 1+1" } })

-- ------------------------------------------------------------------------ data that are present --

turned("again", "tr14", function()
  acc "enter data copyin(z)"
  return { of "enter data copyin(z)", counters() }
end, { ignore = { "done", "z 0+2" }, reject = { "already-present", "z 0+1" } })

turned("counting", "openacc-3.3", function()
  acc "enter data copyin(z)"
  acc "enter data copyin(z) create(z)"
  acc "enter data copyin(n)"
  acc "parallel present(n)" "n = 9;"
  acc "exit data copyout(n) delete(n)"
  return { state().present[1].dynamic, host.n }
end, { clauses = { 3, 9 }, constructs = { 2, 9 }, items = { 3, 1 } })

turned("partial_overlap", "tr14", function()
  acc "enter data copyin(z[0:4])"
  host.z[0] = 50
  local done = of "enter data copyin(z[0:8])"
  return { done, acc_is_present "z[0:8]", sent "z[0]", counters() }
end, { error = { "partially-present", false, 0, "z[0:4] 0+1" },
  present_and_copyin = { "done", true, 0, "z[0:4] 0+2, z[4:4] 0+1" },
  update_and_copy = { "done", true, 50, "z[0:4] 0+2, z[4:4] 0+1" } })

turned("fusion", "tr14", function()
  acc "enter data copyin(z[0:4])"
  acc "enter data copyin(z[8:4])"
  return { counters(), acc_deviceptr "z[8]" - acc_deviceptr "z[0]" == 8 }
end, { [false] = { "z[0:4] 0+1, z[8:4] 0+1", false }, [true] = { "z[0:4] 0+1, z[8:4] 0+1", true } })

turned("part_present", "tr14", function()
  acc "enter data copyin(z[0:4])"
  return { counters(), of_data "data no_create(z[0:8]) create(n)" }
end, { ignore = { "z[0:4] 0+1", "n 1+0, z[0:4] 0+1" }, reject = { "z[0:4] 0+1", "partially-present" } })

turned("frame_grows", "libgomp-12", function()
  acc "enter data copyin(T.k, T.m)"
  return { of "enter data copyin(T.l)", counters() }
end, { ignore = { "done", "T.k 0+1, T.l 0+1, T.m 0+1" }, reject = { "partially-present", "T.k 0+1, T.m 0+1" } })

turned("holes", "tr14", function()
  declare "struct u { int k, l;\n#pragma acc shape exclude(l)\n} U;"
  acc "enter data copyin(U)"
  return { counters(), of_data "data present(U.l)" }
end, { ignore = { "U 0+1", "U 1+1" }, reject = { "U 0+1", "not-present" } })

turned("member", "libgomp-12", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(S.a[0:2])"
  return counters()
end, { counted = "S 0+2, S.a[0:2] 0+1", uncounted = "S 0+1, S.a[0:2] 0+1" })

-- ------------------------------------------------------------------------- data that are absent --

turned("exit_absent", "tr14", function()
  return of "exit data delete(z)"
end, { ignore = "done", reject = "not-present" })

turned("exit_unowned", "directory", function()
  local result
  expect.accepts("data copyin(z)", function() result = { of "exit data delete(z)", counters() } end)
  return result
end, { ignore = { "done", "z 1+0" }, reject = { "not-present", "z 1+0" } })

turned("null_pointer", "tr14", function()
  acc "enter data copyin(q)"
  return { of "enter data copyin(q[0:2])", counters() }
end, { ignore = { "done", "q 0+1" }, reject = { "null-pointer", "q 0+1" } })

-- ------------------------------------------------------------------------------------- pointers --

turned("attach", "openacc-3.3", function()
  acc "enter data copyin(S)"
  acc "enter data copyin(A)"
  local new = #state().attached
  acc "enter data copyin(S.a[0:4])"
  acc "enter data copyin(S.a[0:4])"
  return { counters(), new, #state().attached, state().attached[1] and state().attached[1].count }
end, { counted = { "A 0+3, S 0+1", 0, 1, 2 }, new = { "A 0+3, S 0+1", 0, 0 }, every = { "A 0+3, S 0+1", 0, 1, 1 } })

turned("attach_absent", "tr14", function()
  acc "enter data copyin(S)"
  return { counters(), of "enter data attach(S.a)" }
end, { ignore = { "S 0+1", "done" }, reject = { "S 0+1", "not-present" } })

turned("attach_implied", "openacc-3.3", function()
  return { of "enter data copyin(S.a[0:2])", counters() }
end, { ignore = { "done", "S.a[0:2] 0+1" }, reject = { "not-present", "" } })

turned("attach_null", "openacc-3.3", function()
  acc "enter data copyin(S)"
  host.S.a = NULL
  return { counters(), of "enter data attach(S.a)" }
end, { ignore = { "S 0+1", "done" }, reject = { "S 0+1", "null-pointer" } })

turned("reattach", "openacc-3.3", function()
  attached()
  host.S.a = addr "B[0]"
  acc_attach "S.a"
  return on_device "S.a" == acc_deviceptr "B[0]"
end, { moves = true, counts = false })

turned("detach_unattached", "openacc-3.3", function()
  acc "enter data copyin(S)"
  return { counters(), of "exit data detach(S.a)" }
end, { ignore = { "S 0+1", "done" }, reject = { "S 0+1", "not-attached" } })

turned("detach_final", "openacc-3.3", function()
  attached()
  host.S.b = addr "A[0]"
  acc_detach_finalize "S.b"
  return on_device "S.b" == addr "A[0]"
end, { ignore = true, reject = false })

turned("finalize_detaches", "openacc-3.3", function()
  attached()
  acc "enter data attach(S.a)"
  local restored
  acc "data present(A)" (function()
    acc "exit data delete(S.a[0:4]) finalize"
    restored = on_device "S.a" == addr "A[0]"
  end)
  return restored
end, { [true] = true, [false] = false })

turned("end_detaches", "openacc-3.3", function()
  acc "data copyin(S.a[0:4])" (function()
    acc "enter data copyin(S) attach(S.a)"
    acc "enter data copyin(A)"
  end)
  return on_device "S.a" == addr "A[0]"
end, { [true] = true, [false] = false })

turned("loop_reduction", "openacc-3.3", function()
  local result = outcome(function()
    acc "parallel" [[
      #pragma acc loop reduction(+: n)
      for (int i = 0; i < 3; i++) n += i;
    ]]
  end)
  return { result, host.n }
end, { copied = { "done", 4 }, rejected = { "missing-clause", 1 } })

turned("pointer_changed", "tr14", function()
  attached()
  host.S.a = addr "B[0]"
  return { of "exit data detach(S.a)", on_device "S.a" == addr "B[0]" }
end, { ignore = { "done", true }, reject = { "pointer-changed", false } })

turned("still_attached", "tr14", function()
  attached()
  return { of "exit data delete(A)", acc_is_present "A" }
end, { ignore = { "done", false }, reject = { "still-attached", true } })

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

case("accepts: untranslated = null keeps attached pointers where data are sent again [HOUSE-knobs]", function()
  rules { base = "libgomp-12", untranslated = "null", partial_overlap = "update_and_copy" }
  declare(program)
  host.S.a = addr "A[0]"
  acc "enter data copyin(S.a[0:4])"
  acc "enter data copyin(S)"
  expect.count("S", { dynamic = 1 })
  expect.attached("S.a", 1)
  expect.device("S.a[2]", 3)
end)

turned("stale", "directory", function()
  local result
  acc "data copyin(z[0:4])" (function()
    host.q = acc_deviceptr "z[0]"
    expect.accepts("data copyin(z[8:4])", function()
      result = outcome(function() acc "parallel deviceptr(q) copy(n)" "q[0] = 1; n = 9;" end)
    end)
  end)
  return { result, host.n }
end, { ignore = { "done", 9 }, reject = { "out-of-bounds", 1 } })

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
  local first = counters()
  omp "target enter data map(to: q[0:4])"
  return { first, counters() }
end, { ["one-step"] = { "p[0:4] 0+1", "p[0:4] 0+2" },
  ["two-step"] = { "p 0+1, p[0:4] 0+1", "p 0+1, p[0:4] 0+2, q 0+1" },
  ["value-first"] = { "p 0+1, p[0:4] 0+1", "p 0+1, p[0:4] 0+2" } })

turned("implicit", "openmp-5.1", function()
  omp "target" "n = n + 1; z[0] = 7;"
  return { host.n, host.z[0] }
end, { firstprivate = { 1, 7 }, tofrom = { 2, 7 }, ["by-type"] = { 2, 7 } })

turned("unmatched", "openmp-5.1", function()
  host.p = addr "z[0]"
  expect.accepts("omp target map(tofrom: n)", "if (p == 0) n = 40;")
  return host.n
end, { host = 1, null = 40 })

turned("use_device", "openmp-5.1", function()
  host.p = addr "z[0]"
  local found
  omp "target data map(tofrom: n) use_device_ptr(p)" (function() found = host.p == NULL end)
  return { found, host.p == NULL }
end, { host = { false, false }, null = { true, false } })

turned("extended_range", "openmp-5.2", function()
  host.p = addr "z[4]"
  omp "target enter data map(to: p[4:4])"
  host.q = addr "z[5]"
  return { counters(), outcome(function() omp "target" "q[3] = 1;" end), sent "z[8]" }
end, { [false] = { "p[4:4] 0+1", "host-pointer-on-device", 8 }, [true] = { "p[4:4] 0+1", "done", 1 } })

-- ------------------------------------------------------------------------- unknown knobs and values --

case("rejects: a knob is unknown [HOUSE-knobs]", function()
  local problem = expect.fails("unknown-name", function() rules { base = "tr14", atach = "new" } end)
  expect.equal(problem.help, "did you mean 'attach'?")
  expect.fails("unknown-name", function() rules { base = "tr14", fancy = true } end)
end)

case("rejects: a knob has an unknown value [HOUSE-knobs]", function()
  local problem = expect.fails("type-mismatch", function() rules { base = "tr14", attach_null = "rejects" } end)
  expect.equal(problem.message, "attach_null is ignore or reject, not 'rejects'")
  expect.equal(problem.help, "did you mean 'reject'?")
  expect.fails("type-mismatch", function() rules { base = "tr14", attach_null = true } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", extended_range = "no" } end)
  expect.fails("type-mismatch", function() rules { base = "tr14", counting = 1 } end)
end)

case("rejects: rules are neither a name nor a table of knobs [HOUSE-knobs]", function()
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

case("accepts: a profile's name has changes of knobs [HOUSE-knobs]", function()
  rules "openacc-3.3+again=reject+exit_absent=reject"
  declare(program)
  acc "enter data copyin(A)"
  expect.fails("already-present", function() acc "enter data copyin(A)" end)
  expect.fails("not-present", function() acc "exit data delete(B)" end)
end)

case("accepts: a value in a profile's name may be false [HOUSE-knobs]", function()
  rules "directory+fusion=false"
  declare(program)
  acc "enter data copyin(z[0:2])"
  expect.fails("partially-present", function() acc "enter data copyin(z[1:2])" end)
end)

case("rejects: a change in a profile's name is no change of a knob [HOUSE-knobs]", function()
  local function refused(code, wanted)
    return expect.fails(code, function() rules(wanted) end, { rule = "HOUSE-knobs" })
  end
  expect(refused("type-mismatch", "openacc-3.3+").message:find("'knob=value', not ''", 1, true))
  expect(refused("type-mismatch", "openacc-3.3+again").message:find("not 'again'", 1, true))
  expect(refused("unknown-name", "openacc-3.3+agian=reject").help:find("'again'", 1, true))
  expect(refused("type-mismatch", "openacc-3.3+again=rejects").help:find("'reject'", 1, true))
  expect.fails("unknown-name", function() rules "openacc-9+again=reject" end)
end)
