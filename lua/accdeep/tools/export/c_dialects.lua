-- c_dialects.lua - differences between C and C++ in the functions that deep_copy.lua generates.
--
-- C: functions with explicit types. C++: static members of a template struct, which classes can declare as a friend.
-- Their argument types are deduced, so that unnamed and private types need not be spelled:
--
--     accdeep_call<accdeep_enter_part_1>(objects, count) calls accdeep_deep<accdeep_enter_part_1>::run.
--
-- The C++ definitions can be placed at the end of the unit, where all types are complete.

local types = require "accdeep.types"

local c_dialects = { c = {}, cxx = {} }

-- Returns an expression as text that can be an operand: simple names and members unchanged, otherwise in parentheses.
local function operand(text) return text:find "^[%w_.>-]+$" and text or "(" .. text .. ")" end
c_dialects.operand = operand

-- Adds a generated function to a program, unless an equal function exists. `stem`: part of the function's name.
-- write(name) returns the prototype and the text. Returns the name of the new or existing function.
function c_dialects.add(program, stem, write)
  program.ndeep = (program.ndeep or 0) + 1
  local name = ("%s%s_%d"):format(program.prefix or "", stem, program.ndeep)
  local prototype, text = write(name)
  program.known_texts = program.known_texts or {}
  local nameless_text = (prototype .. text):gsub(name .. "%f[^%w_]", "")
  local existing = program.known_texts[nameless_text]
  if existing then return existing end
  program.known_texts[nameless_text] = name
  program.prototypes[#program.prototypes + 1] = prototype
  program.functions[#program.functions + 1] = text
  return name
end

-- Bodies of functions that attach an alias (a pointer into the data of another pointer, `base`), or detach it. The
-- pointer may point just past the end of the data, which is not present. The device pointer is then attached to the
-- beginning of the data, and shifted. The host pointer is changed temporarily, which the thread sanitizer must ignore.
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

-- Returns the name of a function of ALIAS, which is added to the program if new. `routine`: acc_attach, acc_detach or
-- acc_detach_finalize.
function c_dialects.alias(program, routine)
  local stem = routine:gsub("^acc_", "")
  return c_dialects.add(program, stem .. "_alias", function(name)
    local head = ("static void %s(void **pointer, void *base)"):format(name)
    return head .. ";", "__attribute__((no_sanitize_thread))\n" .. head .. "\n"
      .. ALIAS[stem:match "^%a+"]:gsub("acc_%a+tach", routine)
  end)
end

-- Names of parameters and variables in generated functions.
local own_names = { objects = true, count = true, ["kept"] = true, q = true, to = true, row = true, i = true }
-- Returns a true value if `name` is a parameter or variable of generated functions. These functions then cannot use a
-- variable of the unit with that name.
function c_dialects.is_own(name) return own_names[name] or name:find "^%a+_?%d+$" and name:find "^[ibp]" ~= nil end

-- Returns the name of a generated function that returns the value of `variable`. Used for variables that a parameter or
-- variable of the generated functions would hide (is_own).
function c_dialects.value(program, variable)
  return c_dialects.add(program, "value_of", function(name)
    local head = ("static long %s(void)"):format(name)
    return head .. ";", ("%s { return (long)%s; }"):format(head, variable)
  end)
end

-- Returns the name of a generated function that counts nested calls for recursive types. The generated function aborts
-- the program before the stack overflows.
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

-- Returns the name of a generated function that copies an array except for a section of it. Its parameters: target,
-- source, bytes of the array, offset of the section, number and size of its elements.
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

-- Returns the declaration of a name with the type `t`. A structure without a name is spelled by its field `spelled`
-- (deep_copy.lua).
function c.declaration(t, name)
  local stars, target = "", t
  while target.kind == "pointer" do stars, target = stars .. "*", target.to end
  return target.spelled and ("%s %s%s"):format(target.spelled, stars, name) or types.spell(t, name)
end
-- Returns the text that calls a generated function, without arguments.
function c.called(name) return name end
-- Returns the member `name` of *q as text.
function c.member(_, _, name) return "q->" .. name end
-- Returns the address of the first innermost element of the array `text` of type `t`.
function c.first_element(text, t)
  local element = t
  while element.kind == "array" do element = element.of end
  return ("(%s)%s"):format(c.declaration(types.pointer(element), ""), text)
end

-- Returns the address `text` of objects without const and volatile.
function c.unqualified_address(text, record)
  return ("(%s)%s"):format(c.declaration(types.pointer(record), ""), operand(text))
end

-- Returns the prototype and the text of a function. `parameters`: number of long parameters after `count`. `body`:
-- lines of a loop over q. `is_kept`: q points to the saved copy of an object instead of the object.
function c.define(name, record, parameters, body, is_kept)
  local more = { is_kept and ", void *kept" or "" }
  for i = 1, parameters do more[i + 1] = ", long bound_" .. i end
  local head = ("static void %s(%s, size_t count%s)"):format(name, c.declaration(types.pointer(record), "objects"),
    table.concat(more))
  local from = is_kept and ("(%s)kept + i"):format(c.declaration(types.pointer(record), "")) or "&objects[i]"
  return head .. ";", ("%s\n{\n    for (size_t i = 0; i < count; i++) {\n        %s = %s;\n%s    }\n}")
    :format(head, c.declaration(types.pointer(record), "q"), from, body)
end

-- Returns two lists of statements: the first saves host values before a transfer of whole objects, the second restores
-- the values that the transfer must not change. `name`: the pointer to the saved copy. `text`, `count`: address and
-- number of the objects. `callee`: the function that restores. `arguments`: the last arguments of that function, as
-- text.
local function keep_values(dialect, name, text, count, callee, arguments)
  local builtin, size = dialect.builtin, text:match "^&([%w_]+)$" or ("*(%s)"):format(text)
  local bytes = ("%s * sizeof %s"):format(operand(count), size)
  return { ("%s = %smalloc(%s);"):format(name, builtin, bytes),
    ("%smemcpy(%s, (const void *)%s, %s);"):format(builtin, name, operand(text), bytes) },
    { ("%s(%s, %s, %s%s);"):format(dialect.called(callee), text, count, name, arguments),
      ("%sfree(%s);"):format(builtin, name) }
end

c.builtin = ""
-- Returns the statements that save and restore host values (keep_values), with malloc, memcpy and free.
function c.keep_values(...) return keep_values(c, ...) end

-- -------------------------------------------------------------------------------------------- C++ --

local cxx = c_dialects.cxx

-- Declarations that are placed before the unit and need no headers. cxx.DEEP: the template whose specializations are
-- the generated functions; classes of the unit declare it as a friend.
cxx.DEEP = "template<typename Name> struct accdeep_deep;"
-- Returns the declarations before a unit, in one line: the friend template, and the prototypes of generated functions
-- in an unnamed namespace.
function cxx.prelude(prototypes)
  local call = "template<typename Name, typename Type, typename... More> "
    .. "void accdeep_call(Type *objects, __SIZE_TYPE__ count, More... more);"
  local functions = prototypes[1] and table.concat(prototypes, " ") .. " " .. call .. " " or ""
  return ("%s namespace { %s}"):format(cxx.DEEP, functions)
end
cxx.FRIEND = "template<typename Name> friend struct ::accdeep_deep;"
-- The definition of accdeep_call, placed after the functions. It removes const, because bounds of shapes may call
-- member functions that are not const.
cxx.CALL = [[
namespace {
template<typename Type> Type *accdeep_plain(const volatile Type *objects) { return const_cast<Type *>(objects); }
template<typename Name, typename Type, typename... More>
void accdeep_call(Type *objects, __SIZE_TYPE__ count, More... more)
{
    accdeep_deep<Name>::run(accdeep_plain(objects), count, more...);
}
}]]

-- Returns a declaration of `name` whose type is deduced.
function cxx.declaration(_, name) return "auto " .. name end
-- Returns the address unchanged, because accdeep_call removes const and volatile.
function cxx.unqualified_address(text) return text end
-- Raises {cannot = reason} if the member `name` is private in a class that the unit does not define.
local function check_access(program, record, name)
  for _, member in ipairs(record.members) do
    if member.name == name and member.closed and program.is_foreign(record) then
      error({ cannot = ("'%s', which is private in %s, a class of another file"):format(name, record.tag) }, 0)
    elseif not member.name and member.type.by_name[name] then
      check_access(program, member.type, name)
    end
  end
end

-- Returns the member `name` of *q as text. A cast is needed for base classes of foreign classes, which may be
-- inaccessible. Raises {cannot = reason} if the member is private in a class that the unit does not define.
function cxx.member(program, record, name)
  check_access(program, record, name)
  for _, base in ipairs(program.is_foreign(record) and record.bases or {}) do
    if types.member(base, name) then return ("((%s *)q)->%s"):format(base.tag, name) end
  end
  return "q->" .. name
end

-- Returns code for the end of the unit: specializations in the global namespace, other functions in an unnamed one.
function cxx.place_at_end(code)
  return code:find("template<>", 1, true) == 1 and code or ("namespace {\n%s\n}"):format(code)
end

-- Returns the text that calls a generated function, without arguments.
function cxx.called(name) return ("accdeep_call<%s>"):format(name) end
-- Returns the address of the first innermost element of the array `text` of type `t`.
function cxx.first_element(text, t)
  local element, subscripts = t, ""
  while element.kind == "array" do element, subscripts = element.of, subscripts .. "[0]" end
  return "&" .. operand(text) .. subscripts
end

-- Returns the prototype and the text of a function: a loop over objects with the body `body`. `parameters`: number of
-- long parameters after `count`. `is_kept`: q points to the saved copy of an object instead of the object.
function cxx.define(name, _, parameters, body, is_kept)
  local more = { is_kept and ", void *kept" or "" }
  for i = 1, parameters do more[i + 1] = ", long bound_" .. i end
  local lines = body:gsub("[^\n]+", function(line) return line:find "^#line" and line or "    " .. line end)
  return ("struct %s;"):format(name), ("template<> struct accdeep_deep<%s> {\n"
    .. "    template<typename Type> static void run(Type *objects, size_t count%s)\n    {\n"
    .. "        for (size_t i = 0; i < count; i++) {\n            Type *q = %s;\n%s        }\n    }\n};")
    :format(name, table.concat(more), is_kept and "(Type *)kept + i" or "&objects[i]", lines)
end

-- Returns the text of the function accdeep_bound_NUMBER, which computes a bound from an object. `type`: the type of the
-- object as text. `text`: the bound as an expression of its pointer q.
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

-- Template that selects a directive's plan by the type of an object, for directives in templates (c_calls.lua).
cxx.PLAN = "namespace { template<int Number, typename Type> struct accdeep_plan_of; "
  .. "template<int Number, typename Type> accd_lowered *accdeep_plan(const volatile Type *) "
  .. "{ return accdeep_plan_of<Number, Type>::get(); } }"
-- Returns the specialization number `number` of accdeep_plan_of that selects `plan` for objects of the type `type`, as
-- text.
function cxx.plan(number, type, plan)
  return ("namespace { template<> struct accdeep_plan_of<%d, %s> { static accd_lowered *get() { return %s; } }; }")
    :format(number, type, plan)
end

-- Adds a generated function that calls a different function for each type of objects. `by_type`: a list of {type as
-- text, name of the function}. Returns the name of the added function.
function cxx.choose(program, by_type)
  return c_dialects.add(program, "each_type", function(tag)
    local parts = {}
    for i, entry in ipairs(by_type) do
      parts[i] = ("    template<typename... More> static void run(%s *objects, size_t count, More... more)\n    {\n"
        .. "        accdeep_call<%s>(objects, count, more...);\n    }\n"):format(entry[1], entry[2])
    end
    return ("struct %s;"):format(tag), ("template<> struct accdeep_deep<%s> {\n%s};"):format(tag, table.concat(parts))
  end)
end

-- Prefix of library functions: C++ units may not have included their headers.
cxx.builtin = "__builtin_"
-- Returns the statements that save and restore host values (keep_values), with builtin functions.
function cxx.keep_values(...) return keep_values(cxx, ...) end

return c_dialects
