-- cuda_statement.lua - writes a body of C text as a CUDA kernel. backend/statement.lua compiles the same statements to
-- Lua.
--
-- Input: the AST of a body. Output: the text of a kernel, or nil and the reason if the interpreter must run the body.
--
-- If the body is one loop that counts in constant steps, the kernel can distribute its iterations over many threads;
-- cuda/init.lua decides at the launch if it does. Otherwise one thread runs the body. `w` is the writer of the kernel
-- (cuda_expression.lua); w:give_up ends the generation, so that the interpreter runs the body.

local c_effects = require "accdeep.sema.c.c_effects"
local c_sema = require "accdeep.sema.c.c_sema"
local cuda_expression = require "accdeep.backend.cuda.cuda_expression"
local location = require "accdeep.base.location"
local privatization = require "accdeep.backend.privatization"
local cuda_runtime = require "accdeep.backend.cuda.cuda_runtime"
local ast = require "accdeep.base.ast"
local typed_ast = require "accdeep.sema.c.typed_ast"

local is_name = c_effects.is_name
local run, truth = cuda_expression.run, cuda_expression.truth
local holder, stored_value = cuda_expression.holder, cuda_expression.stored_value

local cuda_statement = {}

local MAX_LOCAL_BYTES = 4096 -- limit for the total size of a thread's variables in memory

local compile_statement -- forward declaration

-- Runs fn with w.env replaced by an environment for a new block of names.
local function with_scope(w, fn)
  local outer = w.env
  local locals = setmetatable({}, { __index = outer.locals })
  w.env = setmetatable({ locals = locals, lookup = function(name, pos)
    return locals[name] or outer.lookup(name, pos)
  end }, { __index = outer })
  fn()
  w.env = outer
end

-- Returns the binding of a new variable of type t in a register; frame_slot: the register's number.
local function new_register(w, t)
  w.slots = w.slots + 1
  return { type = t, frame_slot = w.slots, level = 0 }
end

-- Declares a variable in memory of the thread. variable: {name, type, ...}; e: its initial value, or nil. The memory
-- lasts as long as the kernel, but its contents count as unwritten again at each declaration. Gives up if the thread's
-- variables are too large.
local function new_local_memory(w, variable, e)
  local t, n = variable.type, new_register(w).frame_slot
  w.local_bytes = w.local_bytes + t.size
  if w.local_bytes > MAX_LOCAL_BYTES then w:give_up(("%s is too large for a thread's own"):format(variable.name)) end
  table.insert(w.local_declarations, ("u64 m%d[%d], b%d[%d]; accd_local l%d; l%d.range.high = 0;"):format(n,
    (t.size + 7) // 8, n, (t.size + 63) // 64, n, n))
  local operand = "v" .. n
  w.env.locals[variable.name] = { type = t, operand = operand, level = 0 }
  w:line("const accd_pointer %s = accd_begin_local(t, l%d, m%d, b%d, %d);", operand, n, n, n, t.size)
  if not e then return end
  local to = c_sema.expression(w.env, { tag = "id", name = variable.name })
  cuda_expression.value(w, c_sema.convert_for_assignment(variable, to, e))
end

-- Declares the variable `name` of type t in a register and returns its binding. value: text of its initial value; nil:
-- reads stop the kernel until the variable is written.
local function begin_register(w, name, t, value)
  local binding = new_register(w, t)
  w.env.locals[name] = binding
  w:line("%s v%d = %s;", holder(t), binding.frame_slot, value or t.kind == "pointer" and "accd_unknown(0)" or "0")
  if not value then
    binding.written = "w" .. binding.frame_slot
    w:line("bool %s = false;", binding.written)
  end
  return binding
end

-- Writes a local declaration with its initializers. Scalars and pointers whose address is not taken are in registers,
-- other variables in memory.
local function declaration(w, node)
  for _, variable in ipairs(w.session:locals_of(node)) do
    local t, e = variable.type, variable.value and c_sema.value(w.env, variable.value)
    if t.kind ~= "scalar" and t.kind ~= "pointer" or w.addressed[variable.name] then
      new_local_memory(w, variable, e)
    else
      begin_register(w, variable.name, t, e and stored_value(w, t, e))
    end
  end
end

-- Writers of statements, by tag of the AST node: function(w, node).
local statements = {}

-- Writes a list of statements as a block.
local function block(w, list)
  w:line("{")
  with_scope(w, function()
    for _, item in ipairs(list) do compile_statement(w, item) end
  end)
  w:line("}")
end

-- Writes a block.
function statements.block(w, node) block(w, node.list) end
-- Writes a declaration.
function statements.decl(w, node) declaration(w, node.declaration) end
-- Writes an expression statement.
function statements.expr(w, node) run(w, node.e) end
-- Writes a break, which CUDA has, too.
statements["break"] = function(w) w:line("break;") end
-- Writes a jump to the end of the loop's body, because the step of the loop follows there.
statements["continue"] = function(w) w:line("goto %s;", w.continue_label) end
-- Writes a return, which ends the thread's run of the body.
statements["return"] = function(w) w:line("return;") end
-- Writes an if statement.
statements["if"] = function(w, node)
  w:line("if (%s) {", truth(w, node.c))
  compile_statement(w, node.yes)
  if node.no then
    w:line("} else {")
    compile_statement(w, node.no)
  end
  w:line("}")
end

-- Writes the body of a loop and, after it, the label that continue jumps to.
local function loop_body(w, body)
  local outer = w.continue_label
  w.continue_label = w:name()
  w:line("{")
  compile_statement(w, body)
  w:line("}")
  w:line("%s:;", w.continue_label)
  w.continue_label = outer
end

-- Writes the check that ends a loop if its condition c is false; nothing if c is nil.
local function condition(w, c)
  if c then w:line("if (!(%s)) break;", truth(w, c)) end
end

-- Writes a loop, with a check that stops the kernel when the step budget is used up. c: condition, or nil; step:
-- expression after each iteration, or nil.
local function loop(w, c, body, step)
  w:line("for (;;) {")
  w:line("if (accd_must_stop(t)) return;")
  condition(w, c)
  loop_body(w, body)
  if step then run(w, step) end
  w:line("}")
end

-- Writes a while loop.
statements["while"] = function(w, node) loop(w, node.c, node.body) end
-- Writes a do loop, whose condition is checked at the end.
statements["do"] = function(w, node)
  w:line("for (;;) {")
  w:line("if (accd_must_stop(t)) return;")
  loop_body(w, node.body)
  condition(w, node.c)
  w:line("}")
end
-- Writes a for loop in a block of its own, in which its variable is declared.
statements["for"] = function(w, node)
  w:line("{")
  with_scope(w, function()
    if node.init and node.init.tag == "declaration" then declaration(w, node.init)
    elseif node.init then run(w, node.init) end
    loop(w, node.c, node.body, node.step)
  end)
  w:line("}")
end

-- -------------------------------------------------------------------------- thread constructs --

-- Writes the beginning of a private copy in a thread construct (backend/privatization.lua describes copies). Returns a
-- function that writes the end of the copy, or nil if the end needs no text. Gives up if the copy is in memory.
local function begin_copy(w, copy)
  local name, pos = copy.name, copy.pos
  local t = privatization.variable(w.env, name).type
  if t.kind ~= "scalar" and t.kind ~= "pointer" or w.addressed[name] then
    w:give_up(("the private %s is in memory"):format(name))
  end
  local id = { tag = "id", name = name, pos = pos }
  local outer = (copy.begins or copy.lasts or copy.op) and c_sema.expression(w.env, id)
  local first
  if copy.op then
    privatization.check_reduced(copy, t, t)
    first = stored_value(w, t, c_sema.value(w.env, privatization.beginning(copy.op, t, pos)))
  elseif copy.begins then
    first = stored_value(w, t, c_sema.value(w.env, typed_ast.wrap_typed(outer)))
  end
  local binding = begin_register(w, name, t, first)
  local copy_expression = c_sema.expression(w.env, id)
  if copy.op then
    return function() run(w, privatization.combine(copy.op, pos, outer, copy_expression)) end
  elseif copy.lasts then
    return function()
      if binding.written then w:line("if (%s) {", binding.written) end
      run(w, typed_ast.assignment(pos, outer, typed_ast.wrap_typed(copy_expression)))
      if binding.written then w:line "}" end
    end
  end
end

-- Writes a thread construct with its private copies. Gives up for implicit copies and for reductions of elements.
function statements.private(w, node)
  if node.implicit and node.implicit ~= "none" then w:give_up "a construct's variables depend on those around it" end
  if node.parts[1] then w:give_up "elements of an array are reduced" end
  w:line("{")
  with_scope(w, function()
    for _, e in ipairs(node.values) do run(w, e) end
    local ends = {}
    for _, copy in ipairs(node.copies) do
      if not copy.shared then ends[#ends + 1] = begin_copy(w, copy) end
    end
    compile_statement(w, node.body)
    for _, finish in ipairs(ends) do finish() end
  end)
  w:line("}")
end

-- Gives up, because a switch has no CUDA text.
statements["switch"] = function(w) w:give_up "a switch" end
-- Gives up, because only the host executes a nested directive.
statements.carried = function(w) w:give_up "a directive inside" end

-- Writes a statement, after a line that gives its location to the compiler. Gives up if the statement has no CUDA text.
function compile_statement(w, node)
  local source = w.source
  if node.pos then
    w:line("#line %d %s", location.line_of(source.text, node.pos, source.file, source.line), w.file)
  end
  statements[node.tag](w, node)
end

-- ------------------------------------------------------------------------------ parallel loops --

-- True if the AST node itself assigns a variable or calls a function.
local function may_change(node) return c_effects.assignment_target(node) ~= nil or node.tag == "call" end

-- Returns the constant that the AST node `node`, the step of a loop, adds to the variable `name`. Returns nil if the
-- step does anything else, or if the constant is larger than 2^30.
local function constant_step(node, name)
  if not is_name(c_effects.assignment_target(node), name) then return nil end
  if node.op == "++" then return 1 elseif node.op == "--" then return -1 end
  local amount = node.e
  if amount.tag ~= "num" or math.type(amount.value) ~= "integer" or amount.value < 1 or amount.value > 1 << 30 then
    return nil
  end
  return node.op == "+=" and amount.value or node.op == "-=" and -amount.value or nil
end

-- Comparison operators with their operands exchanged.
local mirrored = { ["<"] = ">", ["<="] = ">=", [">"] = "<", [">="] = "<=" }

-- True if a loop's condition c compares the variable `name` with a bound that the loop cannot change, and the constant
-- `step` moves towards this bound.
local function counts_towards(c, name, step)
  if not c or c.tag ~= "binary" or not mirrored[c.op] then return false end
  local op, bound = c.op, c.b
  if is_name(c.b, name) then op, bound = mirrored[op], c.a elseif not is_name(c.a, name) then return false end
  return (op:sub(1, 1) == "<") == (step > 0)
    and not ast.any(bound, function(n) return may_change(n) or is_name(n, name) end)
end

-- True if each iteration may have its own private variables of a thread construct. None of its copies has an initial
-- value, a last value or a reduction, and none is shared. False, too, if a part of an array is reduced or variables are
-- implicitly private.
local function each_has_its_own(node)
  for _, copy in ipairs(node.copies) do
    if copy.begins or copy.lasts or copy.op or copy.shared then return false end
  end
  return not node.parts[1] and (not node.implicit or node.implicit == "none")
end

-- Returns the loop that is the whole body, its variable, its step and its private copies. Returns nil if the body is
-- not one loop, or if its text shows that the order of iterations may matter.
local function find_canonical_loop(w, node)
  local copies = {}
  while node.tag == "block" and #node.list == 1 or node.tag == "private" do
    if node.tag == "private" then
      if not each_has_its_own(node) then return nil end
      table.move(node.copies, 1, #node.copies, #copies + 1, copies)
    end
    node = node.body or node.list[1]
  end
  if node.tag ~= "for" or not node.init or node.init.tag ~= "declaration" or not node.step then return nil end
  local variables = w.session:locals_of(node.init)
  local variable = variables[1]
  if #variables ~= 1 or variable.type.kind ~= "scalar" or variable.type.float or not variable.value
    or w.addressed[variable.name] or ast.any(variable.value, may_change) then return nil end
  local name = variable.name
  local step = constant_step(node.step, name)
  if not step or not counts_towards(node.c, name, step) or c_effects.find_exit(node.body, true) then return nil end
  return not c_effects.change_of(name, node.body) and node or nil, variable, step, copies
end

-- Writes the iterations of a loop for many threads: iteration k begins at the first value plus k steps. The arguments
-- are the results of find_canonical_loop. A variable that leaves the range of its type stops the kernel.
local function emit_parallel_loop(w, node, variable, step, copies)
  local t = variable.type
  with_scope(w, function()
    w:line("const i64 first = %s;", stored_value(w, t, c_sema.value(w.env, variable.value)))
    local binding = new_register(w, t)
    w.env.locals[variable.name] = binding
    w:line("for (u64 k = t.thread;; k += t.threads) {")
    w:line("if (accd_must_stop(t)) return;")
    w:line("t.me = (u32)k + 1;")
    w:line("const i64 here = (i64)((u64)first + k * (u64)(%dll));", step)
    w:line("i64 v%d = %s;", binding.frame_slot, cuda_expression.wrap_integer(t, "here"))
    w:line("if (k > 0x3fffffff || v%d != here || (k && here %s first)) return accd_stop(t, ACCD_CONFLICT, %d);",
      binding.frame_slot, step > 0 and "<" or ">", node.pos)
    condition(w, node.c)
    for _, copy in ipairs(copies) do begin_copy(w, copy) end
    loop_body(w, node.body)
    w:line("}")
  end)
end

-- ------------------------------------------------------------------------------- whole kernels --

-- Returns the kernel of a body: {text, variables, writes, shared}. variables: bindings in the kernel's order; writes:
-- true if it stores to memory; shared: true if many threads may run it. If the body cannot be a kernel, returns nil and
-- a clause with the reason. env: the body's environment; addressed: set of the names whose address is taken; source:
-- {text, file, line} of the body.
function cuda_statement.kernel(session, env, node, addressed, source)
  local w = cuda_expression.writer(session)
  w.source, w.addressed, w.slots, w.local_declarations, w.local_bytes = source, addressed, 0, {}, 0
  w.file = ('"%s"'):format((source.file or "body"):gsub('["\\\n]', "?"))
  w.env = { session = session, space = env.space, locals = {}, lookup = env.lookup }
  local shared
  local ok, err = pcall(function()
    local canonical_loop, variable, step, copies = find_canonical_loop(w, node)
    shared = canonical_loop ~= nil
    if shared then return emit_parallel_loop(w, canonical_loop, variable, step, copies) end
    w:line "if (t.thread) return;"
    compile_statement(w, node)
  end)
  if not ok then
    if type(err) == "table" and err.interpreted then return nil, err.interpreted end
    error(err, 0)
  end
  local head = { cuda_runtime.text, "static __device__ void accd_run_body(accd_thread &t)", "{" }
  for i = 0, #w.variables - 1 do
    head[#head + 1] = ("const accd_pointer p%d = ((const accd_pointer *)t.run->variables)[%d];"):format(i, i)
  end
  table.move(w.local_declarations, 1, #w.local_declarations, #head + 1, head)
  return { text = table.concat(head, "\n") .. "\n" .. table.concat(w.lines, "\n") .. "\n}\n",
    variables = w.variables, writes = w.writes, shared = shared }
end

return cuda_statement
