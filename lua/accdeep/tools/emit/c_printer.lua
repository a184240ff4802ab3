-- c_printer.lua - prints the functions of program_functions.lua as C, which is C++, too.
--
-- Objects are addressed by bytes: q points to the object. Scalars are read by types that may alias any other type and
-- need no alignment. The routines are those of OpenACC; openmp_routines.lua has them for OpenMP.

local core = require "accdeep.core"
local program_functions = require "accdeep.tools.emit.program_functions"
local program_transfers = require "accdeep.tools.emit.program_transfers"

local c_printer = {}

local scalar = core.scalar

-- Types that read a scalar of a code: {name, spelling in C, kind of its value}.
local loads = {
  [scalar.i8] = { "i8", "signed char", "int" }, [scalar.u8] = { "u8", "unsigned char", "int" },
  [scalar.i16] = { "i16", "short", "int" }, [scalar.u16] = { "u16", "unsigned short", "int" },
  [scalar.i32] = { "i32", "int", "int" }, [scalar.u32] = { "u32", "unsigned", "unsigned" },
  [scalar.i64] = { "i64", "long", "long" }, [scalar.u64] = { "u64", "unsigned long", "unsigned long" },
  [scalar.bool] = { "u8", "unsigned char", "int" },
  [scalar.f32] = { "f32", "float", "float" }, [scalar.f64] = { "f64", "double", "double" },
}

-- Returns the name of the type that reads a scalar of the code `code`, or pointers (`code`: "pointer"). Adds its
-- declaration to the unit by add_type(name, text).
local function type_name(self, code)
  local name = "accdeep_" .. (code == "pointer" and code or loads[code][1])
  self.add_type(name, ("typedef %s%s __attribute__((may_alias, aligned(1)));"):format(
    code == "pointer" and "char *" or loads[code][2] .. " ", name))
  return name
end

-- Definitions of functions that generated functions call, by name; the name of an OpenACC routine stands for itself.
local helpers = {}

-- Attaches an alias (a pointer into the data of another pointer, `base`), or detaches it. The pointer may point just
-- past the end of the data, which is not present. The device pointer is then attached to the beginning of the data, and
-- shifted. The host pointer is changed temporarily, which the thread sanitizer must ignore.
local ATTACH_ALIAS = [[
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
}]]
local DETACH_ALIAS = [[
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
}]]
local UNCHECKED = "__attribute__((no_sanitize_thread))\n"
local POINTERS = "(void **pointer, void *base)"
helpers.accdeep_attach_alias = { POINTERS, ATTACH_ALIAS, UNCHECKED }
helpers.accdeep_detach_alias = { POINTERS, DETACH_ALIAS, UNCHECKED }
helpers.accdeep_detach_finalize_alias = { POINTERS, DETACH_ALIAS:gsub("acc_detach", "acc_detach_finalize") .. "",
  UNCHECKED }
-- Counts nested calls for recursive types, and ends the program before the stack overflows.
helpers.accdeep_deeper = { "(long by)", [[
{
    static __thread int depth;
    depth += (int)by;
    if (depth > 40000) {
        static const char said[] = "accdeep: more than 40000 objects follow one another, or objects lead back to "
            "themselves: lower with --to accdeep\n";
        fwrite(said, 1, sizeof said - 1, stderr);
        abort();
    }
}]] }
-- Ends the program if the condition of a section is 0.
helpers.accdeep_require = { "(long is_valid)", [[
{
    if (!is_valid) {
        static const char said[] = "accdeep: a section is not contiguous, or runs off its row\n";
        fwrite(said, 1, sizeof said - 1, stderr);
        abort();
    }
}]] }

-- ------------------------------------------------------------------------------------ expressions --

local Printer = {}
Printer.__index = Printer

local expression -- forward declaration

-- Returns an expression as an operand: names, numbers and loads unchanged, others in parentheses.
local function operand(self, e)
  local text, kind = expression(self, e)
  if text:find "^[%w_]+$" or text:find "^%*%(accdeep_%w+ %*%)[%w_]+$" or text:find "^%*%(accdeep_%w+ %*%)%([^()]*%)$"
    or text:find "^[%w_]+%b()$" then
    return text, kind
  end
  return "(" .. text .. ")", kind
end

-- Returns an expression as an operand of a C type: a cast precedes those of other types.
local function of_type(self, e, kind)
  local text, own = operand(self, e)
  if own == kind or e.op == "const" and own == "int" and e.value >= 0 then return text end
  return ("(%s)%s"):format(kind, text)
end

-- Returns the address of an object's byte as text: q + 8.
local function self_address(offset) return offset == 0 and "q" or ("q + %d"):format(offset) end
-- Returns this address as an operand: (q + 8).
local function self_operand(offset) return offset == 0 and "q" or ("(q + %d)"):format(offset) end

-- Functions by op: printers[op](self, e) returns the text of an expression and the kind of its value: a C type.
local printers = {}
function printers.const(_, e)
  if e.value == math.mininteger then return "(-9223372036854775807 - 1)", "long" end
  local is_int = e.value >= -(1 << 31) and e.value < 1 << 31
  return ("%d%s"):format(e.value, is_int and "" or "L"), is_int and "int" or "long"
end
function printers.name(self, e) return e.name, self.addresses[e.name] and "char *" or "long" end
function printers.self(_, e) return self_address(e.offset), "char *" end
function printers.input(self, e) return self.fn.input_names[e.text], "long" end
function printers.outer(self, e) return self.fn.outer_names[e.register], "long" end
function printers.host(_, e) return e.text, "" end
function printers.pointer(self, e)
  return ("*(%s *)%s"):format(type_name(self, "pointer"), self_operand(e.offset)), "char *"
end
function printers.load(self, e)
  local to, is_bool = loads[e.scalar], e.scalar == scalar.bool
  local address
  if e.address.op == "self" then
    address = self_operand(e.address.offset + e.offset)
  else
    address = ("(char *)%s"):format(of_type(self, e.address, "long"))
    address = e.offset ~= 0 and ("(%s + %d)"):format(address, e.offset) or address
  end
  return ("*(%s *)%s%s"):format(type_name(self, e.scalar), address, is_bool and " != 0" or ""), to[3]
end
function printers.shift(self, e) return ("%s + %s"):format(operand(self, e.base), operand(self, e.by)), "char *" end
function printers.cast_address(self, e)
  if e.a.op == "load" and e.a.address.op == "self" then return printers.pointer(self, e.a) end
  return ("(char *)%s"):format(of_type(self, e.a, "long")), "char *"
end
function printers.arith(self, e)
  local to = e.scalar and loads[e.scalar] and loads[e.scalar][3] or "long"
  local is_bits = e.operator == "&" or e.operator == "|" or e.operator == "^"
  if is_bits and select(2, expression(self, e.a)) == "int" and select(2, expression(self, e.b)) == "int" then
    to = "int"
  end
  return ("%s %s %s"):format(of_type(self, e.a, to), e.operator, of_type(self, e.b, to)), to
end
function printers.compare(self, e)
  if e.is_unsigned then
    return ("%s %s %s"):format(of_type(self, e.a, "unsigned long"), e.operator, of_type(self, e.b, "unsigned long")),
      "int"
  end
  local a, kind_a = operand(self, e.a)
  local b, kind_b = operand(self, e.b)
  local is_zero = b == "0" and (e.operator == "==" or e.operator == "!=")
  if kind_a ~= "int" and kind_a ~= "long" and not is_zero then a = of_type(self, e.a, "long") end
  if kind_b ~= "int" and kind_b ~= "long" then b = of_type(self, e.b, "long") end
  if a == "0" and e.operator == "<" then return ("%s > 0"):format(b), "int" end
  return ("%s %s %s"):format(a, e.operator, b), "int"
end
function printers.unary(self, e)
  if e.operator == "!" then return ("!%s"):format(operand(self, e.a)), "int" end
  return ("%s%s"):format(e.operator, of_type(self, e.a, "long")), "long"
end
function printers.select(self, e)
  local is_int = select(2, expression(self, e.a)) == "int" and select(2, expression(self, e.b)) == "int"
  local to = is_int and "int" or "long"
  return ("%s ? %s : %s"):format(operand(self, e.c), of_type(self, e.a, to), of_type(self, e.b, to)), to
end
function printers.cast(self, e)
  local to = loads[e.scalar]
  if e.scalar == scalar.bool then return ("%s != 0"):format(operand(self, e.a)), "int" end
  return ("(%s)%s"):format(to[2], of_type(self, e.a, "long")), to[3]
end
function printers.distance(self, e)
  return ("(%s - %s) / %d"):format(of_type(self, e.a, "long"), of_type(self, e.b, "long"), e.bytes), "long"
end
function printers.present(self, e)
  return ("acc_is_present(%s, %s)"):format(expression(self, e.address), expression(self, e.bytes)), "int"
end
function printers.call(self, e)
  local args = {}
  for i, arg in ipairs(e.args) do args[i] = of_type(self, arg, "char *") end
  return ("%s(%s)"):format(e.name, table.concat(args, ", ")), "long"
end

-- Returns the text of an expression and the kind of its value. Parts that several expressions share are printed once.
-- Raises {cannot = reason} for long texts.
function expression(self, e)
  local printed = self.printed[e]
  if not printed then
    printed = { printers[e.op](self, e) }
    if #printed[1] > program_functions.LENGTH then program_transfers.cannot "a bound that is too long" end
    self.printed[e] = e.op ~= "name" and printed or nil
  end
  return printed[1], printed[2]
end

-- ------------------------------------------------------------------------------------- statements --

-- Appends a line with indentation.
local function line(self, format, ...)
  self.lines[#self.lines + 1] = ("    "):rep(self.depth) .. format:format(...)
end

local statements -- forward declaration

-- Returns a comment with a member's name that follows a statement, or "".
local function comment(statement)
  return statement.comment and (" /* %s */"):format(statement.comment:gsub("%*/", "* /")) or ""
end

-- Appends statements in braces after `head`, and `tail` after the opening brace.
local function braces(self, head, body, tail)
  line(self, "%s{%s", head ~= "" and head .. " " or "", tail or "")
  self.depth = self.depth + 1
  statements(self, body)
  self.depth = self.depth - 1
  line(self, "}")
end

-- Functions by op: writers[op](self, statement) appends the lines of a statement.
local writers = {}
function writers.let(self, statement)
  self.addresses[statement.name] = statement.type == "address" or nil
  line(self, "%s%s = %s;%s", statement.type == "address" and "char *const " or "const long ", statement.name,
    expression(self, statement.value), comment(statement))
end
writers["if"] = function(self, statement)
  if not statement.body[1] then
    statement = { cond = { op = "unary", operator = "!", a = statement.cond }, body = statement.otherwise }
  end
  local head = ("if (%s)"):format(expression(self, statement.cond))
  braces(self, head, statement.body, comment(statement))
  if not statement.otherwise or statement.body == statement.otherwise then return end
  table.remove(self.lines)
  braces(self, "} else", statement.otherwise)
end
function writers.block(self, statement) braces(self, "", statement.body) end
function writers.routine(self, statement)
  local name, args = statement.name, {}
  if helpers[name] then name = self.add_helper(name) end
  for i, arg in ipairs(statement.args) do args[i] = expression(self, arg) end
  local is_pointer = name:find "tach"
  if is_pointer then args[1] = ("(void **)%s"):format(operand(self, statement.args[1])) end
  line(self, "%s(%s);", name, table.concat(args, ", "))
end
function writers.call(self, statement)
  local args, fn = {}, statement.fn
  for i, arg in ipairs(statement.args) do args[i] = expression(self, arg) end
  for _, register in ipairs(fn.inherited) do args[#args + 1] = expression(self, statement.regs[register]) end
  for _, text in ipairs(fn.inputs) do args[#args + 1] = self.fn.input_names[text] end
  line(self, "%s(%s);", self.name_of(fn), table.concat(args, ", "))
end
function writers.copy(self, statement)
  local bytes = expression(self, statement.bytes)
  if statement.bytes.op == "const" then
    if statement.bytes.value > 0 then
      line(self, "memcpy(%s, %s, %s);", expression(self, statement.to), expression(self, statement.from), bytes)
    end
    return
  end
  line(self, "if (%s > 0)", operand(self, statement.bytes))
  line(self, "    memcpy(%s, %s, (size_t)%s);", expression(self, statement.to), expression(self, statement.from),
    operand(self, statement.bytes))
end
function writers.save(self, statement)
  local address, bytes = expression(self, statement.address), operand(self, statement.bytes)
  self.addresses[statement.name] = true
  line(self, "char *const %s = (char *)malloc((size_t)%s);", statement.name, bytes)
  line(self, "memcpy(%s, %s, (size_t)%s);", statement.name, address, bytes)
end
function writers.section(self, statement)
  self.add_type("accdeep_slot", "typedef struct __attribute__((may_alias, packed)) { char *p; } accdeep_slot;")
  line(self, "accdeep_slot *const slot = (accdeep_slot *)%s;", self_operand(statement.offset))
  line(self, "#pragma acc %s %s(slot->p[%s:%s])%s", statement.directive, statement.clause,
    expression(self, statement.first), expression(self, statement.bytes), statement.is_final and " finalize" or "")
  line(self, "(void)slot;")
  if statement.first.op ~= "const" or statement.first.value ~= 0 then line(self, "(void)to;") end
end
function writers.free(self, statement) line(self, "free(%s);", statement.name) end

function statements(self, body)
  for _, statement in ipairs(body) do writers[statement.op](self, statement) end
end

-- Returns the prototype and the text of a function. `unit`: {name_of(fn), add_helper(name), add_type(name, text)}: the
-- first two return the name of another function, the third declares a type.
function c_printer.print(fn, name, unit)
  local self = setmetatable({ fn = fn, lines = {}, printed = {}, depth = 2,
    addresses = { objects = true, object = true }, name_of = unit.name_of, add_helper = unit.add_helper,
    add_type = unit.add_type }, Printer)
  local parameters = { "char *objects", "long count" }
  if fn.phase == "keep" then parameters[3] = "char *kept" end
  for _, register in ipairs(fn.inherited) do parameters[#parameters + 1] = "long " .. fn.outer_names[register] end
  for _, text in ipairs(fn.inputs) do parameters[#parameters + 1] = "long " .. fn.input_names[text] end
  local head = ("static void %s(%s)"):format(name, table.concat(parameters, ", "))
  statements(self, fn.body)
  local from = fn.phase == "keep" and "kept" or "objects"
  local text = { head .. "\n{", "    for (long i = 0; i < count; i++) {",
    ("        char *const q = %s + i * %d;"):format(from, fn.stride) }
  if fn.phase == "keep" then
    text[#text + 1] = ("        char *const object = objects + i * %d;"):format(fn.stride)
  end
  table.move(self.lines, 1, #self.lines, #text + 1, text)
  text[#text + 1] = "    }\n}"
  return head .. ";", table.concat(text, "\n")
end

-- Returns the name and the declaration of the type that reads pointers.
function c_printer.pointer_type()
  local name, text
  type_name({ add_type = function(...) name, text = ... end }, "pointer")
  return name, text
end

-- Returns the prototype and the text of the helper `name`; nil for other names. `as`: its name in the unit.
function c_printer.helper(name, as)
  local helper = helpers[name]
  local head = ("static void %s%s"):format(as, helper[1])
  return head .. ";", (helper[3] or "") .. head .. "\n" .. helper[2]
end

return c_printer
