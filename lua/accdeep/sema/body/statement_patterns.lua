-- statement_patterns.lua - checks the forms that directives require of their statements: counted loops, atomic
-- statements, blocks with one exit. c_body.lua calls it; fortran_body.lua uses the parts that fit both languages.
--
-- Input: a directive and its analysed statement. Output: the loops of a loop construct, from the outermost; a statement
-- of another form is an error. Invariant: the statement is not changed.
--
-- Parameters: `construct` is the AST of the directive, `rule` the rule that errors cite. L-values are compared by their
-- texts (unparse.expression).

local c_effects = require "accdeep.sema.c.c_effects"
local diagnostic = require "accdeep.base.diagnostic"
local ast = require "accdeep.base.ast"
local unparse = require "accdeep.syntax.unparse"

local is_name = c_effects.is_name
local raise = diagnostic.raise

local statement_patterns = { STAY = "let an if statement skip what is left out" }

-- ------------------------------------------------------------------------------------------ blocks --

-- Raises if the statement `node` leaves the body of a construct: by return, by break or continue of an enclosing loop,
-- or by break of the construct's own loop. is_loop: true if `node` is the body of the construct's own loop. is_whole:
-- true if `node` is a whole body, which no loop of its text encloses. Decides ACC33-2.5-1.
function statement_patterns.check_end(node, construct, rule, is_loop, is_whole)
  local exit = c_effects.find_exit(node, is_loop)
  if not exit then return end
  if is_whole and exit.tag ~= "return" then
    raise("syntax", exit.pos, ("'%s' is allowed only in a loop%s"):format(exit.tag,
      exit.tag == "break" and " or a switch" or ""), { length = #exit.tag })
  end
  raise("region-nesting", exit.pos, ("'%s' leaves the body of '%s'"):format(exit.tag, construct.name),
    { length = #exit.tag, rule = rule, help = statement_patterns.STAY })
end

-- ------------------------------------------------------------------------------------------- loops --

-- Returns name and position of the counter of the for loop `node`, and whether the loop declares it; nil if it has no
-- counter.
local function counter(node)
  local init = node.init
  if not init then return nil end
  if init.tag == "assign" and init.op == "=" and init.to.tag == "id" then return init.to.name, init.to.pos, false end
  if init.tag == "declaration" and #init.list == 1 and init.list[1].value then
    local declarator = init.list[1].declarator
    return declarator.name, declarator.pos, true
  end
  return nil
end
statement_patterns.counter = counter

local is_loop = { ["for"] = true, ["while"] = true, ["do"] = true } -- tags of loops
-- relations in the condition of a counted loop
local relations = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true, ["!="] = true }

-- True if `step`, the AST of a loop's step, adds to or subtracts from the counter called `name`.
local function counts(step, name)
  if not is_name(c_effects.assignment_target(step), name) then return false end
  if step.tag ~= "assign" or step.op == "+=" or step.op == "-=" then return true end
  local e = step.e
  return step.op == "=" and e.tag == "binary" and (e.op == "+" and (is_name(e.a, name) or is_name(e.b, name))
    or e.op == "-" and is_name(e.a, name))
end

-- Raises if the loop `node` does not have the canonical form of a counted loop, or changes its counter in its body.
-- Decides ACC33-2.9-3, OMP60-loop-1.
local function check_loop(node, construct, rule)
  local name = counter(node)
  -- Raises the error for a loop that is not canonical. message: end of the error's text.
  local function wrong(pos, message)
    raise("syntax", pos, ("the loop of '%s' %s"):format(construct.name, message), { rule = rule,
      help = "for (i = first; i < last; i += step)" })
  end
  if not name then wrong(node.pos, "begins with the value of one variable") end
  local c = node.c
  if not c or c.tag ~= "binary" or not relations[c.op] or not (is_name(c.a, name) or is_name(c.b, name)) then
    wrong(c and c.pos or node.pos, ("compares %s with its end"):format(name))
  elseif not node.step or not counts(node.step, name) then
    wrong(node.step and node.step.pos or node.pos, ("counts %s by a step"):format(name))
  end
  local change = c_effects.change_of(name, node.body)
  if change then wrong(change.pos, ("changes %s, which counts it"):format(name)) end
end

-- Raises if the statement `item` between collapsed loops contains a loop, a directive or a call of an acc_* routine.
-- Decides ACC33-2.9-3.
local function check_between(item, construct)
  ast.visit(item, function(node)
    local called = node.tag == "call" and node.base.tag == "id" and node.base.name:match "^acc_.*"
    local description = is_loop[node.tag] and "a loop" or (node.tag == "private" or node.directive) and "a directive"
      or called and "a call of " .. called
    if description then
      raise("syntax", node.pos, ("%s stands between the loops of '%s'"):format(description, construct.name),
        { rule = "ACC33-2.9-3", help = "move it out of the collapsed loops" })
    end
  end)
end

-- Returns the for loop in a body, or nil. is_perfect: true if the loop must be the only statement; false if it must be
-- the only loop.
local function loop_in(body, is_perfect)
  while body.tag == "block" do
    local loop, n = nil, 0
    for _, item in ipairs(body.list) do
      if item.tag == "for" then loop, n = item, n + 1 end
      if item.tag == "block" and not is_perfect and not loop then loop = loop_in(item, is_perfect) or loop end
    end
    if is_perfect and #body.list ~= 1 then return nil end
    if is_perfect then body = body.list[1] else return n <= 1 and loop or nil end
  end
  return body.tag == "for" and body or nil
end

-- Calls visit(statement) for each statement of `body` other than the loop node `loop`, at any depth of blocks.
local function visit_others(body, loop, visit)
  if body == loop then return end
  if body.tag ~= "block" or not ast.any(body, function(node) return node == loop end) then return visit(body) end
  for _, item in ipairs(body.list) do visit_others(item, loop, visit) end
end

local sums = { binary = true, unary = true, id = true, num = true } -- tags of the nodes of sums and products

-- Returns the identifier node of an enclosing loop's counter in the expression `e` (nil: none), and true if `e` has
-- operations other than sums and products. With such operations, the expression may be invariant although it names a
-- counter. counters: names of the enclosing loops' counters, as keys.
local function counter_in(e, counters)
  local counter_node
  local has_more = ast.any(e, function(node)
    if node.tag == "id" and counters[node.name] then counter_node = counter_node or node end
    return not sums[node.tag]
  end)
  return counter_node, has_more
end

-- Raises if exactly one of the two bounds of a collapsed loop depends on the counter of an enclosing loop, so that the
-- number of iterations varies. first, last: ASTs of the bounds. counters: names of the enclosing loops' counters, as
-- keys. Bounds that may be invariant are accepted. Decides ACC33-2.9-3.
function statement_patterns.check_invariant(first, last, counters, construct)
  local moves_first, first_has_more = counter_in(first, counters)
  local moves_last, last_has_more = counter_in(last, counters)
  local counter_node = moves_first or moves_last
  if not counter_node or moves_first and moves_last or first_has_more or last_has_more then return end
  raise("syntax", counter_node.pos,
    ("the number of iterations depends on '%s', which counts another loop of '%s'"):format(counter_node.name,
    construct.name), { length = #counter_node.name, rule = "ACC33-2.9-3", help = "collapse fewer loops" })
end

-- Returns the n nested loops of a construct, from the outermost. node: the statement after the directive; is_perfect:
-- true if no other statements may be between the loops, which collapse(force: n) still allows. location: text with the
-- construct, for errors; nil: the current text. Raises if loops are missing or not canonical.
function statement_patterns.loops(node, construct, n, rule, is_perfect, location)
  local forced = is_perfect and construct.forced
  if node.tag ~= "for" then
    raise("syntax", location and construct.pos or node.pos, ("'%s' is about a for loop"):format(construct.name),
      { rule = rule, location = location })
  end
  local list = { node }
  -- A sequential loop may have any form, so check_loop is not called: the loop's variable need not count (ACC33-2.9-3).
  if construct.sequential then
    if not counter(node) then
      raise("syntax", node.pos, ("the loop of '%s' begins with the value of one variable"):format(construct.name),
        { rule = rule, location = location })
    end
    return list
  end
  check_loop(node, construct, rule)
  local counters = { [counter(node)] = true }
  for i = 2, n do
    local outer = list[i - 1].body
    local inner = loop_in(outer, is_perfect and not forced)
    if not inner then
      raise("syntax", construct.collapse_pos or construct.pos,
        ("%d nested loops are required, found %d"):format(n, i - 1), { rule = rule, location = location })
    end
    check_loop(inner, construct, rule)
    local name, init = counter(inner), inner.init
    if construct.collapses and rule == "ACC33-2.9-3" then
      statement_patterns.check_invariant(init.e or init.list[1].value, is_name(inner.c.a, name) and inner.c.b
        or inner.c.a, counters,
        construct)
    end
    counters[name] = true
    if forced then visit_others(outer, inner, function(item) check_between(item, construct) end) end
    list[i] = inner
  end
  return list
end

-- ------------------------------------------------------------------------------------------ atomic --

-- operators of an atomic update
local operators = { ["+"] = true, ["*"] = true, ["-"] = true, ["/"] = true, ["&"] = true, ["^"] = true, ["|"] = true,
  ["<<"] = true, [">>"] = true }

local text_of = unparse.expression

-- True if `node` is an l-value that an atomic statement may name.
local function is_lvalue(node)
  return node.tag == "id" or node.tag == "member" or node.tag == "index" or node.tag == "unary" and node.op == "*"
end

-- True if the expression `node` contains the l-value with this text.
local function mentions(node, text)
  local is_mentioned = false
  ast.visit(node, function(n)
    is_mentioned = is_mentioned or is_lvalue(n) and text_of(n) == text
    return is_mentioned
  end)
  return is_mentioned
end

-- Returns the expression of an expression statement `node`; nil for other statements.
local function expression_of(node) return node.tag == "expr" and node.e or nil end

-- Returns the text of the l-value x that `e`, x++, x op= expr, x = x op expr or x = expr op x, updates. Returns nil for
-- other expressions, and if expr contains x. e: an expression, or nil.
local function updated_lvalue(e)
  if not e then return nil end
  local target = c_effects.assignment_target(e)
  if not target or not is_lvalue(target) then return nil end
  local x, value = text_of(target), e.e
  if e.tag ~= "assign" then return x end
  if e.op ~= "=" then return operators[e.op:sub(1, -2)] and not mentions(value, x) and x or nil end
  if value.tag ~= "binary" or not operators[value.op] then return nil end
  local left, right = text_of(value.a) == x, text_of(value.b) == x
  if left == right then return nil end
  return not mentions(left and value.b or value.a, x) and x or nil
end

-- Returns the text of the l-value that the assignment `e` with `=` sets; nil for other expressions.
local function assigned_lvalue(e) return e and e.tag == "assign" and e.op == "=" and is_lvalue(e.to) and text_of(e.to)
  or nil end

-- Returns the text of the l-value x that `e`, v = x, reads; nil for other expressions.
local function copied_lvalue(e)
  local v = assigned_lvalue(e)
  return v and is_lvalue(e.e) and not mentions(e.e, v) and text_of(e.e) or nil
end

-- Returns the text of the l-value x that `e`, x = expr, writes without reading it; nil for other expressions.
local function written_lvalue(e)
  local x = assigned_lvalue(e)
  return x and not mentions(e.e, x) and x or nil
end

-- Returns a true value if the statement `node` has a form of atomic compare: x = x < e ? e : x; or if (x < e) x = e;
-- with any operator in place of <.
local function compared_lvalue(node)
  if node.tag == "if" and not node.no then
    local yes = node.yes
    while yes.tag == "block" and #yes.list == 1 do yes = yes.list[1] end
    local e, c = expression_of(yes), node.c
    local x = assigned_lvalue(e)
    return x and c.tag == "binary" and (text_of(c.a) == x or text_of(c.b) == x)
  end
  local e = expression_of(node)
  local x = assigned_lvalue(e)
  local value = x and e.e
  return value and value.tag == "cond" and value.c.tag == "binary"
    and (text_of(value.a) == x or text_of(value.b) == x)
end

-- True if the statements `first` and `second` have the form of atomic capture. One of them copies an l-value, v = x;
-- the other updates x, or overwrites x after the copy. copied_by, updated_by and written_by take a statement and return
-- the text of x, or nil.
function statement_patterns.captures(first, second, copied_by, updated_by, written_by)
  local first_copied, second_copied = copied_by(first), copied_by(second)
  return first_copied and (updated_by(second) or written_by(second)) == first_copied
    or second_copied ~= nil and updated_by(first) == second_copied
end

-- Returns a true value if the statement `node` has a form of atomic capture. If `rule` is one of OpenMP, v = x = expr
-- is also such a form.
local function captured_lvalue(node, rule)
  local e = expression_of(node)
  if e then return assigned_lvalue(e) and (updated_lvalue(e.e) or rule:find "^OMP" and written_lvalue(e.e)) end
  return node.tag == "block" and #node.list == 2
    and statement_patterns.captures(expression_of(node.list[1]), expression_of(node.list[2]), copied_lvalue,
    updated_lvalue, written_lvalue)
end

-- form -> {its statements, for help texts; function that returns a true value for a statement of this form}
local atomic = {
  read = { "v = x;", function(node) return copied_lvalue(expression_of(node)) end },
  write = { "x = expr;", function(node) return written_lvalue(expression_of(node)) end },
  update = { "x++; x op= expr; x = x op expr; x = expr op x;",
    function(node) return updated_lvalue(expression_of(node)) end },
  capture = { "v = x++; v = x op= expr; or { v = x; x op= expr; }", captured_lvalue },
  compare = { "x = x < expr ? expr : x; or if (x < expr) x = expr;", compared_lvalue },
}

-- Raises if the statement `node` does not have the form of an atomic construct. kind: read, write, update, capture or
-- compare. Decides ACC33-2.12-1, OMP60-atomic-1.
function statement_patterns.check_atomic(node, kind, construct, rule)
  local form = atomic[kind]
  while node.tag == "block" and node.inner and #node.list == 1 do node = node.list[1] end
  if form[2](node, rule) then return end
  raise("syntax", node.pos or construct.pos, ("this is not a statement of 'atomic %s'"):format(kind),
    { rule = rule, help = form[1] })
end

return statement_patterns
