-- types/init.lua - C types and their layout on the platform's ABI (x86-64 System V). Used by all later phases;
-- fortran_types.lua adds the types of Fortran.
--
-- A type is a table with kind, size and align in bytes, and fields by kind:
--   "scalar": name, float (true for floating numbers), signed, rank, code. The operand type with the higher rank
--   decides the type of an operation. code: the core's number of the type. Enums are scalars, too.
--   "pointer": to, the target's type.   "array": of, the elements' type; n, their number.   "void".   "function".
--   "record": record = "struct" | "union", tag, members = list of {name?, type, offset, pos}, by_name (name -> member),
--   complete (false while the members are unknown).
-- A type with the field view = {read_value, fill} is shown to scenarios by these functions, not as C data
-- (backend/memory_view.lua).

local core = require "accdeep.core"

local types = {}

local scalar_code = core.scalar

-- Returns a scalar type. code: name of the type in core.scalar; rank: rank of conversions; fields: table of further
-- fields, nil for a signed integer.
local function scalar(name, size, code, rank, fields)
  local t = { kind = "scalar", name = name, size = size, align = size, code = scalar_code[code],
    rank = rank, signed = true }
  for k, v in pairs(fields or {}) do t[k] = v end
  return t
end

local unsigned = { signed = false }
local float = { float = true }

-- Scalar types of C by name.
types.scalars = {
  ["char"] = scalar("char", 1, "i8", 1),
  ["signed char"] = scalar("signed char", 1, "i8", 1),
  ["unsigned char"] = scalar("unsigned char", 1, "u8", 1, unsigned),
  ["short"] = scalar("short", 2, "i16", 2),
  ["unsigned short"] = scalar("unsigned short", 2, "u16", 2, unsigned),
  ["int"] = scalar("int", 4, "i32", 3),
  ["unsigned int"] = scalar("unsigned int", 4, "u32", 3, unsigned),
  ["long"] = scalar("long", 8, "i64", 4),
  ["unsigned long"] = scalar("unsigned long", 8, "u64", 4, unsigned),
  ["long long"] = scalar("long long", 8, "i64", 5),
  ["unsigned long long"] = scalar("unsigned long long", 8, "u64", 5, unsigned),
  ["_Bool"] = scalar("_Bool", 1, "bool", 0, unsigned),
  ["float"] = scalar("float", 4, "f32", 10, float),
  ["double"] = scalar("double", 8, "f64", 11, float),
  ["long double"] = scalar("long double", 16, "f80", 12, float),
}

-- Void and functions have size and alignment 1, as in GNU C.
types.void = { kind = "void", name = "void", size = 1, align = 1 }
types["function"] = { kind = "function", name = "function", size = 1, align = 1 }
-- Result type of a function that the scenario defines in Lua: an integer or a floating number, known only when it
-- returns.
types.auto = { kind = "scalar", name = "number", size = 8, align = 8, auto = true, rank = 11,
  signed = true, code = scalar_code.f64 }

-- Standard typedefs that are known without an include: name -> name of the scalar type.
types.predefined = {
  size_t = "unsigned long", ptrdiff_t = "long", ssize_t = "long", intptr_t = "long",
  uintptr_t = "unsigned long", int8_t = "signed char", uint8_t = "unsigned char",
  int16_t = "short", uint16_t = "unsigned short", int32_t = "int", uint32_t = "unsigned int",
  int64_t = "long", uint64_t = "unsigned long",
}

-- Returns the scalar type, or void, that a list of keywords names ("unsigned", "long", "int" in any order). Returns nil
-- if the keywords contradict each other or a word other than "long" is repeated. Unknown words are ignored, so a list
-- without keywords gives int.
function types.builtin(words)
  local count = {}
  for _, w in ipairs(words) do count[w] = (count[w] or 0) + 1 end
  local function has(w) return count[w] end
  for w, n in pairs(count) do
    if n > 1 and w ~= "long" then return nil end
  end
  if has "void" then return #words == 1 and types.void or nil end
  if has "bool" or has "_Bool" then return #words == 1 and types.scalars._Bool or nil end
  if has "float" then return #words == 1 and types.scalars.float or nil end
  if has "double" then
    if #words == 1 then return types.scalars.double end
    return #words == 2 and has "long" and types.scalars["long double"] or nil
  end
  if has "signed" and has "unsigned" then return nil end
  local prefix = has "unsigned" and "unsigned " or ""
  if has "char" then
    if has "long" or has "short" or has "int" then return nil end
    return types.scalars[(has "signed" and "signed " or prefix) .. "char"]
  end
  if has "short" then return not has "long" and types.scalars[prefix .. "short"] or nil end
  if has "long" then
    return (count.long <= 2) and types.scalars[prefix .. ("long "):rep(count.long):sub(1, -2)] or nil
  end
  return types.scalars[prefix .. "int"]
end

-- Returns the type of pointers to the type `to`. It is made at the first call and stored in `to`, so it is unique.
function types.pointer(to)
  -- An enum inherits all fields of its scalar type, but has a pointer type of its own, so inherited fields are ignored.
  local t = rawget(to, "pointer_type")
  if not t then
    t = { kind = "pointer", to = to, size = 8, align = 8, code = scalar_code.pointer }
    to.pointer_type = t
  end
  return t
end

-- Returns a new type of arrays of n elements; n nil: an array of unknown length, with size 0.
function types.array(element, n)
  return { kind = "array", of = element, n = n, size = n and n * element.size or 0, align = element.align }
end

-- ------------------------------------------------------------------------------------- records --

-- Returns a new, incomplete record. kind: "struct" or "union"; tag: its name, or nil.
function types.record(kind, tag)
  return { kind = "record", record = kind, tag = tag, size = 0, align = 1, complete = false }
end

-- Completes a record: gives it members {name?, type, offset, pos} with known offsets, and its size and alignment;
-- returns the record. by_name also has the members of anonymous records, with offsets in this record; their field
-- `within` is the anonymous member.
function types.set_members(record, members, size, align)
  record.members, record.by_name = members, {}
  for _, member in ipairs(members) do
    if member.name then
      record.by_name[member.name] = member
    else
      for name, inner in pairs(member.type.by_name) do
        record.by_name[name] = { name = name, type = inner.type, offset = member.offset + inner.offset,
          within = member, pos = inner.pos, is_const = member.is_const or inner.is_const }
      end
    end
  end
  record.size, record.align, record.complete = size, align, true
  return record
end

-- Lays out members {name?, type, pos} in order, as C does: sets their offsets and completes the record with them.
-- Returns the record. Precondition: the members' types are complete.
function types.complete(record, members)
  local size, align = 0, 1
  for _, member in ipairs(members) do
    local t = member.type
    member.offset = record.record == "union" and 0 or (size + t.align - 1) // t.align * t.align
    size = math.max(size, member.offset + t.size)
    align = math.max(align, t.align)
  end
  return types.set_members(record, members, (size + align - 1) // align * align, align)
end

-- Returns a new enum type, with the values and fields of the scalar type `base`. tag: name of the enum, or nil.
function types.enum(tag, base)
  return setmetatable({ kind = "scalar", tag = tag, name = tag and "enum " .. tag or "enum", size = base.size,
    align = base.align, code = base.code }, { __index = base })
end

-- Returns the name of a const member in a type t: in a record, in records nested in it, or in an array of records.
-- Returns nil if no member is const, or t is neither a record nor an array of records. C does not allow assignments to
-- objects with const members.
function types.const_member(t)
  while t.kind == "array" do t = t.of end
  for _, member in ipairs(t.kind == "record" and t.members or {}) do
    local inner = member.is_const and member.name or types.const_member(member.type)
    if inner then return inner end
  end
  return nil
end

-- Returns the member called `name`, with its offset in the record; members of anonymous records are included. Returns
-- nil if no member has this name, or the record is incomplete.
function types.member(record, name) return record.by_name and record.by_name[name] end

-- --------------------------------------------------------------------------------------- names --

-- Returns the declaration of `inner` with type t as text, in the syntax of C; the type's name if `inner` is "".
local function format_type(t, inner)
  if t.kind == "pointer" then
    local star = "*" .. inner
    if t.to.kind == "array" then star = "(" .. star .. ")" end
    return format_type(t.to, star)
  elseif t.kind == "array" and not t.name then
    return format_type(t.of, ("%s[%s]"):format(inner, t.n or ""))
  end
  local keyword = t.keyword or t.record
  local name = t.name or (t.tag and (keyword or "enum") .. " " .. t.tag) or keyword or t.kind
  return inner == "" and name or name .. " " .. inner
end

-- Returns the declaration of a name with a type as text: for a pointer to float, spell(t, "x") is "float *x".
types.spell = format_type
-- Returns the path of the member or element at an offset in an object of type t, such as ".in[2].x". The path ends at
-- the deepest member that contains the offset. The path is "" if no member contains the offset.
function types.path(t, offset)
  if t.kind == "array" and t.of.size > 0 then
    return ("[%d]%s"):format(offset // t.of.size, types.path(t.of, offset % t.of.size))
  end
  for _, member in ipairs(t.kind == "record" and t.members or {}) do
    local into = offset - member.offset
    if into >= 0 and into < member.type.size then
      local path = (member.name and "." .. member.name or "") .. types.path(member.type, into)
      -- An empty path does not end the search, because a member may lie in the tail padding of a base class.
      if path ~= "" then return path end
    end
  end
  return ""
end

-- Returns the name of a type as text, in the syntax of C.
function types.name(t) return format_type(t, "") end

-- Returns true if t is a structure, class, union or derived type.
function types.is_record(t) return t.kind == "record" end

-- Returns true if two types are the same. Records, and enums with a tag, are the same only if they are identical. Other
-- scalars are compared by the core's code, pointers by target, arrays by element and length.
function types.same(a, b)
  if a == b then return true end
  if a.kind ~= b.kind then return false end
  if a.kind == "pointer" then return types.same(a.to, b.to) end
  if a.kind == "array" then return a.n == b.n and types.same(a.of, b.of) end
  if a.kind == "scalar" then return a.code == b.code and not a.tag and not b.tag end
  return false
end

-- Returns the type of the elements of an array or descriptor, or of a pointer's target; nil for other types.
function types.element(t)
  return (t.kind == "array" or t.kind == "descriptor") and t.of or t.kind == "pointer" and t.to or nil
end

-- Returns the type that remains after all arrays, pointers and descriptors are removed.
function types.innermost(t)
  while t.kind == "array" or t.kind == "pointer" or t.kind == "descriptor" do t = t.to or t.of end
  return t
end

-- Returns true if t is the type of pointers, of descriptors, or of arrays of them.
function types.holds_pointers(t)
  while t.kind == "array" do t = t.of end
  return t.kind == "pointer" or t.kind == "descriptor"
end

return types
