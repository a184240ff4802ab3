-- forms.lua - the forms that directives ask of the statements behind them: loops that count, atomic statements, blocks
-- that are left at their end.

local diagnostic = require "accdeep.base.diagnostic"
local tree = require "accdeep.base.tree"
local unparse = require "accdeep.grammar.unparse"

local raise = diagnostic.raise

local forms = {}

local function is_name(node, name) return node and node.tag == "id" and node.name == name end

-- ------------------------------------------------------------------------------------------ blocks --

-- Raises if a statement leaves the construct that it is the body of: by return, by break or continue of a loop around,
-- or by break of the construct's own loop.
-- Decides ACC33-2.5-1.
function forms.check_end(node, construct, rule)
  local function visit(at, loops, breakable)
    local tag = at.tag
    if tag == "return" or tag == "break" and not breakable or tag == "continue" and not loops then
      raise("region-nesting", at.pos, ("'%s' leaves the body of '%s'"):format(tag, construct.name),
        { length = #tag, rule = rule })
    end
    local loop = tag == "for" or tag == "while" or tag == "do"
    for _, child in tree.children(at) do visit(child, loops or loop, breakable or loop or tag == "switch") end
  end
  visit(node, false, false)
end

-- ------------------------------------------------------------------------------------------- loops --

-- The variable that a for loop counts: name, position, whether the loop declares it. nil: it counts none.
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
forms.counter = counter

local relations = { ["<"] = true, ["<="] = true, [">"] = true, [">="] = true, ["!="] = true }

local function counts(step, name)
  local on = step.to or step.e or step.base
  if step.op == "++" or step.op == "--" then return is_name(on, name) end
  if step.tag ~= "assign" or not is_name(step.to, name) then return false end
  if step.op == "+=" or step.op == "-=" then return true end
  local e = step.e
  return step.op == "=" and e.tag == "binary" and (e.op == "+" and (is_name(e.a, name) or is_name(e.b, name))
    or e.op == "-" and is_name(e.a, name))
end

-- Decides ACC33-2.9-3, OMP60-loop-1.
local function check_loop(node, construct, rule)
  local name = counter(node)
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
  tree.visit(node.body, function(n)
    local to = n.tag == "assign" and n.to
      or (n.op == "++" or n.op == "--") and (n.tag == "unary" or n.tag == "postfix") and (n.e or n.base)
    if to and is_name(to, name) then
      wrong(n.pos, ("changes %s, which counts it"):format(name))
    end
  end)
end

-- The loop in a body: it alone, or, where other statements may stand beside it, the only one of them.
local function loop_in(body, alone)
  while body.tag == "block" do
    local found, n = nil, 0
    for _, item in ipairs(body.list) do
      if item.tag == "for" then found, n = item, n + 1 end
      if item.tag == "block" and not alone and not found then found = loop_in(item, alone) or found end
    end
    if alone and #body.list ~= 1 then return nil end
    if alone then body = body.list[1] else return n <= 1 and found or nil end
  end
  return body.tag == "for" and body or nil
end

-- The loops, from the outermost, that a construct with collapse(n) is about. alone: nothing stands between them; place:
-- of the construct's text, if that is another one.
function forms.loops(node, construct, n, rule, alone, place)
  if node.tag ~= "for" then
    raise("syntax", place and construct.pos or node.pos, ("'%s' is about a for loop"):format(construct.name),
      { rule = rule, place = place })
  end
  local list = { node }
  check_loop(node, construct, rule)
  for i = 2, n do
    local inner = loop_in(list[i - 1].body, alone)
    if not inner then
      raise("syntax", construct.collapse_pos or construct.pos,
        ("%d loops are asked for, only %d stand in each other"):format(n, i - 1), { rule = rule, place = place })
    end
    check_loop(inner, construct, rule)
    list[i] = inner
  end
  return list
end

-- ------------------------------------------------------------------------------------------ atomic --

local operators = { ["+"] = true, ["*"] = true, ["-"] = true, ["/"] = true, ["&"] = true, ["^"] = true, ["|"] = true,
  ["<<"] = true, [">>"] = true }

local function text_of(node) return unparse.expression(node) end

local function is_place(node)
  return node.tag == "id" or node.tag == "member" or node.tag == "index" or node.tag == "unary" and node.op == "*"
end

local function mentions(node, text)
  local found = false
  tree.visit(node, function(n)
    found = found or is_place(n) and text_of(n) == text
    return found
  end)
  return found
end

local function expression_of(node) return node.tag == "expr" and node.e or nil end

-- The place that x++, x op= e, x = x op e and x = e op x update; nil for other expressions.
local function updated(e)
  if not e then return nil end
  if (e.tag == "unary" or e.tag == "postfix") and (e.op == "++" or e.op == "--") then
    local x = e.e or e.base
    return is_place(x) and x or nil
  end
  if e.tag ~= "assign" or not is_place(e.to) then return nil end
  local x, value = text_of(e.to), e.e
  if e.op ~= "=" then return operators[e.op:sub(1, -2)] and not mentions(value, x) and e.to or nil end
  if value.tag ~= "binary" or not operators[value.op] then return nil end
  local left, right = text_of(value.a) == x, text_of(value.b) == x
  if left == right then return nil end
  return not mentions(left and value.b or value.a, x) and e.to or nil
end

-- v = x: both places.
local function copied(e)
  if not e or e.tag ~= "assign" or e.op ~= "=" or not is_place(e.to) or not is_place(e.e) then return nil end
  return e.to, e.e
end

local function written(e)
  return e and e.tag == "assign" and e.op == "=" and is_place(e.to) and not mentions(e.e, text_of(e.to)) and e.to
    or nil
end

-- x = x < e ? e : x and its kin, or if (x < e) x = e;
local function compared(node)
  if node.tag == "if" and not node.no then
    local yes = node.yes
    while yes.tag == "block" and #yes.list == 1 do yes = yes.list[1] end
    local e, c = expression_of(yes), node.c
    local x = e and e.tag == "assign" and e.op == "=" and is_place(e.to) and text_of(e.to)
    return x and c.tag == "binary" and (text_of(c.a) == x or text_of(c.b) == x)
  end
  local e = expression_of(node)
  local x = e and e.tag == "assign" and e.op == "=" and is_place(e.to) and text_of(e.to)
  local value = x and e.e
  return value and value.tag == "cond" and value.c.tag == "binary"
    and (text_of(value.a) == x or text_of(value.b) == x)
end

local function captured(node)
  local e = expression_of(node)
  if e then return e.tag == "assign" and e.op == "=" and is_place(e.to) and (updated(e.e) or written(e.e)) ~= nil end
  if node.tag ~= "block" or #node.list ~= 2 then return false end
  local first, second = expression_of(node.list[1]), expression_of(node.list[2])
  local _, x = copied(first)
  local changed = updated(second) or written(second)
  if x and changed and text_of(changed) == text_of(x) then return true end
  _, x = copied(second)
  changed = updated(first)
  return x ~= nil and changed ~= nil and text_of(changed) == text_of(x)
end

local atomic = {
  read = { "v = x;", function(node) return copied(expression_of(node)) ~= nil end },
  write = { "x = expr;", function(node) return written(expression_of(node)) ~= nil end },
  update = { "x++; x op= expr; x = x op expr; x = expr op x;",
    function(node) return updated(expression_of(node)) ~= nil end },
  capture = { "v = x++; v = x op= expr; or { v = x; x op= expr; }", captured },
  compare = { "x = x < expr ? expr : x; or if (x < expr) x = expr;", compared },
}

-- Raises if a statement has not the form that an atomic construct asks for. how: read, write, update, capture, compare.
-- Decides ACC33-2.12-1, OMP60-atomic-1.
function forms.check_atomic(node, how, construct, rule)
  local form = atomic[how]
  while node.tag == "block" and node.inner and #node.list == 1 do node = node.list[1] end
  if form[2](node) then return end
  raise("syntax", node.pos or construct.pos, ("this is no statement of 'atomic %s'"):format(how),
    { rule = rule, help = form[1] })
end

return forms
