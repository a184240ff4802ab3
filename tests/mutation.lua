-- Mutated scenarios: lua5.4 tests/mutation.lua [--list] FILE... runs each case once for every directive of it that is
-- left out, and once for every expectation that is turned round. A mutant that still holds shows nothing: it survives.
-- A directive that does nothing where it stands (enter, exit, update or wait without an event) is no mutant, for nobody
-- can miss it; nor are expectations inside of what must fail, which do not get to their values. Prints how many are
-- noticed, with --list the survivors; the exit status is 1 if fewer than 95 of 100 are.
--
-- What may survive has a reason in the file's text: a comment "-- unnoticed: ..." in the directive's line or the one
-- above. It runs in stock Lua with the built module: LUA_PATH and LUA_CPATH lead there.

local scenario = require "accdeep.script.scenario"

local LEAST, STEPS = 0.95, 1 << 26

-- Structured constructs of data, whose body runs without them; a kernel that is left out does nothing.
local around = { data = true, host_data = true, ["target data"] = true }

local function name_of(text)
  local words = text:gsub("^%s*#%s*pragma%s+", ""):gsub("^%s*!%$", ""):gsub("^%s*acc%f[%W]", "")
    :gsub("^%s*omp%f[%W]", "")
  return words:match "^%s*(target data)%f[%W]" or words:match "^%s*(host_data)%f[%W]" or words:match "^%s*(data)%f[%W]"
end

-- Whether a directive is carried out at once, and its events are all that it does.
local function is_plain(text)
  return type(text) == "string" and (text:find "enter data" or text:find "exit data" or text:find "%f[%a]update%f[%W]"
    or text:find "%f[%a]wait%f[%W]" or text:find "end data" or text:find "%f[%a]init%f[%W]") ~= nil
end

-- What stands for a construct that is left out.
local function nothing(text)
  local function run(body)
    if around[name_of(text)] and type(body) == "function" then return body() end
    return nil
  end
  return setmetatable({ close = function() end, abandon = function() end },
    { __call = function(_, body) return run(body) end, __close = function() end })
end

-- ------------------------------------------------------------------------------- expectations --

local ODD = "something else"

-- Arguments of an expectation, turned round; nil where it has no other side.
local turned = {
  equal = function(e, found) return e.equal, found, ODD end,
  host = function(e, text) return e.host, text, ODD end,
  device = function(e, text) return e.device, text, ODD end,
  present = function(e, text) return e.absent, text end,
  absent = function(e, text) return e.present, text end,
  attached = function(e, text) return e.detached, text end,
  detached = function(e, text) return e.attached, text end,
  count = function(e, text, wanted)
    local other = {}
    for key, n in pairs(wanted) do other[key] = n == math.huge and 0 or n + 1 end
    return e.count, text, other
  end,
  events = function(e, fn, wanted)
    local other = table.move(wanted, 1, #wanted, 1, {})
    other[#other + 1] = "fuse " .. ODD
    return e.events, fn, other
  end,
  fails = function(e, code, ...) return e.fails, code == "limit" and "file" or "limit", ... end,
  warns = function(e, code, ...) return e.warns, code == "limit" and "file" or "limit", ... end,
  invalid = function(e, text, _, details) return e.invalid, text, "limit", details end,
  accepts = function(e, text) return e.invalid, text, "limit" end,
  malformed = function(e, text, _, details) return e.malformed, text, "unknown-name", details end,
}

-- ------------------------------------------------------------------------------------ mutants --

-- The place in a file that is under way: the lines of its calls, from the inside; and the first of them.
local function place_in(path)
  local lines = {}
  for level = 3, 60 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    if info.source == "@" .. path then lines[#lines + 1] = info.currentline end
  end
  return table.concat(lines, " "), lines[1]
end

-- A run of a file in which what one place of one case does is changed. wanted: {case, key}; steps: without a key,
-- filled with the places that the case meets.
local function run(path, text, wanted, steps)
  local current, met
  local events, failing, last, is_expected = 0, 0, nil, false
  local function step(what, directive)
    if current ~= wanted.case or failing > 0 and what == "expectation" then return false end
    local place, line = place_in(path)
    local key = what .. " " .. place
    if wanted.key then
      met = met or key == wanted.key
      return key == wanted.key
    end
    if last and events > last.before then last.is_idle = false end
    last = steps[key]
    if not last then
      last = { key = key, what = what, line = line, is_idle = directive ~= nil and is_plain(directive) }
      steps[key], steps[#steps + 1] = last, last
    end
    last.before = events
    return false
  end
  local function record(env, made)
    for _, word in ipairs { "acc", "omp" } do
      local carry_out = env[word]
      env[word] = function(directive, ...)
        if is_expected then -- of an expectation, which is what may be turned
          is_expected = false
          return carry_out(directive, ...)
        end
        if step("directive", directive) then return nothing(tostring(directive)) end
        return carry_out(directive, ...)
      end
    end
    local plain = env.expect
    local e = {}
    for name, expectation in pairs(plain) do
      e[name] = function(...)
        if turned[name] and step "expectation" then
          local changed = table.pack(turned[name](plain, ...))
          return changed[1](table.unpack(changed, 2, changed.n))
        end
        is_expected = name == "accepts" or name == "fails" and type((select(2, ...))) == "string"
        if name ~= "fails" then return expectation(...) end
        failing = failing + 1 -- what stands inside of it does not end
        local result = table.pack(pcall(expectation, ...))
        failing = failing - 1
        if not result[1] then error(result[2], 0) end
        return table.unpack(result, 2, result.n)
      end
    end
    env.expect = setmetatable(e, { __call = function(_, condition, message)
      if step "expectation" then condition = not condition end
      return plain(condition, message)
    end })
    local case = env.case
    local number = 0
    env.case = function(name, body)
      if current then return case(name, body) end
      number = number + 1
      if wanted.case and number ~= wanted.case then return end
      current = number
      case(name, body)
      if last and events > last.before then last.is_idle = false end
      current, last = nil, nil
    end
    met = false
    return made
  end
  local result = scenario.run(path, text, { out = function() end, limit_steps = STEPS,
    observers = { { names = record, event = function() events = events + 1 end } } })
  local case = result.cases[#result.cases]
  return case and case.ok, met, result
end

-- ---------------------------------------------------------------------------------- the whole --

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = line end
  return lines
end

local function zero() return { all = 0, noticed = 0, excused = 0 } end
local counts = { directive = zero(), expectation = zero() }
local is_list = arg[1] == "--list"
if is_list then table.remove(arg, 1) end

for _, path in ipairs(arg) do
  local file <close> = assert(io.open(path))
  local text = file:read "a"
  local lines = lines_of(text)
  local names = scenario.run(path, text, { out = function() end }).cases
  for k, case in ipairs(names) do
    local steps = {}
    local ok = run(path, text, { case = k }, steps)
    if not ok then error(("%s: %s does not hold by itself"):format(path, case.name)) end
    for _, step in ipairs(steps) do
      if step.is_idle then goto continue end
      local holds, met = run(path, text, { case = k, key = step.key }, steps)
      local n = counts[step.what]
      n.all = n.all + 1
      if not holds or not met then
        n.noticed = n.noticed + 1
      else
        local line = step.line or 0
        local reason = (lines[line] or ""):match "%-%- unnoticed: (.*)"
          or (lines[line - 1] or ""):match "^%s*%-%- unnoticed: (.*)"
        if reason then n.excused = n.excused + 1 end
        if is_list and not reason then print(("%s:%d: %s: %s"):format(path, line, step.what, case.name)) end
      end
      ::continue::
    end
  end
end

local failed = false
for _, what in ipairs { "directive", "expectation" } do
  local n = counts[what]
  print(("%d of %d mutants by %s are noticed, %d more have a reason: %.1f %%"):format(n.noticed, n.all, what, n.excused,
    100 * n.noticed / math.max(n.all, 1)))
  failed = failed or n.all == 0 or n.noticed + n.excused < LEAST * n.all
end
os.exit(not failed)
