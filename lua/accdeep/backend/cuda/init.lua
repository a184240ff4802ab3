-- cuda/init.lua - runs bodies of C text on a GPU. Called by run/kernel.lua and run/language_c.lua.
--
--   body (AST) --cuda_statement.lua--> CUDA text --core (cuda/launch.c)--> kernel.
--
-- A kernel either has the effect that the interpreter would have, without an error, or stops and leaves device memory
-- unchanged. In the second case the interpreter runs the body, so that all errors are found and reported by the
-- interpreter. `k` is a kernel of run/kernel.lua: the execution of a body.

local core = require "accdeep.core"
local diagnostic = require "accdeep.base.diagnostic"
local location = require "accdeep.base.location"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"
local cuda_runtime = require "accdeep.backend.cuda.cuda_runtime"
local cuda_statement = require "accdeep.backend.cuda.cuda_statement"

local cuda = {}

local RERUN_REASONS = 0 -- reasons to stop after which one thread runs the kernel again, as a bit set
for i, stop in ipairs(cuda_runtime.stops) do RERUN_REASONS = RERUN_REASONS | (stop.again and 1 << i or 0) end
local STEPS_PER_ITERATION = 10 -- a loop's iteration takes the interpreter at least as many steps
local UNKNOWN, NOWHERE, PIECES = { 0, -1 }, { 0, 0 }, { 1, 0 } -- bounds as in kernel_prelude.cu

-- Returns bounds of memory_view.lua as two numbers of kernel_prelude.cu. low: also a note, for a pointer that cannot be
-- followed or whose target is present in pieces (several objects).
local function bounds(low, high)
  if type(low) == "table" then return table.unpack(low.pieces and PIECES or NOWHERE) end
  if not low then return table.unpack(UNKNOWN) end
  return low, high
end

-- Returns the addresses and bounds of a kernel's variables: {address, low, high, ...}. variables: bindings
-- (symbols.lua). Returns nil if a variable has no address now.
local function arguments(variables)
  local list = {}
  for _, binding in ipairs(variables) do
    local ok, address, low, high = pcall(binding.lvalue or binding.value, {})
    if not ok then return nil end
    local n = #list
    list[n + 1] = address
    list[n + 2], list[n + 3] = bounds(low, high)
  end
  return list
end

-- Returns the pointers of which the body of kernel k has private copies in memory: {address, 0, value, low, high, ...}.
-- The 0 is a number of bytes: it says that writes to the copy are allowed (accd_put in kernel_prelude.cu).
local function pointer_copies(k)
  local list = {}
  for address, copy in pairs(k.env.space.private) do
    local n = #list
    list[n + 1], list[n + 2], list[n + 3] = address, 0, copy.value
    list[n + 4], list[n + 5] = bounds(copy.low, copy.high)
  end
  return list
end

-- True if many threads may share the loop of a construct. False for serial constructs and for a target construct
-- without parallel, loop, simd or distribute, because one thread executes these. plan: the construct's plan.
local function is_parallel(plan)
  local name = plan.node.name
  if not plan.openmp then return openacc_directives.directive(name).construct ~= "serial" end
  local definition = openmp_directives.directive(name)
  return definition.association == "loop" or definition.parts.parallel ~= nil
end

-- Always raises: the compiler rejects the kernel, which is a defect of accdeep. log: the compiler's messages; their
-- line numbers are those of the scenario.
local function compile_error(log)
  local errors = {}
  for line in log:gmatch "[^\n%z]+" do
    if line:find("error", 1, true) then errors[#errors + 1] = line end
  end
  diagnostic.raise("internal", 1, ("the kernel made from this body does not compile: %s"):format(
    table.concat(errors, "; ")), { help = "this is an error of accdeep, not of the scenario" })
end

-- Returns the request with which the core launches a kernel; nil if a variable has no address now. kernel: the result
-- of cuda_statement.kernel.
local function request_of(k, kernel)
  local pointers = arguments(kernel.variables)
  return pointers and { text = kernel.text, pointers = pointers, slots = pointer_copies(k), writes = kernel.writes,
    parallel = kernel.shared and is_parallel(k.plan), turns = core.most_steps() // STEPS_PER_ITERATION,
    again = RERUN_REASONS }
end

-- Returns the reason if the kernel was not run, otherwise nil. Raises for errors of the device or of accdeep. status,
-- detail: results of the core's kernel_run or launch_kernel.
local function check_result(session, status, detail)
  if status == nil then
    local err = session:core_error(detail, nil)
    err.pos = 1
    error(err, 0)
  end
  if status == "rejected" then compile_error(detail) end
  return status == "not run" and detail or nil
end

-- Returns how a request is run, as a text for messages: by many threads or by one.
local function threads(request) return request.parallel and "by many threads" or "by one thread" end

-- Runs a kernel; a second time by one thread, if it stopped for a reason that only many threads cause. Returns nil and
-- a text on how the kernel was run; if it was not run or stopped, a clause with the reason. source: as in cuda.run.
local function run(k, kernel, source)
  local session, device = k.session, k.device
  local request = request_of(k, kernel)
  if not request then return "a variable is not on the device" end
  local status, detail, site = session.ctx:kernel_run(device, request)
  if status == "stopped" and request.parallel and cuda_runtime.stops[detail].again then
    request.parallel = false
    status, detail, site = session.ctx:kernel_run(device, request)
  end
  local not_run = check_result(session, status, detail)
  if not_run then return not_run end
  if status == "done" then return nil, threads(request) end
  return ("%s, in line %d"):format(cuda_runtime.stops[detail].text,
    location.line_of(source.text, math.max(site, 1), source.file, source.line))
end

-- Notifies the observer `body`, if there is one. manner: how the device ran the body; nil: the interpreter runs it,
-- because of `reason`.
local function report_execution(k, manner, reason)
  local body = k.session.observers.body
  if body then body(k.session, manner and "run on the device, " .. manner or "interpreted: " .. reason) end
end

-- Returns the compiler of a device. Returns false and the reason if no compiler is usable, and nil if the device has
-- memory only.
local function compiler_of(session, device)
  local compiler, missing = session.ctx:kernel_compiler(device)
  if compiler or missing ~= "" then return compiler, missing end
  return nil
end

-- Notifies the observer that the interpreter runs a body. Does nothing for devices that only have memory.
function cuda.report_interpreted(k, reason)
  if k.device and compiler_of(k.session, k.device) ~= nil then report_execution(k, nil, reason) end
end

-- True if the device can run bodies of C text, because a compiler is usable.
function cuda.compiles(session, device)
  return compiler_of(session, device) and true or false
end

-- Starts a body in the queue of its construct. Returns true if the body was started; over(done) is then called at its
-- end, where `done` is true if the device has run it. Returns false if the body cannot be started. k.why_interpreted
-- gets the reason why the interpreter will run the body if it must. node: AST of the body; source: as in cuda.run;
-- region: the core's handle of the construct's region. Raises for errors of the device.
function cuda.start(k, node, source, region, over)
  local session = k.session
  local kernel, reason = cuda_statement.kernel(session, k.env, node, k.env.addressed, source)
  local request = kernel and request_of(k, kernel)
  local status, detail
  if request then
    status, detail = session.ctx:launch_kernel(region, over, k.captured_environment.uses, request)
    reason = check_result(session, status, detail)
  end
  local started = status == "under way"
  k.why_interpreted = started and "the device has stopped it" or reason or "a variable is not on the device"
  if started then report_execution(k, threads(request)) end
  return started
end

-- Runs a body on its device and returns true; returns false if the interpreter must run the body. node: AST of the
-- body; source: {text, file, line} of its text. statement.body must have compiled the text already, because it sets
-- k.env.addressed. Raises for errors of the device.
function cuda.run(k, node, source)
  if not k.device then return false end
  local compiler, reason = compiler_of(k.session, k.device)
  local kernel, manner
  if compiler == nil then return false end
  if k.captured_environment then
    compiler, reason = false, k.why_interpreted or "it runs at a wait, when its data may have left"
  end
  if compiler then kernel, reason = cuda_statement.kernel(k.session, k.env, node, k.env.addressed, source) end
  if kernel then reason, manner = run(k, kernel, source) end
  report_execution(k, manner, reason)
  return manner ~= nil
end

return cuda
