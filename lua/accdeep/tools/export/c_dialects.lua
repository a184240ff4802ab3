-- c_dialects.lua - what C and C++ write differently in the functions of deep_copy.lua.
--
-- C: functions with types. C++: members of a template struct, which classes can have as a friend. They take the types
-- from their arguments, so that types without names, private ones and those of templates need not be spelled:
--     accdeep_call<accdeep_enter_part_1>(objects, count) calls accdeep_deep<accdeep_enter_part_1>::run.
-- Their definitions may stand at the end of the unit, where all types are whole.

local types = require "accdeep.types"

local c_dialects = { c = {}, cxx = {} }

-- Text that binds as tightly as a place needs.
local function operand(text) return text:find "^[%w_.>-]+$" and text or "(" .. text .. ")" end
c_dialects.operand = operand

-- Adds a function, whose prototype and text write(name) gives, unless there is one like it. Returns its name.
function c_dialects.add(program, what, write)
  program.ndeep = (program.ndeep or 0) + 1
  local name = ("%s%s_%d"):format(program.prefix or "", what, program.ndeep)
  local prototype, text = write(name)
  program.known_texts = program.known_texts or {}
  local plain = (prototype .. text):gsub(name .. "%f[^%w_]", "")
  local same = program.known_texts[plain]
  if same then return same end
  program.known_texts[plain] = name
  program.prototypes[#program.prototypes + 1] = prototype
  program.functions[#program.functions + 1] = text
  return name
end

-- Functions that attach and detach a pointer into the data of another one. It may point to their end, which is no
-- address of them: then the device's pointer is attached to their beginning, and set. For a moment the host has another
-- pointer: checks by access must not see that.
local ALIAS = {
  attach = [[
{
    void *host = *pointer;
    if (acc_is_present(host, 1) || !acc_is_present(base, 1)) {
        if (acc_is_present(host, 1))
            acc_attach(pointer);
        return;
    }
    *pointer = base;
    acc_attach(pointer);
    *pointer = (char *)acc_deviceptr(base) + ((char *)host - (char *)base);
    acc_memcpy_to_device(acc_deviceptr((void *)pointer), (void *)pointer, sizeof *pointer);
    *pointer = host;
}]],
  detach = [[
{
    void *host = *pointer;
    if (acc_is_present(host, 1) || !acc_is_present(base, 1)) {
        acc_detach(pointer);
        return;
    }
    *pointer = base;
    acc_detach(pointer);
    *pointer = host;
    if (acc_is_present((void *)pointer, sizeof *pointer))
        acc_memcpy_to_device(acc_deviceptr((void *)pointer), (void *)pointer, sizeof *pointer);
}]],
}

-- The name of such a function. routine: acc_attach, acc_detach or acc_detach_finalize.
function c_dialects.alias(program, routine)
  local what = routine:gsub("^acc_", "")
  return c_dialects.add(program, what .. "_alias", function(name)
    local head = ("static void %s(void **pointer, void *base)"):format(name)
    return head .. ";", "__attribute__((no_sanitize_thread))\n" .. head .. "\n"
      .. ALIAS[what:match "^%a+"]:gsub("acc_%a+tach", routine)
  end)
end

-- Whether functions have a name for what is their own: parameters and variables.
local own_names = { objects = true, count = true, kept = true, q = true, to = true, row = true, i = true }
function c_dialects.is_own(name) return own_names[name] or name:find "^%a+_?%d+$" and name:find "^[ibp]" ~= nil end

-- The name of a function that gives the value of a variable of the unit whose name functions have for their own.
function c_dialects.value(program, variable)
  return c_dialects.add(program, "value_of", function(name)
    local head = ("static long %s(void)"):format(name)
    return head .. ";", ("%s { return (long)%s; }"):format(head, variable)
  end)
end

-- The name of a function that counts calls for objects that point to others of their type. It ends the program before
-- these calls have taken the whole stack.
function c_dialects.deeper(program)
  return c_dialects.add(program, "deeper", function(name)
    local head = ("static void %s(int by)"):format(name)
    return head .. ";", head .. [[

{
    static __thread int depth;
    depth += by;
    if (depth > 40000) {
        static const char said[] = "accdeep: more than 40000 objects follow one another, or objects lead back to "
            "themselves: lower with --to accdeep\n";
        fwrite(said, 1, sizeof said - 1, stderr);
        abort();
    }
}]]
  end)
end

-- The name of a function that copies an array but for a section of it.
function c_dialects.copy_around_function(program)
  return c_dialects.add(program, "copy_around", function(name)
    local head = ("static void %s(void *to, void *from, long size, long first, long count, long element)")
      :format(name)
    return head .. ";", head .. [[

{
    long last = first + (count > 0 ? count * element : 0);
    memcpy(to, from, (size_t)first);
    memcpy((char *)to + last, (char *)from + last, (size_t)(size - last));
}]]
  end)
end

-- ---------------------------------------------------------------------------------------------- C --

local c = c_dialects.c

-- A declaration of a name. A structure that only its member knows has text of its own (deep_copy.lua).
function c.declaration(t, name)
  local stars, of = "", t
  while of.kind == "pointer" do stars, of = stars .. "*", of.to end
  return of.spelled and ("%s %s%s"):format(of.spelled, stars, name) or types.spell(t, name)
end
function c.called(name) return name end
function c.member(_, _, name) return "q->" .. name end
function c.first_element(text, t)
  local of = t
  while of.kind == "array" do of = of.of end
  return ("(%s)%s"):format(c.declaration(types.pointer(of), ""), text)
end

-- An address of const or volatile objects for functions that take others; in C++ accdeep_call does that.
function c.unqualified_address(text, record)
  return ("(%s)%s"):format(c.declaration(types.pointer(record), ""), operand(text))
end

-- A function whose parameters behind count are of type long; body: lines of a loop over q. is_kept: q is where the
-- objects are kept, not the objects themselves. Returns prototype and text.
function c.define(name, record, parameters, body, is_kept)
  local more = { is_kept and ", void *kept" or "" }
  for i = 1, parameters do more[i + 1] = ", long bound_" .. i end
  local head = ("static void %s(%s, size_t count%s)"):format(name, c.declaration(types.pointer(record), "objects"),
    table.concat(more))
  local from = is_kept and ("(%s)kept + i"):format(c.declaration(types.pointer(record), "")) or "&objects[i]"
  return head .. ";", ("%s\n{\n    for (size_t i = 0; i < count; i++) {\n        %s = %s;\n%s    }\n}")
    :format(head, c.declaration(types.pointer(record), "q"), from, body)
end

-- Statements that put values of the host back, which a transfer of whole objects must not touch: before it, and behind
-- it. name: the pointer to what keeps them; called: the function that puts them back; arguments: its last, as text.
local function keep_values(dialect, name, text, count, called, arguments)
  local builtin, size = dialect.builtin, text:match "^&([%w_]+)$" or ("*(%s)"):format(text)
  local bytes = ("%s * sizeof %s"):format(operand(count), size)
  return { ("%s = %smalloc(%s);"):format(name, builtin, bytes),
    ("%smemcpy(%s, (const void *)%s, %s);"):format(builtin, name, operand(text), bytes) },
    { ("%s(%s, %s, %s%s);"):format(dialect.called(called), text, count, name, arguments),
      ("%sfree(%s);"):format(builtin, name) }
end

c.builtin = ""
function c.keep_values(...) return keep_values(c, ...) end

-- -------------------------------------------------------------------------------------------- C++ --

local cxx = c_dialects.cxx

-- What stands in front of the unit. No header is needed there.
-- What classes have as a friend. Names of its specializations belong to the unit, and so do these.
cxx.DEEP = "template<typename Name> struct accdeep_deep;"
function cxx.prelude(prototypes)
  local call = "template<typename Name, typename Type, typename... More> "
    .. "void accdeep_call(Type *objects, __SIZE_TYPE__ count, More... more);"
  local functions = prototypes[1] and table.concat(prototypes, " ") .. " " .. call .. " " or ""
  return ("%s namespace { %s}"):format(cxx.DEEP, functions)
end
cxx.FRIEND = "template<typename Name> friend struct ::accdeep_deep;"
-- Behind the functions: pointers to const become others, for shapes whose bounds call functions that are not const.
cxx.CALL = [[
namespace {
template<typename Type> Type *accdeep_plain(const volatile Type *objects) { return const_cast<Type *>(objects); }
template<typename Name, typename Type, typename... More>
void accdeep_call(Type *objects, __SIZE_TYPE__ count, More... more)
{
    accdeep_deep<Name>::run(accdeep_plain(objects), count, more...);
}
}]]

function cxx.declaration(_, name) return "auto " .. name end
function cxx.unqualified_address(text) return text end
-- Raises a reason if a member is private in a class that the unit does not define.
local function check_access(program, record, name)
  for _, member in ipairs(record.members) do
    if member.name == name and member.closed and program.is_foreign(record) then
      error({ cannot = ("'%s', which is private in %s, a class of another file"):format(name, record.tag) }, 0)
    elseif not member.name and member.type.by_name[name] then
      check_access(program, member.type, name)
    end
  end
end

-- A member of *q. Base classes of what the unit does not define may be inaccessible: only a cast leads there.
function cxx.member(program, record, name)
  check_access(program, record, name)
  for _, base in ipairs(program.is_foreign(record) and record.bases or {}) do
    if types.member(base, name) then return ("((%s *)q)->%s"):format(base.tag, name) end
  end
  return "q->" .. name
end

-- Code behind the unit: specializations stand where their template does, other functions are the unit's own.
function cxx.place_at_end(code)
  return code:find("template<>", 1, true) == 1 and code or ("namespace {\n%s\n}"):format(code)
end

function cxx.called(name) return ("accdeep_call<%s>"):format(name) end
function cxx.first_element(text, t)
  local of, subscripts = t, ""
  while of.kind == "array" do of, subscripts = of.of, subscripts .. "[0]" end
  return "&" .. operand(text) .. subscripts
end

function cxx.define(name, _, parameters, body, is_kept)
  local more = { is_kept and ", void *kept" or "" }
  for i = 1, parameters do more[i + 1] = ", long bound_" .. i end
  local lines = body:gsub("[^\n]+", function(line) return line:find "^#line" and line or "    " .. line end)
  return ("struct %s;"):format(name), ("template<> struct accdeep_deep<%s> {\n"
    .. "    template<typename Type> static void run(Type *objects, size_t count%s)\n    {\n"
    .. "        for (size_t i = 0; i < count; i++) {\n            Type *q = %s;\n%s        }\n    }\n};")
    :format(name, table.concat(more), is_kept and "(Type *)kept + i" or "&objects[i]", lines)
end

-- The function of a bound that is about an object q. type: that of the object, as text.
function cxx.bound(number, type, text)
  return ([[namespace { struct accdeep_bound_of_N; }
template<> struct accdeep_deep<accdeep_bound_of_N> {
    static long get(const void *object)
    {
        TYPE *q = (TYPE *)object;
        return TEXT;
    }
};
static long accdeep_bound_N(const void *object) { return accdeep_deep<accdeep_bound_of_N>::get(object); }]])
    :gsub("%f[%w]%u+%f[%W]", { N = number, TYPE = type, TEXT = text }) .. ""
end

-- What chooses among plans of directives by the type of an object; a plan, as text, for a type.
cxx.PLAN = "namespace { template<int Number, typename Type> struct accdeep_plan_of; "
  .. "template<int Number, typename Type> accd_lowered *accdeep_plan(const volatile Type *) "
  .. "{ return accdeep_plan_of<Number, Type>::get(); } }"
function cxx.plan(number, type, plan)
  return ("namespace { template<> struct accdeep_plan_of<%d, %s> { static accd_lowered *get() { return %s; } }; }")
    :format(number, type, plan)
end

-- A function that calls another one for each type of objects. by_type: list of {type as text, name}. Returns its name.
function cxx.choose(program, by_type)
  return c_dialects.add(program, "each_type", function(own)
    local parts = {}
    for i, one in ipairs(by_type) do
      parts[i] = ("    template<typename... More> static void run(%s *objects, size_t count, More... more)\n    {\n"
        .. "        accdeep_call<%s>(objects, count, more...);\n    }\n"):format(one[1], one[2])
    end
    return ("struct %s;"):format(own), ("template<> struct accdeep_deep<%s> {\n%s};"):format(own, table.concat(parts))
  end)
end

-- Units of C++ may have no headers in front of their functions.
cxx.builtin = "__builtin_"
function cxx.keep_values(...) return keep_values(cxx, ...) end

return c_dialects
