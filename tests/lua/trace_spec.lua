-- Traces: what is written, read back, and the state that is made of it, against the state itself.
local diagnostic = require "accdeep.base.diagnostic"
local json = require "dkjson"
local lfs = require "lfs"
local scenario = require "accdeep.script.scenario"
local state = require "accdeep.run.state"
local trace = require "accdeep.inspect.trace"

local function text_of(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- Present objects and attachments as texts, without names: those of a trace are from when something happened.
local function rows_of(device, present, attached, rows)
  for _, o in ipairs(present) do
    rows[#rows + 1] = ("%d: %d bytes, %s, %s"):format(device or o.device, o.bytes, o.structured,
      o.dynamic == math.huge and "infinite" or o.dynamic)
  end
  for _, a in ipairs(attached) do
    rows[#rows + 1] = ("%d: attached, %d"):format(device or a.device, a.count)
  end
end

local function lists_of(session)
  local rows = {}
  for device = 0, session.devices - 1 do
    local s = state.read(session, device)
    rows_of(device, s.present, s.attached, rows)
  end
  table.sort(rows)
  return table.concat(rows, "\n")
end

local function lists_made(made)
  local rows, lists = {}, made:lists()
  rows_of(nil, lists.present, lists.attached, rows)
  table.sort(rows)
  return table.concat(rows, "\n")
end

-- Runs a scenario; after each directive the state made of the trace is the state itself. Returns how many directives
-- were compared, the first difference, and the trace.
local function compare(path)
  local made, text, compared, difference = trace.state(), {}, 0, nil
  local writer = trace.writer(function(line)
    text[#text + 1] = line
    local fields = json.decode(line)
    if not fields.trace then made:apply(fields) end
  end)
  local result = scenario.run(path, text_of(path), { out = function() end,
    observers = { writer:observer() },
    trace = function(event, session, batch, i)
      if i < #batch or session.now.expects_failure then return end
      compared = compared + 1
      if compared > 300 then return end -- long loops
      local wanted, found = lists_of(session), lists_made(made)
      if wanted ~= found and not difference then
        difference = ("%s, %s %s at %s:\nstate\n%s\ntrace\n%s"):format(path, event.op, event.name, event.at, wanted,
          found)
      end
    end })
  for _, case in ipairs(result.cases) do assert(case.ok, tostring(case.error)) end
  return compared, difference, table.concat(text)
end

local LONG = { ["libgomp.lua"] = true, ["4.1-design.lua"] = true } -- thousands of objects

describe("the state made of a trace", function()
  for _, folder in ipairs { "tr14", "openacc", "openmp", "flang", "llnl", "dir" } do
    it("is that of the run: " .. folder, function()
      local compared = 0
      for name in lfs.dir("spec/" .. folder) do
        if name:find "%.lua$" and not LONG[name] then
          local n, difference = compare(("spec/%s/%s"):format(folder, name))
          assert.is_nil(difference, difference)
          compared = compared + n
        end
      end
      assert.is_true(compared > 50)
    end)
  end
end)

describe("a trace", function()
  local function refused(text, message)
    local ok, err = pcall(trace.read, "t", text)
    assert.is_false(ok)
    assert.is_true(diagnostic.is(err))
    assert.is_truthy(err.message:find(message, 1, true), err.message)
    return err
  end

  it("is the same each time", function()
    local _, _, first = compare "spec/tr14/4.1-attach.lua"
    local _, _, second = compare "spec/tr14/4.1-attach.lua"
    assert.equal(first, second)
  end)

  it("is refused if it is none", function()
    refused("", "not a trace")
    refused("{}\n", "not a trace")
    refused('{"op":"alloc"}\n', "not a trace")
    refused('{"trace":"accdeep","version":7}\n', "version 7")
    local err = refused('{"trace":"accdeep","version":1}\nnonsense\n', "not part of a trace")
    assert.equal(2, err.line)
    local header = '{"trace":"accdeep","version":1}\n'
    refused(header .. "[1]\n", "neither an event nor a mark")
    refused(header .. '{"op":"alloc","name":"x","device":0}\n', "no field 'bytes'")
    refused(header .. '{"op":"alloc","name":"x","bytes":"4","device":0}\n', "'bytes' has to be of type integer")
    refused(header .. '{"op":"attach","name":"x","bytes":8,"device":0,"pointer":1}\n', "no field 'count'")
    refused(header .. '{"mark":"present","object":1,"device":0}\n', "no field 'structured'")
  end)
end)
