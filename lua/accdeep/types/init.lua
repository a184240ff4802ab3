-- types - C types and their layout on the platform's ABI (x86-64 System V).
--
-- kind: "scalar" (with float, signed, rank, code of the binding), "pointer" {to}, "array" {of, n},
-- "record" {record = "struct"|"union", tag, members, size, align}, "enum" (a scalar), "void",
-- "function". fortran_types.lua has more. A type that the scenario does not see as C does has view = {read, fill}
-- (backend/memory_view.lua).

local core = require "accdeep.core"

local types = {}

local scalar_code = core.scalar

local function scalar(name, size, code, rank, fields)
  local t = { kind = "scalar", name = name, size = size, align = size, code = scalar_code[code],
    rank = rank, signed = true }
  for k, v in pairs(fields or {}) do t[k] = v end
  return t
end

local unsigned = { signed = false }
local float = { float = true }

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

types.void = { kind = "void", name = "void", size = 1, align = 1 }
types["function"] = { kind = "function", name = "function", size = 1, align = 1 }
-- what a function of the scenario returns: a number of either kind, known when it is there
types.auto = { kind = "scalar", name = "number", size = 8, align = 8, auto = true, rank = 11,
  signed = true, code = scalar_code.f64 }

-- Names every C program of the field uses without including anything here.
types.predefined = {
  size_t = "unsigned long", ptrdiff_t = "long", ssize_t = "long", intptr_t = "long",
  uintptr_t = "unsigned long", int8_t = "signed char", uint8_t = "unsigned char",
  int16_t = "short", uint16_t = "unsigned short", int32_t = "int", uint32_t = "unsigned int",
  int64_t = "long", uint64_t = "unsigned long",
}

-- The scalar that a list of keywords names ("unsigned", "long", "int" in any order), or nil.
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

function types.pointer(to)
  local t = rawget(to, "pointer_type") -- not that of the scalar under an enum
  if not t then
    t = { kind = "pointer", to = to, size = 8, align = 8, code = scalar_code.pointer }
    to.pointer_type = t
  end
  return t
end

function types.array(of, n)
  return { kind = "array", of = of, n = n, size = n and n * of.size or 0, align = of.align }
end

-- ------------------------------------------------------------------------------------- records --

function types.record(kind, tag)
  return { kind = "record", record = kind, tag = tag, size = 0, align = 1, complete = false }
end

-- Gives a record members (name?, type, offset, pos) that have their places; anonymous records lend their members'
-- names.
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

-- Lays out members in order.
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

-- A type with the values of a scalar.
function types.enum(tag, base)
  return setmetatable({ kind = "scalar", tag = tag, name = tag and "enum " .. tag or "enum", size = base.size,
    align = base.align, code = base.code }, { __index = base })
end

-- The name of a const member, also of what a record or an array holds; nil if there is none: C assigns to none that
-- has one.
function types.const_member(t)
  while t.kind == "array" do t = t.of end
  for _, member in ipairs(t.kind == "record" and t.members or {}) do
    local inner = member.is_const and member.name or types.const_member(member.type)
    if inner then return inner end
  end
  return nil
end

-- The member of that name, wherever in anonymous records it stands: offset and type from the start.
function types.member(record, name) return record.by_name and record.by_name[name] end

-- --------------------------------------------------------------------------------------- names --

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

types.spell = format_type -- a declaration of a name: spell(t, "x") is float *x
-- What lies at an offset in an object: ".in[2].x"; as far as it has a name.
function types.path(t, offset)
  if t.kind == "array" and t.of.size > 0 then
    return ("[%d]%s"):format(offset // t.of.size, types.path(t.of, offset % t.of.size))
  end
  for _, member in ipairs(t.kind == "record" and t.members or {}) do
    local into = offset - member.offset
    if into >= 0 and into < member.type.size then
      local path = (member.name and "." .. member.name or "") .. types.path(member.type, into)
      if path ~= "" then return path end -- in the last bytes of a base class may lie a member
    end
  end
  return ""
end

function types.name(t) return format_type(t, "") end

function types.is_record(t) return t.kind == "record" end

-- Whether two types are the same: records by identity, the rest by structure.
function types.same(a, b)
  if a == b then return true end
  if a.kind ~= b.kind then return false end
  if a.kind == "pointer" then return types.same(a.to, b.to) end
  if a.kind == "array" then return a.n == b.n and types.same(a.of, b.of) end
  if a.kind == "scalar" then return a.code == b.code and not a.tag and not b.tag end
  return false
end

-- What an array or pointer has as elements.
function types.element(t)
  return (t.kind == "array" or t.kind == "descriptor") and t.of or t.kind == "pointer" and t.to or nil
end

-- The record inside arrays and behind pointers.
function types.innermost(t)
  while t.kind == "array" or t.kind == "pointer" or t.kind == "descriptor" do t = t.to or t.of end
  return t
end

return types
