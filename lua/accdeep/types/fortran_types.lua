-- fortran_types.lua - Fortran types in the representation of types/init.lua, with the layout of the platform's
-- compilers.
--
-- Derived types are records, laid out as C structures; a type that extends another type has the latter as `parent`. An
-- array with explicit bounds is an array of its elements in memory order, with bounds = list of {lower, extent}.
-- Additional kinds, with their fields:
--   "character": len, the number of characters.   "complex": part, the real type of its two parts.
--   "descriptor": of (declared type of the elements), rank, attribute, layout, polymorphic (see descriptor below).
-- A descriptor represents a variable or component that is allocatable, a pointer, of assumed shape or polymorphic
-- (fortran_descriptor.lua). Fields of all types here: class ("integer", "real", "complex", "logical", "character",
-- "type") and, for intrinsic types, fkind, the kind of Fortran: integer(8) has 8.

local core = require "accdeep.core"
local fortran_descriptor = require "accdeep.types.fortran_descriptor"
local fortran_dynamic_types = require "accdeep.types.fortran_dynamic_types"
local types = require "accdeep.types"

local fortran_types = {}

local code = core.scalar

-- Returns an intrinsic scalar type. code_name: name of the core's code; class: "integer", "real" or "logical"; rank:
-- rank of conversions (arithmetic.common_type); fields: table of further fields, or nil.
local function scalar(name, size, code_name, class, rank, fields)
  local t = { kind = "scalar", name = name, size = size, align = size, code = code[code_name], rank = rank,
    signed = true, class = class, fkind = size }
  for k, v in pairs(fields or {}) do t[k] = v end
  return t
end

local float, logical = { float = true }, { logical = true }

-- Intrinsic types: class -> kind -> type. The default kind is 4.
fortran_types.intrinsic = {
  integer = {
    [1] = scalar("integer(1)", 1, "i8", "integer", 1), [2] = scalar("integer(2)", 2, "i16", "integer", 2),
    [4] = scalar("integer", 4, "i32", "integer", 3), [8] = scalar("integer(8)", 8, "i64", "integer", 4),
  },
  real = { [4] = scalar("real", 4, "f32", "real", 10, float), [8] = scalar("real(8)", 8, "f64", "real", 11, float) },
  logical = {
    [1] = scalar("logical(1)", 1, "i8", "logical", 0, logical),
    [2] = scalar("logical(2)", 2, "i16", "logical", 0, logical),
    [4] = scalar("logical", 4, "i32", "logical", 0, logical),
    [8] = scalar("logical(8)", 8, "i64", "logical", 0, logical),
  },
}
-- Returns the complex type whose parts have the real type `part`.
local function complex(name, part)
  return { kind = "complex", name = name, class = "complex", part = part, size = 2 * part.size, align = part.align,
    fkind = part.fkind }
end
fortran_types.intrinsic.complex = { [4] = complex("complex", fortran_types.intrinsic.real[4]),
  [8] = complex("complex(8)", fortran_types.intrinsic.real[8]) }
fortran_types.INTEGER, fortran_types.LONG = fortran_types.intrinsic.integer[4], fortran_types.intrinsic.integer[8]
fortran_types.REAL, fortran_types.DOUBLE = fortran_types.intrinsic.real[4], fortran_types.intrinsic.real[8]
fortran_types.COMPLEX = fortran_types.intrinsic.complex[4]
fortran_types.LOGICAL = fortran_types.intrinsic.logical[4]

-- Returns a new type of character variables of `len` characters. Like all types with `view`, it has its own form in
-- scenarios (fortran_view.lua).
function fortran_types.character(len)
  return { kind = "character", name = ("character(%d)"):format(len), class = "character", len = len, size = len,
    align = 1, fkind = 1, view = fortran_types.view }
end

-- Returns a new derived type called `tag`, still without components.
function fortran_types.record(tag)
  local t = types.record("struct", tag)
  t.name, t.class = ("type(%s)"):format(tag), "type"
  return t
end

-- Metatable of by_name: a name in any spelling finds the component whose name is stored in small letters.
local case_blind = { __index = function(t, key)
  local small = type(key) == "string" and key:lower()
  return small and small ~= key and rawget(t, small) or nil
end }

-- Makes the components of a completed derived type t available in any spelling. Precondition: names in t.by_name are in
-- small letters. parent: the type that t extends, or nil; its name becomes the name of a component at offset 0, with
-- the position `pos`.
function fortran_types.name_components(t, parent, pos)
  if parent then t.by_name[parent.tag] = { name = parent.tag, type = parent, offset = 0, pos = pos } end
  setmetatable(t.by_name, case_blind)
end

-- Returns a new array type. bounds: list of {lower, extent}, which the type keeps. Its `view`, the form in which
-- scenarios see it, is fortran_types.view, which backend/fortran/fortran_view.lua sets.
function fortran_types.array(element, bounds)
  local n = 1
  for _, bound in ipairs(bounds) do n = n * bound.extent end
  local t = types.array(element, n)
  t.bounds, t.name, t.view = bounds, fortran_types.shape_name(element, #bounds, ""), fortran_types.view
  return t
end

-- Returns a new descriptor type. layout: one of fortran_descriptor.layouts; element: declared type of the elements;
-- attribute: "allocatable", "pointer", or "other" for dummy arguments; polymorphic: true for class(element), false or
-- nil otherwise.
function fortran_types.descriptor(layout, element, rank, attribute, polymorphic)
  return { kind = "descriptor", of = element, rank = rank, attribute = attribute, layout = layout, align = 8,
    size = fortran_descriptor.size(layout, rank, polymorphic), polymorphic = polymorphic or nil,
    name = fortran_types.shape_name(element, rank, ", " .. attribute, polymorphic), view = fortran_types.view }
end

-- Returns the name, for messages, of a type with this element type and rank. attribute: text after the element type,
-- such as ", pointer" or ""; polymorphic: true for class(element).
function fortran_types.shape_name(element, rank, attribute, polymorphic)
  local name = polymorphic and ("class(%s)"):format(element.tag) or types.name(element)
  return name .. attribute .. (rank > 0 and (", dimension(%s)"):format((":,"):rep(rank):sub(1, -2)) or "")
end

-- Returns element type and rank of an array or descriptor type; for other types, t itself and 0.
function fortran_types.element(t)
  if t.bounds then return t.of, #t.bounds end
  if t.kind == "descriptor" then return t.of, t.rank end
  return t, 0
end

-- Returns true if a descriptor of type t may describe an object with elements of object_type. This is t's element type
-- or, if t is polymorphic, a type that extends it.
function fortran_types.fits(object_type, t)
  return fortran_types.same(object_type, t.of)
    or t.polymorphic and fortran_dynamic_types.extends(object_type, t.of) or false
end

-- Returns true if a value of type `a` can be used as a value of type `b` without conversion. Derived types must be
-- identical, intrinsic types have the same class and kind, characters the same length.
function fortran_types.same(a, b)
  if a == b then return true end
  if a.class ~= b.class or a.kind ~= b.kind then return false end
  if a.kind == "scalar" or a.kind == "complex" then return a.fkind == b.fkind end
  return a.kind == "character" and a.len == b.len
end

return fortran_types
