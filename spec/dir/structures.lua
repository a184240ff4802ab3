-- Members of structures as intervals of the directory.
scenario { title = "DIR 4.1: pieces of structures", rules = "directory" }

declare [[
  float b[20];
  struct grid { int k; float u[50]; float *p; } G;
  struct cell { int k; float u[50]; } V[4];
  struct grid H[3], *s;
  struct holder { int n; struct grid *in; } T;
]]

local function level()
  local levels = state().levels
  return levels[#levels]
end

case("accepts: pieces of an array in a structure are each sent, like other intervals [DIR-4.1-03]", function()
  for i = 0, 49 do host.G.u[i] = i end
  host.G.k = 7
  acc "data copyin(G.u[0:10])" (function()
    expect.absent "G.k"
    acc "data copyin(G.u[30:10]) copyin(G.k)" (function()
      expect.equal(tuples(level().artificial), { "ALLOC G.k of G.k", "ALLOC G.u[0:40] of G.u[0:10] G.u[30:10]" })
      acc "parallel copyout(b[0:3])" "b[0] = G.u[0]; b[1] = G.u[30]; b[2] = G.k;"
    end)
  end)
  expect.equal(host "b[0:3]", { 0, 30, 7 })
end)

case("accepts: a pointer of a structure is an interval of its own [DIR-4.1-03]", function()
  acc "enter data copyin(G.k, G.p)"
  expect.present "G.p"
  expect.absent "G.u"
  acc "exit data delete(G.k, G.p)"
  expect.absent "G"
end)

case("differs: a section of a pointer in the structure makes the structure one object [DIR-4.1-03]", function()
  host.G.p = { 1, 2 }
  acc "data copyin(G.k, G.p[0:2])" (function()
    expect.present "G"
    expect.attached("G.p", 1)
  end)
end)

-- What the regions of a case need: elements 1 and 2 of V differ.
local function fill()
  for i = 0, 49 do host.V[1].u[i], host.V[2].u[i] = i, 100 + i end
end

case("accepts: pieces of an element in nested regions are each sent [DIR-2-01 DIR-4.2-17]", function()
  fill()
  acc "data copyin(V[1].u[0:10])" (function()
    expect.absent "V[1].k"
    expect.moves(function()
      acc "data copyin(V[1].u[30:10])" (function()
        acc "parallel copyout(b[0:2])" "b[0] = V[1].u[0]; b[1] = V[1].u[30];"
        expect.absent "V[1].u[10:20]"
      end)
    end, { h2d = 1, d2h = 1, d2d = 2 })
  end)
  expect.equal(host "b[0:2]", { 0, 30 })
end)

case("accepts: pieces of several elements are as far apart as in their array [DIR-2-01 DIR-4.2-08]", function()
  fill()
  local function apart() return acc_deviceptr "V[2].u[3]" - acc_deviceptr "V[1].u[3]" end
  for _, clauses in ipairs { "copyin(V[1].u[0:10], V[2].u[3:5])", "copyin(V[2].u[3:5]) create(V[1].k) copyin(V[1].u)",
    "copyin(V[1]) copyin(V[2].u[3:5])", "copyin(V[1:2])" } do
    acc("data " .. clauses) (function()
      expect.equal(apart(), 51)
      acc "parallel copyout(b[1:2])" "for (int i = 1; i < 3; i++) b[i] = V[i].u[4];"
    end)
    expect.equal(host "b[1:2]", { 4, 104 })
  end
end)

case("accepts: a piece is copied out at the end of its own region, in a hole, too [DIR-4.3-02]", function()
  fill()
  acc "data copy(V[1].u[0:10])" (function()
    acc "data copy(V[1].u[30:10], V[2].k)" (function()
      acc "parallel" "V[1].u[0] = -1; V[1].u[39] = -2; V[2].k = -3;"
    end)
    expect.host("V[1].u[39]", -2)
    expect.host("V[2].k", -3)
    expect.host("V[1].u[0]", 0)
  end)
  expect.host("V[1].u[0]", -1)
  expect.absent "V"
end)

case("accepts: enter data of pieces works with regions and updates between [DIR-6-01 DIR-ABI-03]", function()
  fill()
  acc "enter data copyin(V[1].u[0:10])"
  acc "data copyin(V[1].u[30:10])" (function()
    acc "enter data create(V[2].u[20:4])"
    host.V[2].u[21] = 7
    acc "update device(V[2].u[21:1])"
    acc "parallel" "V[1].u[5] = V[2].u[21] + V[1].u[30];"
    acc "update self(V[1].u[4:2])"
    expect.host("V[1].u[5]", 37)
  end)
  expect.absent "V[1].u[30:10]"
  expect.present "V[2].u[20:4]"
  acc "exit data delete(V[2].u[20:4])"
  acc "parallel present(V[1].u[0:10])" "V[1].u[6] = 8;"
  acc "exit data copyout(V[1].u[0:10])"
  expect.host("V[1].u[6]", 8)
  expect.absent "V"
end)

case("accepts: nested arrays of structures have the outermost array as their base [DIR-4.1-03]", function()
  declare "struct row { struct cell c[3]; } R[2], S;"
  acc "data create(R[0].c[1].u[0:10])" (function()
    acc "data create(R[1].c[0].k)" (function()
      expect.equal(acc_deviceptr "R[1].c[0].k" - acc_deviceptr "R[0].c[1].u[0]", 101)
    end)
  end)
  acc "data create(S.c[0].k, S.c[2].k)" (function()
    expect.equal(acc_deviceptr "S.c[2].k" - acc_deviceptr "S.c[0].k", 102)
  end)
end)

case("rejects: a part of an element that no clause names is a hole [DIR-4.2-17]", function()
  fill()
  acc "data copyin(V[1].u[0:10], V[1].u[30:10])" (function()
    expect.fails("uninitialized-read", function() acc "parallel" "float x = V[1].u[20];" end)
    expect.fails("out-of-bounds", function() acc "parallel" "V[1].u[20] = 1;" end)
    expect.fails("not-present", function() acc "update self(V[1].u[20:2])" end)
    expect.fails("not-present", function() acc "data present(V[1].k)" end)
    expect.fails("partially-present", function() acc "update self(V[1].u[5:10])" end)
  end)
end)

case("rejects: pieces of structures overlap in part [DIR-2-05 DIR-4.2-03]", function()
  acc "data copyin(V[1].u[0:10])" (function()
    expect.fails("partial-overlap", function() acc "data copyin(V[1].u[5:10])" end)
    expect.fails("partial-overlap", function() acc "data copyin(V[1])" end)
    expect.fails("out-of-bounds", function() acc "parallel" "V[1].u[0] = V[2].k;" end)
  end)
  expect.fails("partial-overlap", function() acc "data copyin(V[1].u[0:10]) create(V[1].u[5:10])" end)
end)

case("differs: a present piece is not sent again [DIR-4.2-02 DIR-4.2-06]", function()
  fill()
  acc "data copyin(V[1].u[0:10])" (function()
    host.V[1].u[3] = -1
    expect.moves(function()
      expect.accepts("data copyin(V[1].u[2:5]) pcopy(V[1].u[8:2])", function()
        acc "parallel copyout(b[0:1])" "b[0] = V[1].u[3];"
      end)
    end, { h2d = 0, d2h = 1, d2d = 0 })
  end)
  expect.host("b[0]", 3)
end)

-- Structures that are held: a pointer in G is followed, or a pointer points to H[1].
local function fill_held()
  for i = 0, 49 do host.G.u[i], host.H[1].u[i] = i, i end
  host.G.k, host.H[1].k = 7, 7
  host.G.p, host.H[1].p = { 1, 2 }, { 1, 2 }
  host.s = addr "H[1]"
  host.T["in"] = addr "H[0]"
end

local held = {
  { "a structure with a pointer that is followed", "G.", "G", "copyin(G.p[0:2])" },
  { "the target of a pointer", "s->", "s[0]", "copyin(s->p[0:2])" },
  { "the target of a pointer in a structure", "T.in[1].", "T.in[1]", "copyin(T.in[1].p[0:2])" },
  { "the target of a pointer that no clause named", "s->", "s[0]", "create(s->k)" },
}

for _, one in ipairs(held) do
  local what, prefix, object, first = table.unpack(one)
  local function of(text) return (text:gsub("%$%.", function() return prefix end)) end

  case(("accepts: pieces in a hole of %s are sent and fetched [DIR-4.2-17 DIR-2-01]"):format(what), function()
    fill_held()
    acc("data " .. first) (function()
      expect.present(object)
      acc(of "data copyin($.u[0:10])") (function()
        expect.moves(function()
          acc(of "data copy($.u[30:10])") (function()
            acc "parallel copyout(b[0:2])" (of "b[0] = $.u[0]; b[1] = $.u[30]; $.u[39] = -1; $.u[1] = -1;")
          end)
        end, { h2d = 1, d2h = 2, d2d = 0 })
        expect.host(of "$.u[39]", -1)
        expect.host(of "$.u[1]", 1)
        expect.equal(host "b[0:2]", { 0, 30 })
        acc "parallel copyout(b[0:1])" (of "b[0] = $.u[1];")
        expect.host("b[0]", -1)
      end)
    end)
    expect.absent(object)
  end)

  case(("accepts: enter data and exit data of pieces work for %s, with regions and updates between"
    .. " [DIR-6-01 DIR-ABI-03]")
    :format(what), function()
    fill_held()
    acc("enter data " .. first)
    acc(of "enter data copyin($.u[0:10])")
    acc(of "data copyin($.u[20:10])") (function()
      acc(of "enter data copyin($.u[40:5], $.u[45:5])")
      acc(of "parallel present($.u[0:10])") (of "$.u[1] = $.u[41] + $.u[20]; $.u[46] = -2;")
      acc(of "update self($.u[1:1])")
      expect.host(of "$.u[1]", 61)
      acc(of "exit data copyout($.u[45:5])")
      expect.host(of "$.u[46]", -2)
    end)
    acc(of "exit data delete($.u[40:5])")
    acc(of "parallel present($.u[0:10])") (of "$.u[2] = -3;")
    acc((first:gsub("^%w+", "exit data delete")))
    expect.present(of "$.u[0:10]")
    acc(of "exit data copyout($.u[0:10])")
    expect.host(of "$.u[2]", -3)
    expect.absent(object)
  end)

  case(("accepts: present_and_copyin maps partly present pieces of %s [DIR-4.2-17 DIR-2-05]"):format(what),
    function()
      fill_held()
      acc("data " .. first) (function()
        acc(of "data copyin($.u[0:10])") (function()
          acc "parallel" (of "$.u[9] = -1;")
          acc(of "data present_and_copyin($.u[5:10])") (function()
            expect.equal(#state().levels, 3)
            acc "parallel copyout(b[0:2])" (of "b[0] = $.u[9]; b[1] = $.u[10];")
          end)
          expect.equal(host "b[0:2]", { -1, 10 })
        end)
      end)
    end)

  case(("differs: a hole of %s is empty again when its clause ends [DIR-4.2-17]"):format(what), function()
    fill_held()
    acc("data " .. first) (function()
      acc(of "data copyin($.u[0:10])") (function() expect.equal(#state().levels, 2) end)
      expect.fails("excluded-member", function() acc "parallel" (of "float x = $.u[0];") end)
      acc(of "data create($.u[0:10])") (function()
        expect.equal(#state().levels, 2)
        expect.fails("excluded-member", function() acc "parallel" (of "float x = $.u[0];") end)
      end)
      acc(of "enter data copyin($.u[0:10])")
      acc(of "exit data delete($.u[0:10])")
      expect.fails("excluded-member", function() acc "parallel" (of "float x = $.u[0];") end)
    end)
  end)

  case(("rejects: a clause overlaps a present piece of %s in part [DIR-4.2-02 DIR-2-05 DIR-4.2-03]"):format(what),
    function()
      fill_held()
      acc("data " .. first) (function()
        acc(of "data copyin($.u[0:10])") (function()
          expect.moves(function()
            acc(of "data copyin($.u[2:3]) pcopy($.u[0:10])") (function() expect.equal(#state().levels, 3) end)
          end, { h2d = 0, d2h = 0, d2d = 0 })
          expect.fails("partial-overlap", function() acc(of "data copyin($.u[5:10])") end)
          expect.fails("partial-overlap", function() acc(of "data create($.u[20:5]) copyin($.u[22:5])") end)
        end)
      end)
    end)
end

case("accepts: a present_or clause on a member is sent although the structure is held"
  .. " [DIR-4.2-17 DIR-4.2-02]", function()
  fill_held()
  expect.accepts("data pcopyin(G.k) copyin(G.p[0:2])", function()
    acc "parallel copyout(b[0:1])" "b[0] = G.k;"
  end)
  expect.host("b[0]", 7)
end)

case("rejects: a clause requires that a pointee is present [DIR-1-02]", function()
  fill_held()
  expect.fails("not-present", function() acc "data present(s->u[0:10])" end)
  expect.accepts("data no_create(s->u[0:10])", function() expect.absent "s[0]" end)
  expect.fails("not-present", function() acc "update self(s->u[0:10])" end)
end)
