-- structure.lua - puts the statements between a structured directive and its end into a node.
--
-- A list of statements is flat: a directive is a line among others. Here data, host_data and compute constructs
-- become construct{directive, list}. A data region that does not end in the text stays as it stands: the
-- scenario ends it. Directives that mean nothing to this interpreter are left out.

local diagnostic = require "accdeep.diagnostic"

local raise = diagnostic.raise

local structure = {}

local compute = { parallel = true, serial = true, kernels = true }
local structured = { parallel = true, serial = true, kernels = true, data = true, host_data = true }
local ignored = { loop = true, routine = true, atomic = true, cache = true }

local function words_of(node) return node.text:match "^!%$acc%s*([%a_]*)%s*([%a_]*)%s*([%a_]*)" end

local arrange -- forward

-- What nothing ends: a data region stays open, its statements follow it.
local function splice(group, into)
  if compute[group.kind] then
    raise("syntax", group.node.pos, ("'%s' has no '!$acc end %s'"):format(group.kind, group.kind),
      { length = #"!$acc", rule = "ACC33-2.6-1" })
  end
  into[#into + 1] = group.node
  table.move(group.list, 1, #group.list, #into + 1, into)
end

function arrange(list)
  local made, open = {}, {}
  local function put(item)
    local top = open[#open]
    local into = top and top.list or made
    into[#into + 1] = item
  end
  local waiting -- a loop construct, whose loop comes next
  for _, item in ipairs(list) do
    if waiting and item.tag ~= "directive" then
      if item.tag ~= "do" and item.tag ~= "while" then
        raise("syntax", item.pos, ("expected the loop of '%s'"):format(words_of(waiting)), { rule = "ACC33-2.6-1" })
      end
      structure.inside(item)
      put { tag = "construct", pos = waiting.pos, directive = waiting, list = { item } }
      waiting = nil
    elseif item.tag == "directive" then
      local first, second, third = words_of(item)
      if first == "end" then
        local top = open[#open]
        if top and top.kind == second and third ~= "loop" then
          open[#open] = nil
          put { tag = "construct", pos = top.node.pos, directive = top.node, list = top.list, finish = item.pos }
        elseif (top or compute[second]) and third ~= "loop" and not ignored[second] then
          raise("region-nesting", item.pos, ("'end %s' has no beginning here"):format(second),
            { length = #"!$acc", rule = "DIR-4.3-06" })
        elseif third ~= "loop" and not ignored[second] then
          put(item) -- of a region that the scenario opened
        end
      elseif compute[first] and second == "loop" then
        waiting = item
      elseif structured[first] then
        open[#open + 1] = { kind = first, node = item, list = {} }
      elseif not ignored[first] then
        put(item)
      end
    else
      structure.inside(item)
      put(item)
    end
  end
  if waiting then
    raise("syntax", waiting.pos, "expected a loop behind the directive", { length = #"!$acc", rule = "ACC33-2.6-1" })
  end
  for i = #open, 1, -1 do splice(open[i], i > 1 and open[i - 1].list or made) end
  return made
end

-- The lists inside a statement.
function structure.inside(item)
  if item.tag == "if" or item.tag == "select" or item.tag == "select_type"
    or item.tag == "select_rank" then
    for _, branch in ipairs(item.list) do branch.body = arrange(branch.body) end
  elseif item.body then
    item.body = arrange(item.body)
  elseif item.tag == "procedure" then
    item.list = arrange(item.list)
    for _, inner in ipairs(item.inner) do structure.inside(inner) end
  end
end

structure.arrange = arrange

return structure
