-- fortran_blocks.lua - groups the statements of each structured directive into a node: turns the parser's flat lists
-- into a tree.
--
-- Input is a list of statements in which a directive is one line among others. Each block directive and its statements
-- become construct{directive, list, finish?, end_directive?}.
--   OpenACC: data, host_data and compute constructs; loop and atomic with the statement that follows.
--   OpenMP: constructs up to their end directive, or up to the end of their loop.
-- A data region that does not end in the text is left flat, because the scenario ends it. OpenMP directives get the
-- field `omp`, their name. Also checks that exit and cycle are inside loops. In this file, an item is a statement node.

local diagnostic = require "accdeep.base.diagnostic"
local openacc_directives = require "accdeep.definitions.openacc_directives"
local openmp_directives = require "accdeep.definitions.openmp_directives"

local raise = diagnostic.raise

local fortran_blocks = {}

local NESTING = { ["!$acc"] = "ACC33-2.6-1", ["!$omp"] = "OMP60-tgt-1" }

-- Returns the first three words after the sentinel of the OpenACC directive `node`; "" for missing words.
local function directive_words(node) return node.text:match "^!%$acc%s*([%a_]*)%s*([%a_]*)%s*([%a_]*)" end

local arrange, arrange_nested -- forward declarations

-- ---------------------------------------------------------------------------- OpenMP's directives --

local name_in = openmp_directives.name_in
local all_names = { "declare mapper", table.unpack(openmp_directives.fortran_names()) }
local directive_names = {}
for _, name in ipairs(all_names) do directive_names[name] = true end

-- Returns the name of the OpenMP directive `node`. Raises if the directive does not exist or is not supported.
local function omp_name(node)
  local blanks, text = node.text:match "^!%$omp(%s*)(.*)$"
  local normalized = text:gsub("%s+", " "):gsub("^end(%a)", "end %1")
  local name = name_in(all_names, normalized)
  if name then return name end
  local pos = node.pos + #"!$omp" + #blanks
  local other = name_in(openmp_directives.beyond, normalized)
    or name_in(openmp_directives.beyond, (normalized:gsub("^end ", "")))
  if other then
    raise("unsupported", pos, ("the directive '%s' is not carried out here"):format(other),
      { length = #other, rule = "HOUSE-version" })
  end
  local words, near = {}, nil
  for word in normalized:gmatch "[%a_]+" do
    words[#words + 1] = word
    near = near or diagnostic.closest(table.concat(words, " "), directive_names)
  end
  local first_word = normalized:match "^[%w_]+" or normalized:sub(1, 1)
  local message = first_word == "" and "expected a directive" or ("expected a directive, found '%s'"):format(first_word)
  raise("syntax", pos, message, { length = math.max(#first_word, 1), rule = "OMP60-tgt-1",
    help = near and ("did you mean '%s'?"):format(near) })
end

-- Returns the entry of the directive `node` in the table of its language; nil for end directives of OpenACC constructs,
-- and for unknown directives of OpenACC.
local function entry_of(node)
  if node.omp then return openmp_directives.directive(node.omp) end
  return openacc_directives.find(node.text:match "^!%$acc%s*(.*)$")
end

-- Returns what belongs to the directive `node`: a "loop", a "statement", or a "block" up to its end directive; nil if
-- it is standalone.
local function association_of(node)
  local entry = entry_of(node)
  local association = entry and entry.association
  if node.omp == "ordered" and node.text:find "%f[%a]depend%s*%(" then return nil end
  return association == "statement" and node.text:find "%f[%a]capture%f[%A]" and "block" or association
end

-- ------------------------------------------------------------------------------------ constructs --

-- State of arrange. statements: the resulting list. open: stack of block constructs without an end so far, {kind, node,
-- list}. waiting: directives that apply to the next statement, {node, form}; form: "loop" or "statement". in_loop: true
-- if exit and cycle are allowed.
local Arranger = {}
Arranger.__index = Arranger

-- Returns the list to which statements are appended: that of the innermost open construct, otherwise `statements`.
function Arranger:list()
  local top = self.open[#self.open]
  return top and top.list or self.statements
end

-- Appends an item to the list of the innermost open construct, or to `statements`.
function Arranger:append(item)
  local list = self:list()
  list[#list + 1] = item
end

-- Returns a construct node. list: the construct's statements; finish: position of the end directive, or nil.
local function construct(directive, list, finish)
  return { tag = "construct", pos = directive.pos, directive = directive, list = list, finish = finish }
end

-- Appends the directive and the statements of the open construct `group`, which has no end in the text, to the list
-- `into`, one by one. Raises unless the construct is a data region.
local function splice(group, into)
  local node = group.node
  if not entry_of(node).structured then
    raise("syntax", node.pos, ("'%s' has no '%s end %s'"):format(group.kind, node.sentinel, group.kind),
      { length = #node.sentinel, rule = NESTING[node.sentinel] })
  end
  into[#into + 1] = node
  table.move(group.list, 1, #group.list, #into + 1, into)
end

-- Raises the error for the end directive `item` without a beginning. kind: name of the construct.
local function no_beginning(item, kind)
  raise("region-nesting", item.pos, ("'end %s' has no beginning here"):format(kind),
    { length = #item.sentinel, rule = item.omp and NESTING[item.sentinel] or "DIR-4.3-06" })
end

-- Closes the innermost open construct and returns true if the end directive `item` belongs to it; otherwise changes
-- nothing and returns false. kind: name of the construct that the directive ends.
function Arranger:ends(item, kind)
  local top = self.open[#self.open]
  if not top or top.kind ~= kind or top.node.sentinel ~= item.sentinel then return false end
  self.open[#self.open] = nil
  local construct_node = construct(top.node, top.list, item.pos)
  construct_node.end_directive = item.omp and item
  self:append(construct_node)
  return true
end

-- Returns the name of the construct that the directive `node` begins.
local function name_of(node) return node.omp or entry_of(node)[1] end

-- Raises if a directive still waits for its loop or statement. item: the node, such as another directive, that is found
-- in place of the loop or statement.
function Arranger:needs_no_loop(item)
  local waiting = self.waiting[#self.waiting]
  if not waiting then return end
  local node = waiting.node
  raise("syntax", item.pos, ("expected the %s of '%s'"):format(waiting.form, name_of(node)),
    { length = item.sentinel and #item.sentinel or nil, rule = NESTING[node.sentinel] })
end

-- Raises for words after the name of the OpenACC end directive `item`, and for end directives that do not exist.
-- second, third: its second and third word.
local function check_acc_end(item, second, third)
  local last = third == "loop" and third or second
  local _, finish = item.text:find("%f[%w_]" .. last .. "%f[^%w_]")
  local rest = finish and item.text:find("%S", finish + 1)
  if rest then
    raise("syntax", item.pos + rest - 1, "expected the end of the directive", { rule = NESTING["!$acc"] })
  elseif second == "loop" then
    raise("syntax", item.pos, "there is no 'end loop'", { length = #item.text, rule = "ACC33-2.9-1",
      help = "the construct ends with its loop" })
  elseif second == "cache" or second == "routine" then
    no_beginning(item, second)
  end
end

-- Returns the last statement of `list` if it is a construct called `name` whose end directive is still missing;
-- otherwise raises. item: the end directive.
local function last_construct(list, item, name)
  local last = list[#list]
  local is_its = last and last.tag == "construct" and last.directive.sentinel == item.sentinel and not last.finish
    and name_of(last.directive) == name
  return is_its and last or no_beginning(item, name)
end

-- Handles the beginning of a construct, or a standalone directive. kind: name of the construct.
function Arranger:begin(item, kind)
  local association = association_of(item)
  if association == "block" then
    self.open[#self.open + 1] = { kind = kind, node = item, list = {} }
  elseif association then
    self.waiting[#self.waiting + 1] = { node = item, form = association }
  else
    self:append(item)
  end
end

-- Handles the OpenACC directive `item`: opens or closes a construct, or appends the directive as a statement. Raises
-- for end directives without a beginning.
function Arranger:acc(item)
  local first, second, third = directive_words(item)
  if first == "end" then check_acc_end(item, second, third) end
  if first == "end" and third == "loop" then
    last_construct(self:list(), item, second .. " loop").finish = item.pos
  elseif first == "end" then
    if self:ends(item, second) then return end
    local ended = openacc_directives.directive(second)
    if second == "atomic" then
      last_construct(self:list(), item, second).finish = item.pos
    elseif self.open[1] or ended and ended.kind == "compute" then
      no_beginning(item, second)
    else
      self:append(item) -- ends a region that the scenario opened
    end
  else
    self:begin(item, first)
  end
end

-- Handles the OpenMP directive `item`: opens or closes a construct, or appends the directive as a statement. Raises for
-- unknown directives and for end directives without a beginning.
function Arranger:omp(item)
  item.omp = omp_name(item)
  local ended = item.omp:match "^end (.*)"
  if ended then
    self:needs_no_loop(item)
    if self:ends(item, ended) then return end
    local list = self:list()
    local last = list[#list]
    local is_its = last and last.tag == "construct" and last.directive.omp == ended and not last.finish
      and association_of(last.directive) ~= "block"
    if is_its then
      last.finish, last.end_directive = item.pos, item
    elseif openmp_directives.directive(ended).structured and #self.open == 0 then
      self:append(item) -- ends a region that the scenario opened
    else
      no_beginning(item, ended)
    end
    return
  end
  local top = self.open[#self.open]
  if item.omp == "section" then
    if not (top and top.node.omp and top.node.omp:find "sections$") then
      raise("region-nesting", item.pos, "'section' is allowed only in 'sections'", { length = #item.sentinel,
        rule = NESTING[item.sentinel] })
    end
  end
  self:begin(item, item.omp)
end

-- Appends a statement, wrapped in the constructs of the directives that wait for it. Raises for exit and cycle outside
-- of loops, and if a directive waits for a loop and the statement is none.
function Arranger:statement(item)
  local tag = item.tag
  if (tag == "exit" or tag == "cycle") and not self.in_loop then
    raise("syntax", item.pos, ("'%s' is allowed only in a loop"):format(tag), { length = #tag,
      help = "return leaves a procedure" })
  end
  arrange_nested(item, self.in_loop or tag == "do" or tag == "while")
  local waiting = self.waiting
  for i = #waiting, 1, -1 do
    local node = waiting[i].node
    local is_loop = item.tag == "do" or item.tag == "while" and not node.omp
      or item.tag == "construct" and association_of(item.directive) == "loop"
    if waiting[i].form == "loop" and not is_loop then self:needs_no_loop(item) end
    item = construct(node, { item })
    waiting[i] = nil
  end
  self:append(item)
end

-- Returns a list of statements with constructs as nodes. list: flat statements; in_loop: true if exit and cycle are
-- allowed. Raises for directives without their statements or beginnings.
function arrange(list, in_loop)
  local a = setmetatable({ statements = {}, open = {}, waiting = {}, in_loop = in_loop }, Arranger)
  for _, item in ipairs(list) do
    if item.tag ~= "directive_line" then
      a:statement(item)
    elseif item.sentinel == "!$acc" and #a.waiting == 0 then
      a:acc(item)
    elseif item.sentinel == "!$omp" then
      local pending = #a.waiting
      a:omp(item)
      if pending > 0 and #a.waiting == pending then a:needs_no_loop(item) end
    elseif item.sentinel ~= "!$acc" then
      raise("unsupported", item.pos, ("directives of '%s' are not known here"):format(item.sentinel),
        { length = #item.sentinel, rule = "HOUSE-version", help = "directives begin with !$acc or !$omp" })
    else
      a:needs_no_loop(item)
    end
  end
  local waiting = a.waiting[1] and a.waiting[1].node
  if waiting then
    raise("syntax", waiting.pos, "expected a loop after the directive", { length = #waiting.sentinel,
      rule = NESTING[waiting.sentinel] })
  end
  for i = #a.open, 1, -1 do splice(a.open[i], i > 1 and a.open[i - 1].list or a.statements) end
  return a.statements
end

-- Arranges the lists inside the statement `item`. in_loop: true if exit and cycle are allowed in them.
function arrange_nested(item, in_loop)
  if item.tag == "if" or item.tag == "select" or item.tag == "select_type"
    or item.tag == "select_rank" then
    for _, branch in ipairs(item.list) do branch.body = arrange(branch.body, in_loop) end
  elseif item.body then
    item.body = arrange(item.body, in_loop)
  elseif item.tag == "procedure" then
    item.list = arrange(item.list)
    for _, inner in ipairs(item.inner) do arrange_nested(inner) end
  end
end

fortran_blocks.arrange = arrange

return fortran_blocks
