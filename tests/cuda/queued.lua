-- queued.lua - bodies of C text in queues, in a random order, among updates and waits. What they leave in memory, and
-- what is wrong with them, is printed: tests/cuda/same compares what the GPU runs while the program goes on with what
-- the interpreter does at once. There are few bodies, as each is compiled, and many programs.

-- A GPU does not check for races between iterations.
scenario { title = "bodies in queues", async = "concurrent", rules = { base = "tr14", races = "ignored" } }

declare [[
  struct part { int n; double w; int *p; };
  struct part X, Y;
  int a[64], b[64], sum; double f[64]; char large[80000];
]]

local seed = 20251122
local function random(n) -- 1 .. n
  seed = (seed * 6364136223846793005 + 1442695040888963407)
  return (seed >> 33) % n + 1
end
local function pick(list) return list[random(#list)] end

-- By many threads, by one again because others depend on it, by one.
local bodies = {
  { "parallel loop", "for (int i = 0; i < 64; i++) a[i] = (3 * b[i] + i) % 1000;" },
  { "parallel loop", "for (int i = 0; i < 64; i++) { f[i] = f[i] / 3 + b[i]; large[1000 * i] += 1; }" },
  { "parallel loop", "for (int i = 1; i < 64; i++) b[i] = (a[i] + b[i - 1]) % 1000;" },
  { "parallel loop", "for (int i = 0; i < 32; i++) X.p[i] += a[2 * i] % 100;" },
  { "parallel loop private(sum)", "for (int i = 0; i < 64; i++) { sum = a[i]; b[i] = sum / 3; }" },
  { "serial firstprivate(sum)", "Y.n += 1; Y.w += sum + X.p[3]; for (int i = 0; i < 32; i++) b[i] -= Y.p[i];" },
  { "serial", "int own[4]; for (int i = 0; i < 64; i++) { own[i % 4] = b[i]; a[i] ^= own[i % 3] % 8; }" },
}
local wrong = {
  "a[3] = 1; for (int i = 0; i < 65; i++) a[i] += 1;",
  "b[2] = 5; X.p[0] = 1; X.p[32] = 3;",
  "b[1] = 7; b[2] = 3 / (b[1] - 7);",
  "Y.p = 0; b[0] = Y.p[1];",
}

local function queue() return (" async(%d)"):format(random(4)) end
local present = " present(X, Y, a, b, f, large)"

local steps = {
  function() acc("update device(a, f)" .. queue()) end,
  function() acc("update self(b, X.p[0:32])" .. queue()) end,
  function() acc("update self(a, large, Y.n, Y.w)" .. queue() .. pick { "", " wait", " wait(1)" }) end,
  function() acc("update device(b[8:16], large)" .. pick { "", queue() }) end,
  function() acc("wait" .. pick { "", "(2)", "(1, 3)" .. queue() }) end,
  function() acc_async_test(random(4)) end,
  function()
    acc("data copy(sum)" .. queue()) (function()
      acc("parallel loop present(b, sum) reduction(+: sum)" .. queue()) "for (int i = 0; i < 64; i++) sum += b[i] % 10;"
    end)
  end,
  function(number) -- in both, what is wrong is told by the end of the function
    local text = pick(wrong)
    local ok, problem = pcall(function()
      acc("serial" .. present .. queue())(text)
      acc "wait"
    end)
    print(number, ok and "nothing is wrong" or tostring(problem))
    acc "wait"
  end,
}

local function fill(number)
  for i = 0, 63 do host.a[i], host.b[i], host.f[i], host.large[1000 * i] = i * number, 7 * i, i / 4, i end
  host.X = { n = 1, w = 0.5, p = alloc("int", 32, function(i) return i end) }
  host.Y = { n = 2, w = 1.5, p = alloc("int", 32, function(i) return -i end) }
  host.sum = number
end

local function tell()
  local list = {}
  local function add(value) list[#list + 1] = (math.type(value) == "integer" and "%d" or "%a"):format(value) end
  for _, name in ipairs { "sum", "X.n", "X.w", "Y.n", "Y.w" } do add(host(name)) end
  for _, section in ipairs { "a[0:64]", "b[0:64]", "f[0:64]", "X.p[0:32]", "Y.p[0:32]", "large[0:3000]" } do
    local total = 0
    for i, value in ipairs(host(section)) do total = total + i * value end
    add(total)
  end
  print(table.concat(list, " "))
end

for number = 1, 40 do
  case(("program %d"):format(number), function()
    fill(number)
    acc("enter data copyin(X, Y, a, b, f, large)" .. queue())
    acc("enter data copyin(X.p[0:32], Y.p[0:32])" .. queue())
    for _ = 1, 25 do
      if random(2) == 1 then
        local body = pick(bodies)
        acc(body[1] .. present .. queue())(body[2])
      else
        pick(steps)(number)
      end
    end
    acc("exit data copyout(X.p[0:32], Y.p[0:32], X, Y, a, b, f, large)" .. queue())
    acc "wait"
    tell()
  end)
end
