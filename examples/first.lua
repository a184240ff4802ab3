-- A first scenario: a host program's data, the directives that it executes, and what must then be true.
--
--   accdeep run first.lua                    executes it
--   accdeep run --step first.lua             shows what each directive does, forwards and backwards
--   accdeep draw first.lua -o first.html     draws host and device after each step
--   accdeep run --compare openacc-3.3,tr14,libgomp-12 first.lua    compares rule profiles
--
-- A scenario is a script in Lua. `accdeep explain NAME` explains each name: accdeep explain expect.device

-- The first statement may choose the rules: those of a document, or of a compiler's runtime.
-- `accdeep rules --profile openacc-3.3` shows what a rule profile decides.
scenario { title = "A first scenario", rules = "openacc-3.3" }

-- The types and variables of the host program are C, in a text. Values are tables: a pointer takes a list.
declare [[
  struct vector { int n; float *data; };
  struct vector v;
]]
host.v = { n = 4, data = { 1, 2, 3, 4 } }

-- A directive is a text. The body of a compute construct follows as a text of C.
case("a kernel changes the device, and an update copies the result", function()
  acc "enter data copyin(v, v.data[0:v.n])" -- copies both, and attaches the pointer v.data
  acc "parallel loop present(v)" "for (int i = 0; i < v.n; i++) v.data[i] += 10;"
  expect.device("v.data[0]", 11)
  expect.host("v.data[0]", 1) -- the host still has the old value
  acc "update self(v.data[0:v.n])"
  expect.host("v.data[0:4]", { 11, 12, 13, 14 })
  acc "exit data delete(v.data[0:v.n], v)"
  expect.absent "v"
end)

-- Each case begins with the declarations and values above. This one shows a mistake: the array is mapped before the
-- structure, so that nothing attaches the pointer. Without expect.fails, the case would fail and show the reason.
case("a pointer that was never attached", function()
  acc "enter data copyin(v.data[0:v.n])"
  acc "enter data copyin(v)"
  expect.fails("host-pointer-on-device", function()
    acc "parallel loop present(v)" "for (int i = 0; i < v.n; i++) v.data[i] += 10;"
  end)
  acc "enter data attach(v.data)" -- the cure
  expect.device("v.data[0]", 1)
end)

-- Try next: change the last 1 to 2; use `update device(v)` in the first case; print(state()) anywhere.
-- accdeep examples lists more scenarios, by subject.
