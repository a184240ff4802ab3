-- TR14 Figure A.1: one type, three shapes, and what each directive moves.
--
--   accdeep run examples/deep_type.lua

scenario { title = "TR14 Figure A.1, step by step", rules = "tr14",
  cites = { "TR14-3.1.1-01", "TR14-3.1.1-04", "TR14-3.1.1-06", "TR14-3.4-01" } }

declare [[
  struct deep_type {
      int n;
      float* a;
      float* b;
      float* c;
      // The default shape: a deep copy of a, b and c; member n is always initialised
      #pragma acc shape init_needed(n) include(a[0:n],b[0:n],c[0:n])
      // A named shape specialises the default one: without b and c
      #pragma acc shape(part_a) exclude(b,c)
      // Nothing but member b: useful for updates
      #pragma acc shape(only_b) default(exclude) include(b)
  };

  deep_type X;
  deep_type* Y;
  int size = 3;
  int i;
]]

-- ------------------------------------------------------------------------- the account --

local number = 0
local shown = { alloc = true, h2d = true, d2h = true, attach = true }

-- Runs a piece and prints its events. Returns its moves, for comparisons.
local function account(text, piece)
  number = number + 1
  print(("%2d. %s"):format(number, text))
  local moves, op, names = {}, nil, nil
  local function line()
    local row = op and ("      %-7s"):format(op)
    for i, name in ipairs(names or {}) do
      if #row + #name > 98 then
        print((row:gsub(" $", "")))
        row = (" "):rep(13)
      end
      row = row .. name .. (i < #names and ", " or "")
    end
    if row then print(row) end
  end
  for _, event in ipairs(events(piece)) do
    if shown[event.op] then
      if event.op ~= op then
        line()
        op, names = event.op, {}
      end
      names[#names + 1] = op == "attach" and event.name or ("%s (%d)"):format(event.name, event.bytes)
      if op == "h2d" or op == "d2h" then moves[#moves + 1] = op .. " " .. names[#names] end
    end
  end
  line()
  return moves
end

local function step(directive)
  return account("#pragma acc " .. directive, function() acc(directive) end)
end

local function end_data()
  return account("   end of the region", function() acc "end data" end)
end

-- ----------------------------------------------------------------------- one object, X --

host.X = { n = 3, a = { 1, 2, 3 }, b = { 4, 5, 6 }, c = { 7, 8, 9 } }

-- A deep copy of X: n, the pointers, and their targets.
step "data copy(X)"
show()
acc "parallel present(X)" [[
  for (int k = 0; k < X.n; ++k) X.a[k] = X.b[k] + X.c[k];
]]
expect.host("X.a[0:3]", { 1, 2, 3 }) -- the host sees nothing before the region ends
end_data()
expect.host("X.a[0:3]", { 11, 13, 15 })
expect.absent "X"
print()

-- A deep create of X: only n is initialised.
step "data create(X)"
expect.device("X.n", 3)
expect.uninitialized "X.a[0:3]"
end_data()
expect.host("X.a[0:3]", { 11, 13, 15 })

-- Shape part_a: n is initialised, a is created; a and n are copied out at the end.
step "data copyout<part_a>(X)"
expect.device("X.n", 3)
expect.uninitialized "X.a[0:3]"
expect.absent "X.b[0:3]"
acc "parallel present<part_a>(X)" (function(d)
  for k = 0, d.X.n - 1 do d.X.a[k] = 100 + k end
end)
end_data()
expect.host("X.a[0:3]", { 100, 101, 102 })
expect.host("X.b[0:3]", { 4, 5, 6 })

-- Updates: all of X, then only member b, written in two ways.
acc "data copy(X)" (function()
  acc "parallel present(X)" (function(d)
    for k = 0, d.X.n - 1 do d.X.a[k], d.X.b[k] = 1 + k, 10 + k end
  end)
  step "update self(X)"
  expect.host("X.a[0:3]", { 1, 2, 3 })
  expect.host("X.b[0:3]", { 10, 11, 12 })

  local by_shape = step "update self<only_b>(X)"
  local by_section = step "update self(X.b[0:X.n])"
  expect.equal(by_shape, by_section)
  print "    equivalent: the same moves\n"
end)

-- ------------------------------------------------------------- an array of them, Y[0:size] --

-- Member n differs from element to element.
host.Y = {
  { n = 1, a = { 1 }, b = { 1 }, c = { 1 } },
  { n = 2, a = { 2, 2 }, b = { 2, 2 }, c = { 2, 2 } },
  { n = 4, a = { 4, 4, 4, 4 }, b = { 4, 4, 4, 4 }, c = { 4, 4, 4, 4 } },
}

step "data copy(Y[0:size])"
show()
acc "parallel present(Y[0:size])" [[
  for (int e = 0; e < size; ++e)
    for (int k = 0; k < Y[e].n; ++k) Y[e].b[k] = 10 * e + k;
]]

local by_shape = step "update self<only_b>(Y[0:size])"
expect.host("Y[2].b[0:4]", { 20, 21, 22, 23 })

-- The loop of the figure: one directive for each element.
local by_loop = account("for (int i=0;i<size;++i) #pragma acc update self(Y[i].b[0:Y[i].n])", function()
  for element = 0, host.size - 1 do
    host.i = element
    acc "update self(Y[i].b[0:Y[i].n])"
  end
end)
expect.equal(by_shape, by_loop)
print "    equivalent: the same moves\n"
end_data()
expect.absent "Y[0:size]"
