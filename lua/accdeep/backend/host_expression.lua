-- host_expression.lua - evaluates C expressions of a scenario on the host: their values, read from host or device
-- memory, and the addresses of l-values. run/language_c.lua and the lowering of OpenMP call this file.
--
-- Input: an expression of the host program. Output: its value or address. Invariant: nothing is cached, since variables
-- may change.
--
-- env: environment of the expression (backend/closures.lua), with env.space, the memory that values are read from.
-- frame: a table for one evaluation; frame.pos is the position to which an error belongs. node: an AST. self: the
-- session.

local diagnostic = require "accdeep.base.diagnostic"
local closures = require "accdeep.backend.closures"
local syntax = require "accdeep.syntax"
local scoped_names = require "accdeep.types.scoped_names"
local list_item = require "accdeep.sema.c.list_item"
local types = require "accdeep.types"
local memory_view = require "accdeep.backend.memory_view"
local strings = require "accdeep.base.strings"

local raise = diagnostic.raise

local host_expression = {}

-- Returns the value of a bound of a section; raises if the bound is not an integer.
local function bound(env, node, frame)
  local e = closures.compile(env, node)
  if not e.value or e.type.kind ~= "scalar" or e.type.float then
    raise("type-mismatch", node.pos, "the bound of a section is an integer", { rule = "ACC33-2.7.1-1" })
  end
  return (e.value(frame))
end

-- Returns start and length of a subscript; an index has the length 1. n: number of elements of its array, nil for a
-- pointer. Raises if the length is missing for a pointer, or negative.
local function range(env, subscript, n, frame)
  if subscript.index then return bound(env, subscript.index, frame), 1 end
  local start = subscript.start and bound(env, subscript.start, frame) or 0
  local length = subscript.length and bound(env, subscript.length, frame) or n and n - start
  if not length then
    raise("invalid-section", subscript.pos, "the section of a pointer needs a length", { rule = "ACC33-2.7.1-1" })
  elseif length < 0 then
    raise("invalid-section", subscript.pos, ("the section has a negative length, %d"):format(length),
      { rule = "TR14-3.1.1-23" })
  end
  return start, length
end

-- Returns the element type of an array or pointer type; raises at `pos` for other types.
local function element(t, pos)
  return types.element(t) or raise("not-a-pointer", pos, ("%s has no elements"):format(types.name(t)))
end

-- Returns the values of the elements of a section as nested lists, one level per dimension. Raises if the section is
-- outside of its array, or if its elements have no size.
local function section_values(env, node, frame)
  local dimensions = {}
  while node.tag == "section" do
    table.insert(dimensions, 1, node)
    node = node.base
  end
  local base, space = closures.compile(env, node), env.space
  -- Returns the values of the dimensions from `depth` on. t: type of the array or pointer; at: its address; low, high:
  -- bounds of the object. At depth 1, `at` is the value of a pointer if the base is an r-value.
  local function list(t, depth, at, low, high)
    local section = dimensions[depth]
    if not section then return memory_view.read(space, t, at, low, high) end
    local element_type = element(t, section.pos)
    if element_type.kind == "void" or element_type.kind == "function"
      or element_type.kind == "record" and not element_type.complete then
      scoped_names.no_size(element_type, section.pos)
    end
    local start, length = range(env, section, t.n, frame)
    frame.pos = section.pos
    if t.kind == "pointer" and (depth > 1 or base.lvalue) then
      at, low, high = space:load_pointer(at, low, high, frame)
    elseif t.kind == "array" and (start < 0 or start + length > t.n) then
      space:out_of_bounds(at, ("the section [%d:%d] is outside the array of %s"):format(start, length,
        strings.count(t.n, "element")), frame)
    end
    local values = {}
    for i = start, start + length - 1 do
      values[#values + 1] = list(element_type, depth + 1, at + i * element_type.size, low, high)
    end
    return values
  end
  if not base.lvalue and base.type.kind ~= "pointer" then element(base.type, node.pos) end
  return list(base.type, 1, (base.lvalue or base.value)(frame))
end

-- Returns the value of the expression `text` in the memory of `env`: a number, a pointer, a view, or nested lists for a
-- section. start: the grammar rule, "assignment" if the expression may assign; nil: "expression". Raises for errors of
-- the expression, and if it is void.
function host_expression.value(self, env, text, start)
  local node = syntax.parse(start or "expression", text, 1, self.now.scope)
  local frame = {}
  local ok, result = pcall(function()
    if node.tag == "section" then return section_values(env, node, frame) end
    local e = closures.compile(env, node)
    if e.lvalue then
      local address, low, high = e.lvalue(frame)
      frame.pos = node.pos
      return memory_view.read(env.space, e.type, address, low, high)
    end
    if e.type.kind == "pointer" then return env.space:pointer(e.type, e.value(frame)) end
    if e.type.kind == "void" then raise("type-mismatch", node.pos, "this has no value") end
    return (e.value(frame))
  end)
  if ok then return result end
  if diagnostic.is(result) and not result.pos then result.pos = frame.pos or node.pos end
  error(result, 0)
end

-- Returns address, bytes and type of the l-value or section `node` on the host; for a section, the type is that of its
-- base. Raises if `node` is neither. If a section covers several rows, only its first subscript is used, so the result
-- covers whole rows.
function host_expression.extent_of(self, node)
  local env, frame = self:host_env(), { pos = node.pos }
  local base, subscripts = node, nil
  if node.tag == "section" then base, subscripts = list_item.split_designator(node) end
  local e = closures.compile(env, base)
  local t = e.type
  if not subscripts then
    if not e.lvalue then
      raise("type-mismatch", node.pos, "a variable is needed", { help = "name a variable, or a section: a[0:1]" })
    end
    return (e.lvalue(frame)), t.size, t
  end
  local element_type = element(t, subscripts[1].pos)
  local address = (t.kind == "pointer" and e.value or e.lvalue)(frame)
  local start, length = range(env, subscripts[1], t.n, frame)
  -- A section inside a single row: the subscripts combine to elements of the innermost array.
  for i = 2, #subscripts do
    if length ~= 1 or element_type.kind ~= "array" then break end
    local first, count = range(env, subscripts[i], element_type.n, frame)
    start, length, element_type = start * element_type.n + first, count, element_type.of
  end
  return address + start * element_type.size, length * element_type.size, t
end

-- Returns address, bytes and type of the l-value or section `text`, as extent_of does.
function host_expression.extent(self, text)
  return host_expression.extent_of(self, syntax.parse("expression", text, 1, self.now.scope))
end

-- Returns the address and type of the l-value `text`; callers use it for pointers.
function host_expression.pointer(self, text)
  local address, _, t = host_expression.extent(self, text)
  return address, t
end

return host_expression
