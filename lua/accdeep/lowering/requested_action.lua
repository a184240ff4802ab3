-- requested_action.lua - lowers a request (sema/clauses/requests.lua) to the core's action and flags, and the mapping
-- program of its members. c_items.lua and fortran_section.lua call it.

local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local mapper = require "accdeep.sema.members.mapper"
local action_words = require "accdeep.lowering.action_words"
local requests = require "accdeep.sema.clauses.requests"

local requested_action = {}

-- Returns the core's action, the mapping program of the elements (nil: only their bytes are mapped), and the core's
-- flags of a request on objects of type t. A request that was not analysed with its types is analysed now: in Fortran,
-- types of list items are known when they are evaluated. Raises then as requests.resolve does.
function requested_action.resolve(session, request, t)
  if not request.item then requests.resolve(session, request, t) end
  local code, flags = action_words.code(request.word)
  if request.map_request then flags = flags | mapper.bits(request.map_request.flags) end
  return code, mapping_compiler.compile(session, request.members), flags
end

return requested_action
