-- From mapping programs to functions that standard compilers compile: emit/program_functions.lua and its printers.
local c_functions = require "accdeep.tools.emit.c_functions"
local fortran_printer = require "accdeep.tools.emit.fortran_printer"
local mapping_compiler = require "accdeep.lowering.mapping_compiler"
local nest = require "accdeep.sema.members.nest"
local program_functions = require "accdeep.tools.emit.program_functions"
local program_transfers = require "accdeep.tools.emit.program_transfers"
local support = require "tests.lua.support"

local session = support.session([[
  struct leaf { int k; float *data;
    #pragma acc shape include(data[0:k])
  };
  struct S { int n; float *a, *b, *other; struct leaf in, *list; int m[4]; char note;
    #pragma acc shape include(a[0:n], b[@a], list[1:n], m[0:n]) exclude(note)
  };
  struct node { int value; struct node *next;
    #pragma acc shape include(next[0:next != 0])
  };
  struct S X; struct node N;
]], { rules = "tr14x" })

-- The mapping program of the default shape of the type of a variable.
local function program_of(name, is_update)
  local record = session.now.scope.variables[name].type
  return mapping_compiler.program(session, nest.shape(session, record, nil, is_update))
end

-- The functions that C gets for a phase of a program, as one text without indentation.
local function text_of(name, request)
  local unit = { prefix = "", prototypes = {}, functions = {}, input = function() return { text = "0" } end }
  c_functions.new(unit):of(program_of(name, request.direction ~= nil), request)
  return "\n" .. table.concat(unit.functions, "\n"):gsub("\n *", "\n")
end

-- True if the lines occur in a text, in this order.
local function has_lines(text, ...)
  local at = 1
  for _, line in ipairs { ... } do
    local start, finish = text:find("\n" .. line .. "\n", at, true)
    assert.is_truthy(start, line .. " is not in" .. text)
    at = finish
  end
end

describe("emit", function()
  it("maps and attaches the target of a pointer by its offset", function()
    has_lines(text_of("X", { phase = "enter", action = "copyin" }),
      "char *const q = objects + i * 16;",
      "char *const p = *(accdeep_pointer *)(q + 8); /* data */", "const long n = p ? *(accdeep_i32 *)q : 0;",
      "accdeep_slot *const slot = (accdeep_slot *)(q + 8);", "#pragma acc enter data copyin(slot->p[0:n * 4])",
      "char *const p = *(accdeep_pointer *)(q + 8); /* a */",
      "char *const to = p + 16;", "#pragma acc enter data copyin(slot->p[16:n * 16])", "enter_leaf_1(to, n);")
  end)
  it("unmaps in reverse order, and keeps aliases for a phase of their own", function()
    local text = text_of("X", { phase = "exit", action = "copy" })
    local list, array = text:find("/* list */", 1, true), text:find("/* a */", 1, true)
    assert.is_true(list < array)
    assert.is_nil(text:find("/* b */", 1, true))
    has_lines(text_of("X", { phase = "attach", action = "copy" }), "attach_alias_2((void **)(q + 16), "
      .. "*(accdeep_pointer *)(q + 8));")
  end)
  it("updates values without pointers, those of the host last", function()
    local text = text_of("X", { phase = "update", direction = "self", action = "update self" })
    has_lines(text, "acc_update_self(p, n * 4);", "acc_update_self(q + 56, n * 4);", "acc_update_self(q, 4);")
    assert.is_nil(text:find("acc_update_self(q + 8", 1, true))
  end)
  it("calls the function of a recursive type again, with a limit", function()
    has_lines(text_of("N", { phase = "enter", action = "copyin" }), "deeper_2(1);", "enter_node_1(p, n);",
      "deeper_2(-1);")
  end)
  it("saves what an object's copy overwrites", function()
    local ranges = program_transfers.kept_ranges({ program_of "X" }, "copy", false)
    local program = program_of "X"
    assert.equal(program.stride, ranges[#ranges].to)
    local moves_in, moves_out, stays = program_transfers.traffic({ program }, "copy", false)
    assert.same({ true, true, true }, { moves_in, moves_out, stays })
    assert.same({ true, false, false }, { program_transfers.traffic({ program }, "copyin", false) })
  end)
  it("prints the same function as a procedure of Fortran", function()
    local texts = {}
    local unit = { name_of = function(fn) return fn.name end, add_helper = function(name) return name end }
    program_functions.new({ input = function() return { text = "0" } end, define = function(fn)
      fn.name = "p" .. #texts
      texts[#texts + 1] = fortran_printer.print(fn, fn.name, unit)
    end }, false, "accdeep_attach_at"):of(program_of "X", { phase = "enter", action = "copyin" })
    local text = "\n" .. table.concat(texts, "\n"):gsub("\n *", "\n")
    has_lines(text, "recursive subroutine p0(objects, count)", "q = objects + i * 16_8",
      "p = load_pointer(q + 8_8) ! data", "n = merge(load_i32(q), 0_8, p /= 0)", "call acc_copyin(p, (n * 4_8))",
      "call acc_attach(q + 8_8)", "call accdeep_attach_at(q + 48_8, to)", "call p0(to, n)")
  end)
end)
