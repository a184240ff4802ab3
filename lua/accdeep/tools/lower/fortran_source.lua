-- fortran_source.lua - a scanner for Fortran units in free form: directives, statements, loops and derived types.
--
-- Input: the lines that the compiler sees. Output: a Scan, whose field `list` has the statements in order: {text,
-- first, last, directive}. `text`: in lower case, with strings and comments blanked. `first`, `last`: line numbers.
-- `directive`: the text after !$acc or !$omp, or nil; `standard`: "acc" or "omp". fortran_unit.lua,
-- fortran_loop_marks.lua and their helpers use it.

local fortran_source = {}

-- Returns a line in lower case without comments and strings, true if the next line continues it, and the quotation mark
-- of a string that continues, or nil. `quote`: the mark of a string that the line before left open, or nil.
local function normalize_line(line, quote)
  local out, at = {}, 1
  local text = line:lower()
  while at <= #text do
    if quote then
      local to = text:find(quote, at, true)
      if not to then
        local open = text:find "&%s*$" ~= nil
        return table.concat(out), open, open and quote or nil
      end
      out[#out + 1] = (" "):rep(to - at + 1)
      at, quote = to + 1, nil
    else
      local from = text:find("[\"'!]", at)
      local mark = from and text:sub(from, from)
      out[#out + 1] = text:sub(at, from and from - 1)
      if not from or mark == "!" then break end
      out[#out + 1] = " "
      at, quote = from + 1, mark
    end
  end
  local bare_text = table.concat(out)
  local body = bare_text:match "^(.-)&%s*$"
  return body or bare_text, body ~= nil, nil
end

local Scan = {}
Scan.__index = Scan

-- Appends the statements in a text, which semicolons separate, to a list. `first`, `last`: the lines of the text.
local function add_statements(list, text, first, last)
  for part in text:gmatch "[^;]+" do
    local body = part:match "^%s*(.-)%s*$"
    if body ~= "" then list[#list + 1] = { text = body, first = first, last = last } end
  end
end

-- Returns the Scan of the lines of a unit. Directives and statements may have continuation lines. `sentinels`: set of
-- the standards, "acc" and "omp", whose directives are read; nil: OpenACC's. Those of others count as comments.
function fortran_source.scan(lines, sentinels)
  sentinels = sentinels or { acc = true }
  local list, at = {}, 1
  while lines[at] do
    local first, word = at, lines[at]:match "^%s*!%$(%a%a%a)%f[^%w_]"
    local sentinel = word and sentinels[word:lower()] and word:lower()
    if sentinel then
      local parts, continued = {}, true
      while continued and lines[at] do
        local own, rest = lines[at]:match "^%s*!%$(%a%a%a)%s*&?(.*)$"
        if own and own:lower() ~= sentinel then rest = nil end
        if rest then
          parts[#parts + 1], continued = normalize_line(rest, nil)
        elseif lines[at]:find "%S" and not lines[at]:find "^%s*!" then -- the directive has no continuation
          at, continued = at - 1, false
        end
        at = at + (continued and 1 or 0)
      end
      local text = table.concat(parts, " "):gsub("%s+", " "):match "^%s*(.-)%s*$"
      list[#list + 1] = { text = text, directive = text, standard = sentinel, first = first,
        last = math.min(at, #lines) }
    else
      local parts, continued, quote = {}, true, nil
      while continued and lines[at] do
        local line = lines[at]
        if #parts > 0 and not line:find "^%s*[^%s!]" then -- comments and blank lines do not end a statement
          at = at + 1
        else
          if #parts > 0 then line = line:gsub("^%s*&", "", 1) end
          parts[#parts + 1], continued, quote = normalize_line(line, quote)
          at = at + (continued and 1 or 0)
        end
      end
      add_statements(list, table.concat(parts), first, math.min(at, #lines))
    end
    at = at + 1
  end
  return setmetatable({ list = list }, Scan)
end

-- ------------------------------------------------------------------------------------- statements --

-- Returns the label of a statement as text, or nil, and the text of the statement without label and construct name.
local function split_label(text)
  local label, rest = text:match "^(%d+)%s+(.*)$"
  rest = rest or text
  return label, rest:match "^[%a][%w_]*%s*:%s*([^:].*)$" or rest
end

-- Returns true if a statement begins a loop, otherwise false; and the label at which the loop ends, or nil for `end
-- do`.
local function begins_loop(text)
  local _, rest = split_label(text)
  if rest == "do" or rest:find "^do%s+%a[%w_]*%s*=" or rest:find "^do%s*while%s*%(" or rest:find "^do%s+concurrent" then
    return true
  end
  local label = rest:match "^do%s+(%d+)"
  return label ~= nil, label
end

-- Returns true if a loop that begins before statement i, in the same procedure, ends at the label `label`.
function Scan:is_in_loop(i, label)
  for k = i - 1, 1, -1 do
    local text = self.list[k].text
    local own_label = split_label(text)
    local _, loop_label = begins_loop(text)
    if tonumber(own_label) == tonumber(label) and own_label then return false end
    if loop_label and tonumber(loop_label) == tonumber(label) then return true end
    if text:find "^end%s*subroutine" or text:find "^end%s*function" or text:find "^end%s*program" then return false end
  end
  return false
end

-- Returns the index of the statement that ends the loop which begins at statement i, and a reason why no text can be
-- inserted after that statement, or nil. Returns nil if no loop begins at statement i, or if the loop has no end.
function Scan:loop_end(i)
  local open = {}
  local first = self.list[i]
  if not first or first.directive or not begins_loop(first.text) then return nil end
  for k = i, #self.list do
    local statement = self.list[k]
    local is_loop, until_label = begins_loop(statement.text)
    local label, rest = split_label(statement.text)
    if not statement.directive and is_loop then
      open[#open + 1] = until_label or "end"
    elseif not statement.directive then
      if rest:find "^end%s*do%f[^%w_]" and open[#open] == "end" then
        open[#open] = nil
      end
      while label and open[#open] and tonumber(open[#open]) == tonumber(label) do open[#open] = nil end
      if #open == 0 then
        local following = self.list[k + 1]
        local shared = following and following.first <= statement.last and "statements in the line where the loop ends"
          or label and self:is_in_loop(i, label) and "several loops that end with one label" or nil
        return k, shared
      end
    end
  end
  return nil
end

-- Returns the name of the derived type whose definition a statement begins; nil for other statements.
function fortran_source.type_begun(text)
  if text:find "^type%s+is%s*%(" then return nil end
  return text:match "^type%s*::%s*([%a][%w_]*)$" or text:match "^type%s*,.-::%s*([%a][%w_]*)$"
    or text:match "^type%s+([%a][%w_]*)$"
end

-- Returns the name of the module that a statement begins; nil for other statements.
function fortran_source.module_begun(text)
  local name = text:match "^module%s+([%a][%w_]*)$"
  return name ~= "procedure" and name or nil
end

-- Returns true if a statement ends a module.
function fortran_source.ends_module(text) return text:find "^end%s*module%f[^%w_]" ~= nil end

-- Returns true if a statement ends the definition of a derived type.
function fortran_source.ends_type(text) return text:find "^end%s*type%f[^%w_]" ~= nil end

-- Appends the names of the components that a statement declares to `list`; nothing for other statements.
function fortran_source.components(text, list)
  local names = text:match "::(.*)$" or text:match "^[%a]+%s*%b()%s*(%a.*)$" or text:match "^double%s+precision%s+(.*)$"
    or text:match "^%a+%s+(%a.*)$"
  for entity in (names or ""):gsub("%b()", ""):gmatch "[^,]+" do
    list[#list + 1] = entity:match "^%s*(%a[%w_]*)"
  end
end

-- Calls visit(name) for each variable in a statement of which a component is used: a `%` follows, also after
-- subscripts.
function fortran_source.names_of_objects(text, visit)
  for before, name, at in text:gmatch "()%f[%w_]([%a][%w_]*)%s*()" do
    local rest = text:sub(at)
    local subscripts = rest:match "^%b()%s*"
    local is_inner = text:sub(1, before - 1):find "%%%s*$"
    if not is_inner and (rest:find "^%%" or subscripts and rest:find("^%%", #subscripts + 1)) then visit(name) end
  end
end

-- Calls visit(name, has_parenthesis) for each name in a statement that is not the name of a component.
-- `has_parenthesis`: a parenthesis follows.
function fortran_source.names(text, visit)
  for before, name, at in text:gmatch "()%f[%w_]([%a][%w_]*)%s*()" do
    if not text:sub(1, before - 1):find "%%%s*$" then visit(name, text:sub(at, at) == "(") end
  end
end

-- Calls visit(name, role) for each variable that a statement may assign as a whole. Roles: "loop" for the variable of
-- a do loop, "assigned" for that of an assignment, "if" for that of one with a condition, "passed" for an argument.
function fortran_source.assigned(text, visit)
  local _, rest = split_label(text)
  local conditional = rest:match "^if%s*%b()%s*(.*)$"
  rest = conditional or rest
  local loop = rest:match "^do%s*%d*%s*,?%s*(%a[%w_]*)%s*="
  if loop then return visit(loop, "loop") end
  local name, following = rest:match "^(%a[%w_]*)%s*=(.?)"
  if name and following ~= "=" and following ~= ">" then return visit(name, conditional and "if" or "assigned") end
  local args = rest:match "^call%s+[%w_%%%s]+(%b())"
  for arg in (args or ""):sub(2, -2):gsub("%b()", "()"):gmatch "[^,]+" do
    name = arg:match "^%s*(%a[%w_]*)%s*$" or arg:match "^%s*%a[%w_]*%s*=%s*(%a[%w_]*)%s*$"
    if name then visit(name, "passed") end
  end
end

-- Returns three values about a statement: true if it opens a block of statements, true if it closes one, true if it
-- divides one, as `else` does.
function fortran_source.nesting(text)
  local _, rest = split_label(text)
  local opens = begins_loop(text) or rest:find "^if%s*%b()%s*then$" or rest:find "^select%s*%a+%s*%("
    or rest:find "^where%s*%b()$" or rest:find "^forall%s*%b()$" or rest == "block" or rest:find "^associate%s*%("
  local closes = rest:find "^end%s*do%f[^%w_]" or rest:find "^end%s*if%f[^%w_]" or rest:find "^end%s*select%f[^%w_]"
    or rest:find "^end%s*where%f[^%w_]" or rest:find "^end%s*forall%f[^%w_]" or rest:find "^end%s*block%f[^%w_]"
    or rest:find "^end%s*associate%f[^%w_]"
  local divides = rest:find "^else%f[^%w_]" or rest:find "^elsewhere" or rest:find "^elseif"
    or rest:find "^case%f[^%w_]"
  return opens ~= nil and opens ~= false, closes ~= nil, divides ~= nil
end

-- Returns true if a statement begins a subroutine or a function.
function fortran_source.procedure_begun(text)
  return not text:find "^end" and (text:find "%f[%w_]subroutine%s+%a" or text:find "%f[%w_]function%s+%a[%w_]*%s*%(")
    ~= nil
end

-- Returns true if a statement ends a subroutine or a function.
function fortran_source.ends_procedure(text)
  return text:find "^end%s*subroutine%f[^%w_]" ~= nil or text:find "^end%s*function%f[^%w_]" ~= nil
end

return fortran_source
