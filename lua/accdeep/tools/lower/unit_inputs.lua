-- unit_inputs.lua - values of a unit of C or C++ that bounds of shapes and directives need: variables, and functions
-- that compute bounds which only the compiler can evaluate.
--
-- Symbols in the code of a plan (lowering/codegen.lua) stand for variables. Generated functions
-- (emit/deep_directive.lua) and calls of accdeep's library (c_calls.lua) use the variables themselves. A bound with a
-- call that depends on an object is a function accdeep_bound_N of the unit, after the unit's text.

local deep_directive = require "accdeep.tools.emit.deep_directive"
local lvalue_text = require "accdeep.tools.emit.lvalue_text"
local types = require "accdeep.types"

local unit_inputs = {}

-- Declares a template whose specializations are functions that compute bounds; classes of the unit declare it as a
-- friend, because bounds may use private members.
unit_inputs.DEEP = "template<typename Name> struct accdeep_deep;"
unit_inputs.FRIEND = "template<typename Name> friend struct ::accdeep_deep;"

-- Function accdeep_bound_NUMBER of C++: TYPE is the type of the object, TEXT the bound as an expression of its pointer.
local CXX_BOUND = [[namespace { struct accdeep_bound_of_N; }
template<> struct accdeep_deep<accdeep_bound_of_N> {
    static long get(const void *object)
    {
        TYPE *q = (TYPE *)object;
        return TEXT;
    }
};
static long accdeep_bound_N(const void *object) { return accdeep_deep<accdeep_bound_of_N>::get(object); }]]

local Inputs = {}
Inputs.__index = Inputs

-- Returns the inputs of a unit, whose directives `session` plans. `values`: result of compiler_values.new.
-- `is_function(name)`: true for functions outside of classes. `is_cxx`: the unit is C++.
function unit_inputs.new(session, values, is_function, is_cxx)
  session.options.method_named = function(record, name)
    return values:is_of(name, record, is_function) and { fn = function() end, record = record, name = name }
  end
  return setmetatable({ values = values, is_function = is_function, is_cxx = is_cxx, bounds = {},
    functions = {} }, Inputs)
end

-- Returns the index, from 0 on, of the function that computes a bound from an object; adds the function if it is new.
-- `call`: {name, record}, the name of the value (an expression for the compiler, see compiler_values.lua) and the type
-- of the object.
function Inputs:bound(call)
  for i, bound in ipairs(self.bounds) do
    if bound.name == call.name and bound.record == call.record then return i - 1 end
  end
  local number = #self.bounds + 1
  self.bounds[number] = call
  if call.record.kind == "pointer" then -- the conversion of a floating number
    self.functions[number] = ("static long accdeep_bound_%d(const void *object) { return (long)*(const %s *)object; }")
      :format(number, types.name(call.record.to))
    return number - 1
  end
  local spelled = self.is_cxx and call.record.tag or types.name(call.record)
  local text = ("(long)(%s)"):format(self.values:restore_expressions(call.name, call.record, self.is_function))
  local values = { N = number, TYPE = spelled, TEXT = text }
  self.functions[number] = self.is_cxx and CXX_BOUND:gsub("%f[%w]%u+%f[%W]", values)
    or ("static long accdeep_bound_%d(const void *object)\n{\n    const %s *q = (const %s *)object;\n    return %s;\n}")
      :format(number, spelled, spelled, text)
  return number - 1
end

-- Returns the prototypes of the functions that compute bounds, as a list of texts.
function Inputs:prototypes()
  local list = { self.is_cxx and unit_inputs.DEEP or nil }
  for i in ipairs(self.bounds) do list[#list + 1] = ("static long accdeep_bound_%d(const void *);"):format(i) end
  return list
end

-- Returns the variable of a symbol as {text, is_global}. Without `offset` the text is its address, otherwise the value
-- of the type `code` (core.scalar) that lies `offset` bytes from there. `addressless`: set of names of the directive
-- that have no address.
function Inputs:variable(symbol, offset, code, addressless)
  local variable = symbol.variable or deep_directive.cannot "this bound"
  local name, at = variable.name, symbol.offset + (offset or 0)
  local text
  if offset then
    text = lvalue_text.value(variable.type, name, at, code)
    if not text then deep_directive.cannot(("a bound that reads a part of '%s'"):format(name)) end
    return { text = text, is_global = variable.is_global }
  end
  if name == "this" or not variable.is_global and addressless[name] then
    deep_directive.cannot(("'%s', which has no address"):format(name))
  end
  text = ("(long)&%s"):format(name)
  return { text = at == 0 and text or ("%s + %d"):format(text, at), is_global = variable.is_global }
end

-- Returns the function of a symbol that a bound calls, as program_functions.lua wants it.
function Inputs:call(symbol)
  local record = symbol.record
  if record and record.kind == "pointer" then return { float = record.to.code } end
  if record then return { name = ("accdeep_bound_%d"):format(self:bound(symbol) + 1) } end
  return { text = ("(long)%s()"):format(symbol.name), is_global = self.values:is_of_type(symbol.name) }
end

return unit_inputs
