-- cuda - bodies of C text that a GPU runs itself.
--
-- The kernel of a body either does everything that the interpreter would do, without an error, or leaves device
-- memory as it was. Then the interpreter runs the body: what is wrong is found and reported in one place.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local cuda_runtime = require "accdeep.backend.cuda.cuda_runtime"
local cuda_statement = require "accdeep.backend.cuda.cuda_statement"

local cuda = {}

local AGAIN = 0 -- bits of the reasons for which one thread runs a kernel again
for i, stop in ipairs(cuda_runtime.stops) do AGAIN = AGAIN | (stop.again and 1 << i or 0) end
local STEPS_OF_A_TURN = 10 -- that the interpreter takes at least
local UNKNOWN, NOWHERE, PIECES = { 0, -1 }, { 0, 0 }, { 1, 0 } -- bounds, as cuda_runtime.lua has them

-- Bounds as view.lua has them, as two numbers.
local function bounds(low, high)
  if type(low) == "table" then return table.unpack(low.pieces and PIECES or NOWHERE) end
  if not low then return table.unpack(UNKNOWN) end
  return low, high
end

-- What the variables of a kernel are at present; nil if one is nowhere.
local function arguments(variables)
  local list = {}
  for _, binding in ipairs(variables) do
    local ok, address, low, high = pcall(binding.place or binding.value, {})
    if not ok then return nil end
    local n = #list
    list[n + 1] = address
    list[n + 2], list[n + 3] = bounds(low, high)
  end
  return list
end

-- Pointers that the body has copies of, in memory: where, and what they point to.
local function pointer_copies(k)
  local list = {}
  for address, copy in pairs(k.env.space.private) do
    local n = #list
    list[n + 1], list[n + 2], list[n + 3] = address, 0, copy.value
    list[n + 4], list[n + 5] = bounds(copy.low, copy.high)
  end
  return list
end

-- Whether a construct lets many threads share its loop; a plain target or serial construct has one.
local function is_parallel(plan)
  local name = plan.node.name
  return not name:find "^serial" and (not plan.openmp or name:find "parallel" or name:find "loop" or name:find "simd"
    or name:find "distribute") ~= nil
end

-- The error for a text that the compiler does not take: it is ours. Its lines are those of the scenario.
local function compile_error(log)
  local errors = {}
  for line in log:gmatch "[^\n%z]+" do
    if line:find("error", 1, true) then errors[#errors + 1] = line end
  end
  diagnostic.raise("internal", 1, ("the kernel made from this body does not compile: %s"):format(
    table.concat(errors, "; ")), { help = "this is an error of accdeep, not of the scenario" })
end

-- What the device is asked for; nil: a variable is nowhere.
local function request_of(k, made)
  local pointers = arguments(made.variables)
  return pointers and { text = made.text, pointers = pointers, slots = pointer_copies(k), writes = made.writes,
    parallel = made.shared and is_parallel(k.plan), turns = core.most_steps() // STEPS_OF_A_TURN, again = AGAIN }
end

-- Errors of the device, and of ours, in an answer of kernel_run; otherwise why it was not run.
local function check_result(session, how, why)
  if how == nil then
    local err = session:core_error(why, nil)
    err.pos = 1
    error(err, 0)
  end
  if how == "rejected" then compile_error(why) end
  return how == "not run" and why or nil
end

local function threads(request) return request.parallel and "by many threads" or "by one thread" end

-- How the GPU ran a kernel: nil, or a clause that says why it did not.
local function run(k, made, place)
  local session, device = k.session, k.device
  local request = request_of(k, made)
  if not request then return "a variable is not on the device" end
  local how, why, site = session.ctx:kernel_run(device, request)
  if how == "stopped" and request.parallel and cuda_runtime.stops[why].again then
    request.parallel = false
    how, why, site = session.ctx:kernel_run(device, request)
  end
  local not_run = check_result(session, how, why)
  if not_run then return not_run end
  if how == "done" then return nil, threads(request) end
  return ("%s, in line %d"):format(cuda_runtime.stops[why].text,
    location.line_of(place.text, math.max(site, 1), place.file,
    place.line))
end

-- Tells who asked how a body is run, where it might have been run by the device: how, or why not.
local function report_execution(k, how, reason)
  local body = k.session.observers.body
  if body then body(k.session, how and "run on the device, " .. how or "interpreted: " .. reason) end
end

-- What compiles bodies for a device, and why nothing does; nil: it has only memory.
local function compiler_of(session, device)
  local compiler, missing = session.ctx:kernel_compiler(device)
  if compiler or missing ~= "" then return compiler, missing end
  return nil
end

-- A body that no device runs itself.
function cuda.report_interpreted(k, reason)
  if k.device and compiler_of(k.session, k.device) ~= nil then report_execution(k, nil, reason) end
end

-- Whether the device can run bodies of C text.
function cuda.compiles(session, device)
  return compiler_of(session, device) and true or false
end

-- Whether the device has begun to run a body in the queue of its construct. over is called when that is over, with
-- whether the device has run it.
function cuda.start(k, node, place, region, over)
  local session = k.session
  local made, reason = cuda_statement.kernel(session, k.env, node, k.env.addressed, place)
  local request = made and request_of(k, made)
  local how, why
  if request then
    how, why = session.ctx:launch_kernel(region, over, k.moment.uses, request)
    reason = check_result(session, how, why)
  end
  local started = how == "under way"
  k.why_interpreted = started and "the device has stopped it" or reason or "a variable is not on the device"
  if started then report_execution(k, threads(request)) end
  return started
end

-- Whether the device of a body has run it. place: {text, file, line} of its text, which statement.body has compiled.
function cuda.run(k, node, place)
  if not k.device then return false end
  local compiler, reason = compiler_of(k.session, k.device)
  local made, how
  if compiler == nil then return false end
  if k.moment then compiler, reason = false, k.why_interpreted or "it runs at a wait, when its data may have left" end
  if compiler then made, reason = cuda_statement.kernel(k.session, k.env, node, k.env.addressed, place) end
  if made then reason, how = run(k, made, place) end
  report_execution(k, how, reason)
  return how ~= nil
end

return cuda
