-- Members of structures as intervals of the directory.
scenario { title = "DIR 4.1: pieces of structures", rules = "directory", cites = { "DIR-4.1-03" } }

declare [[
  float b[20];
  struct grid { int k; float u[50]; float *p; } G;
]]

-- A list of tuples as sorted texts: "ALLOC a[0:30] of a[0:10] a[20:10]".
local function told(list)
  local texts = {}
  for i, tuple in ipairs(list) do
    texts[i] = tuple.state .. " " .. tuple.name .. " of " .. table.concat(tuple.ancestors, " ")
  end
  table.sort(texts)
  return texts
end

local function level()
  local levels = state().levels
  return levels[#levels]
end

case("accepts: pieces of an array in a structure are intervals like others: each is sent [DIR-4.1-03]", function()
  for i = 0, 49 do host.G.u[i] = i end
  host.G.k = 7
  acc "data copyin(G.u[0:10])" (function()
    expect.absent "G.k"
    acc "data copyin(G.u[30:10]) copyin(G.k)" (function()
      expect.equal(told(level().artificial), { "ALLOC G.k of G.k", "ALLOC G.u[0:40] of G.u[0:10] G.u[30:10]" })
      acc "parallel copyout(b[0:3])" "b[0] = G.u[0]; b[1] = G.u[30]; b[2] = G.k;"
    end)
  end)
  expect.equal(host "b[0:3]", { 0, 30, 7 })
end)

case("accepts: a pointer of a structure is an interval, too, and goes as it came [DIR-4.1-03]", function()
  acc "enter data copyin(G.k, G.p)"
  expect.present "G.p"
  expect.absent "G.u"
  acc "exit data delete(G.k, G.p)"
  expect.absent "G"
end)

case("rejects: with a section behind a pointer of the structure the structure is one object [DIR-4.1-03]", function()
  host.G.p = { 1, 2 }
  acc "data copyin(G.k, G.p[0:2])" (function()
    expect.present "G"
    expect.attached("G.p", 1)
  end)
end)
