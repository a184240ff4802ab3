-- c_functions.lua - the functions that one unit of C or C++ gets (program_functions.lua, c_printer.lua).
--
-- A program has the lists `prototypes` and `functions`, which this file extends, and `prefix`, the beginning of the
-- names. Fields of a program that this file calls: input(symbol, offset, scalar) and call(symbol), which
-- program_functions.new describes; finished(text), optional, returns the text of a function as it is written.

local c_printer = require "accdeep.tools.emit.c_printer"
local program_functions = require "accdeep.tools.emit.program_functions"
local sorted_pairs = require "accdeep.base.sorted_pairs"
local strings = require "accdeep.base.strings"

local c_functions = {}

-- Adds a generated function to a program, unless an equal function exists. `print(name)` returns its prototype and
-- text. `name`: its name if it is given already; then it is always added. Returns the name of the function.
local function add(program, stem, name, print)
  local is_named = name ~= nil
  if not is_named then
    program.ndeep = (program.ndeep or 0) + 1
    name = ("%s%s_%d"):format(program.prefix or "", stem, program.ndeep)
  end
  local prototype, text = print(name)
  program.known_texts = program.known_texts or {}
  local nameless_text = (prototype .. text):gsub(name .. "%f[^%w_]", "")
  local existing = program.known_texts[nameless_text]
  if existing and not is_named then return existing end
  program.known_texts[nameless_text] = name
  program.prototypes[#program.prototypes + 1] = prototype
  program.functions[#program.functions + 1] = program.finished and program.finished(text) or text
  return name
end

-- Adds the declaration `text` of the type `name` to a program, unless it has this type.
local function add_type(program, name, text)
  program.known_texts = program.known_texts or {}
  if program.known_texts[name] then return end
  program.known_texts[name] = name
  program.prototypes[#program.prototypes + 1] = text
end

-- Returns the word for the phase of a function, in its name.
local function word_of(fn)
  return fn.phase == "keep" and "put_back" or fn.direction and "update_" .. fn.direction or fn.phase
end

-- Returns the part of a function's name that says for which objects it is.
local function stem_of(fn)
  local program = fn.stack[#fn.stack]
  local tag = (program.name or "object"):gsub("%b<>", ""):match "([%w_]+)$" or "object"
  return word_of(fn) .. "_" .. tag
end

-- Names that generated functions declare; a variable of the unit with such a name is hidden there.
local own_names = strings.word_set "objects count kept object q p n to i slot"
-- Names that only their helpers declare.
local helper_names = strings.word_set "pointer base host bytes at by depth said found is_valid"

-- Returns preprocessor lines that remove macros with names that generated functions use, as a list. Precondition: only
-- generated functions follow.
function c_functions.undefine_names()
  local list = {}
  for _, names in ipairs { own_names, helper_names } do
    for name in sorted_pairs(names) do list[#list + 1] = "#undef " .. name end
  end
  return list
end

-- Returns the value of an input (program_functions.new), by a function of its own if a name in it would be hidden.
local function visible_input(program, input)
  local is_hidden = false
  for name in (input.is_global and input.text or ""):gmatch "[%a_][%w_]*" do
    is_hidden = is_hidden or own_names[name] or name:find "^bound_%d+$" or name:find "^outer_%d+$"
  end
  if not is_hidden then return input end
  local name = add(program, "value_of", nil, function(name)
    local head = ("static long %s(void)"):format(name)
    return head .. ";", ("%s { return (long)(%s); }"):format(head, input.text)
  end)
  return { text = name .. "()", is_global = true }
end

-- Returns the functions of a program (program_functions.new).
function c_functions.new(program)
  -- Returns the name of a function; gives it one if a recursive call precedes its definition.
  local function name_of(fn)
    if not fn.name then
      program.ndeep = (program.ndeep or 0) + 1
      fn.name = ("%s%s_%d"):format(program.prefix or "", stem_of(fn), program.ndeep)
    end
    return fn.name
  end
  local function add_helper(helper_name)
    return add(program, (helper_name:gsub("^accdeep_", "")), nil, function(name)
      return c_printer.helper(helper_name, name)
    end)
  end
  return program_functions.new({
    input = function(...) return visible_input(program, program.input(...)) end, call = program.call,
    define = function(fn)
      fn.name = add(program, stem_of(fn), fn.name, function(name)
        fn.name = name -- a recursive function calls itself
        return c_printer.print(fn, name, { name_of = name_of, add_helper = add_helper,
          add_type = function(...) add_type(program, ...) end })
      end)
    end,
  }, program.keeps_pointers, program.keeps_pointers and "acc_attach_at")
end

-- Adds the function that sets the int whose address is its third argument to 1 if the target of one of the pointers at
-- `offsets` of an object is present. `stride`: bytes of an object. Returns its name.
function c_functions.find(program, stem, stride, offsets)
  add_type(program, c_printer.pointer_type())
  return add(program, "find_" .. stem, nil, function(name)
    local head = ("static void %s(char *objects, long count, int *found)"):format(name)
    local lines = { head .. "\n{", "    for (long i = 0; i < count; i++) {",
      ("        char *const q = objects + i * %d;"):format(stride) }
    for _, offset in ipairs(offsets) do
      local pointer = ("*(accdeep_pointer *)(q + %d)"):format(offset)
      lines[#lines + 1] = ("        if (%s && acc_is_present(%s, 1))"):format(pointer, pointer)
      lines[#lines + 1] = "            *found = 1;"
    end
    lines[#lines + 1] = "    }\n}"
    return head .. ";", table.concat(lines, "\n")
  end)
end

-- C++: declares templates that select a function by the type of objects. Their specializations are at the unit's end.
local CHOICE = "namespace { template<int Number, typename Type> struct accdeep_choice_of; "
  .. "template<int Number, typename Type, typename... More> "
  .. "void accdeep_choice(const volatile Type *objects, More... more) "
  .. "{ accdeep_choice_of<Number, Type>::run((char *)objects, more...); } }"

-- C++: returns the name of a function that calls a different one for each type of objects. `by_type`: a list of {type
-- as text, name of the function}.
function c_functions.choice(program, by_type)
  if not program.nchoices then table.insert(program.prototypes, CHOICE) end
  program.nchoices = (program.nchoices or 0) + 1
  for _, entry in ipairs(by_type) do
    table.insert(program.functions, ("namespace {\ntemplate<> struct accdeep_choice_of<%d, %s> {\n"
      .. "    template<typename... More> static void run(char *objects, More... more) { %s(objects, more...); }\n};\n}")
      :format(program.nchoices, entry[1], entry[2]))
  end
  return ("accdeep_choice<%d>"):format(program.nchoices)
end

return c_functions
