-- routine_calls.lua - writes calls of OpenACC and OpenMP routines in C from a script's arguments, for
-- scenario_recorder.lua.

local memory_view = require "accdeep.backend.memory_view"
local strings = require "accdeep.base.strings"

local routine_calls = {}

-- Parameters and result of each routine, as kinds. `range`: an address and a size; the script gives both by one text,
-- or by an address and an integer. `host`, `device`: an address. `pointer_cell`: the address of a pointer. `bytes`,
-- `number`: integers. `devnum`: a device number. A text in quotation marks is not an argument of the script: it is
-- copied to the call.
--
-- Results. `nothing`: no result. `number`: an integer. `truth`: zero or not. `device`: a device address. `unchecked`: a
-- number that depends on the machine, so the call is not written.
local signatures = {}
for names, signature in pairs {
  ["acc_copyin acc_create"] = "range -> device",
  ["acc_copyout acc_copyout_finalize acc_delete acc_delete_finalize acc_update_device acc_update_self"]
    = "range -> nothing",
  ["acc_is_present"] = "range -> truth",
  ["acc_attach acc_detach acc_detach_finalize"] = "pointer_cell -> nothing",
  ["acc_deviceptr"] = "host -> device",
  ["acc_map_data"] = "host device bytes -> nothing",
  ["acc_unmap_data"] = "host -> nothing",
  ["acc_malloc"] = "bytes -> device",
  ["acc_free"] = "device -> nothing",
  ["acc_memcpy_to_device"] = "device host bytes -> nothing",
  ["acc_memcpy_from_device"] = "host device bytes -> nothing",
  ["acc_memcpy_device"] = "device device bytes -> nothing",
  ["acc_set_device_num"] = "number 'acc_get_device_type()' -> nothing",
  ["acc_get_device_num"] = "'acc_get_device_type()' -> number",
  ["acc_get_num_devices"] = "'acc_get_device_type()' -> unchecked",
  ["acc_wait_all"] = "-> nothing",
  ["omp_get_num_devices omp_get_initial_device"] = "-> unchecked",
  ["omp_get_default_device omp_get_device_num omp_is_initial_device"] = "-> number",
  ["omp_set_default_device"] = "devnum -> nothing",
  ["omp_target_alloc"] = "bytes devnum -> device",
  ["omp_target_free"] = "device devnum -> nothing",
  ["omp_target_is_present"] = "host devnum -> truth",
  ["omp_target_is_accessible"] = "host bytes devnum -> truth",
  ["omp_target_memcpy"] = "device device bytes bytes bytes devnum devnum -> truth",
  ["omp_target_associate_ptr"] = "host device bytes bytes devnum -> truth",
  ["omp_target_disassociate_ptr"] = "host devnum -> truth",
  ["omp_get_mapped_ptr"] = "host devnum -> device",
} do
  local arguments, returns = signature:match "^(.-)%s*%->%s*(.*)$"
  local list = strings.word_list(arguments)
  for name in names:gmatch "%S+" do signatures[name] = { arguments = list, returns = returns } end
end

-- Returns the address that an argument of the script denotes, as a C expression: the value of a pointer, or the address
-- of an l-value given as text. For a text, also returns the size of the l-value in bytes. Returns nil if C cannot
-- express the address. `recorder`: a Recorder of scenario_recorder.lua.
local function address_text(recorder, session, value)
  if type(value) == "string" then
    local text, bytes = recorder:extent(value)
    return text, bytes
  end
  local address, at = memory_view.address(value)
  if not address then return nil end
  local to = at and (at.type.kind == "pointer" and at.type.to or at.type) or { kind = "void" }
  return recorder.program:pointer_text(session, address, to)
end

local writers = {}

-- Functions by kind of argument (see signatures), which return an argument of the script as a C expression.
-- writers.host returns an address, or nil if C cannot express the address.
function writers.host(recorder, session, value) return (address_text(recorder, session, value)) end
writers.device = writers.host
-- Returns the address of a pointer as a C expression, or nil if C cannot express it.
function writers.pointer_cell(recorder, session, value)
  local text = address_text(recorder, session, value)
  return text and "(void **)" .. text
end
-- Returns an integer as text, or nil for other values.
function writers.bytes(_, _, value)
  local n = math.tointeger(value)
  return n and ("%d"):format(n)
end
writers.number = writers.bytes
-- Returns a device number as text, or nil for other values. The number of the host becomes a call of
-- omp_get_initial_device.
function writers.devnum(_, session, value)
  local n = math.tointeger(value)
  return n and (n == session.devices and "omp_get_initial_device()" or ("%d"):format(n))
end

-- Returns the call of the routine `name` with the script's arguments `...`, as text, and the kind of its result (see
-- signatures). Returns nil and a reason if C cannot express the call.
function routine_calls.call(recorder, session, name, ...)
  local signature = signatures[name]
  if not signature then return nil, " has no form that both the tool and compilers know" end
  local arguments, at, parts = table.pack(...), 1, {}
  for _, kind in ipairs(signature.arguments) do
    local text
    if kind:find "^'" then
      text = kind:sub(2, -2)
    elseif kind == "range" then
      local bytes
      text, bytes = address_text(recorder, session, arguments[at])
      if type(arguments[at]) ~= "string" or math.type(arguments[at + 1]) == "integer" then
        at = at + 1
        bytes = writers.bytes(nil, nil, arguments[at])
      end
      text = text and bytes and ("%s, %s"):format(text, bytes)
      at = at + 1
    else
      text = writers[kind](recorder, session, arguments[at])
      at = at + 1
    end
    if not text then return nil, " is called with something that C has no name for" end
    parts[#parts + 1] = text
  end
  return ("%s(%s)"):format(name, table.concat(parts, ", ")), signature.returns
end

return routine_calls
