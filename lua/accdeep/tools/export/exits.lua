-- exits.lua - code for the end of a deep copy: restores host values that a transfer of whole objects overwrote, and
-- finds pointers that other directives attached.
--
-- deep_copy.lua and fortran_deep_copy.lua call it. A member mapping (nest.lua) says how the members of a structure are
-- mapped; its entries (nest.entries) are the members. The shape of a type is the mapping that its declaration gives.

local c_dialects = require "accdeep.tools.export.c_dialects"
local nest = require "accdeep.lowering.nest"
local member_transfers = require "accdeep.tools.export.member_transfers"
local types = require "accdeep.types"

local traffic = member_transfers.traffic

local exits = {}

-- Returns a list of the members (pointers or descriptors) that a member mapping leaves out, but that the type's shape
-- maps: other directives may have attached these pointers.
function exits.left_out(session, member_mapping)
  local attached, list = {}, {}
  for _, entry in ipairs(nest.entries(session, nest.shape(session, member_mapping.record))) do
    local t = entry.member.type
    attached[entry.member] = entry.include and (t.kind == "descriptor" or t.kind == "pointer" and entry.subscripts)
  end
  for _, entry in ipairs(nest.entries(session, member_mapping)) do
    if not entry.include and attached[entry.member] then list[#list + 1] = entry.member end
  end
  return list
end

-- Writes the body of a function that sets the int whose address is its first parameter to 1 if the target of a pointer
-- in exits.left_out is present. `writer`: the Writer of deep_copy.lua.
function exits.find_rest(writer, member_mapping)
  writer.parameters[1] = true
  for _, member in ipairs(exits.left_out(writer.session, member_mapping)) do
    local text = writer.dialect.member(writer.program, member_mapping.record, member.name)
    writer:line("if (%s && acc_is_present((void *)%s, 1))", text, text)
    writer:line("    *(int *)bound_1 = 1;")
  end
end

-- Writes the body of a function that restores, from the saved copy q, those host values of an object that the transfer
-- must not change. `writer`: the Writer of deep_copy.lua.
function exits.put_back(writer, member_mapping)
  local record = member_mapping.record
  writer:line("%s = &objects[i];", writer.dialect.declaration(types.pointer(record), "to"))
  -- Returns a member as text: in the saved copy q, and in the object `to`.
  local function text_of(entry)
    local text = writer.dialect.member(writer.program, record, entry.member.name)
    local to, is_plain_name = text:gsub("^q%->", "to->")
    return text, is_plain_name == 1 and to or (text:gsub("%*%)q%)", "*)to)", 1)) -- member of a base class: ((base *)q)
  end
  -- Writes the copy of a whole member from q to the object.
  local function copy_whole(entry)
    local name = entry.member.name
    -- A program cannot name bytes of bit-fields and pointers to virtual tables, therefore they are copied by offset.
    if name:find "[^%w_]" or name:find "^_+vptr" then
      local at, bytes = types.member(record, name).offset, entry.member.type.size
      return writer:line("memcpy((char *)to + %d, (char *)q + %d, %d);", at, at, bytes)
    end
    local from, to = text_of(entry)
    writer:line("memcpy((void *)&%s, (void *)&%s, sizeof %s);", to, from, from)
  end
  -- Writes the copy of an array member except for the section that was transferred. Writes nothing for members that
  -- were transferred whole.
  local function copy_rest(entry)
    local first, length = writer:array_part(member_mapping, entry)
    if not first then return end
    local from, to = text_of(entry)
    writer:line("%s((void *)&%s, (void *)&%s, sizeof %s, (char *)&%s%s - (char *)&%s, %s, sizeof %s%s);",
      c_dialects.copy_around_function(writer.program), to, from, from, from, first, from, length, from, first)
  end
  local keeps_pointers = writer.program.keeps_pointers
  member_transfers.each_value(writer.session, member_mapping, writer.action, keeps_pointers,
    function(entry, _, goes_out)
    if goes_out then copy_rest(entry) else copy_whole(entry) end
  end, function(entry, inner, action)
    local _, goes_out, stays = traffic(writer.session, inner, action, keeps_pointers)
    if not goes_out then return copy_whole(entry) end
    copy_rest(entry)
    if not stays then return end
    local from, to = text_of(entry)
    writer:each_nested_record(member_mapping, entry, function(address, count, saved_address)
      writer:elements(member_mapping, entry, address, count, saved_address)
    end, to, from)
  end)
end

return exits
