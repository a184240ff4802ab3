-- documentation.lua PROGRAM - runs the examples of README.md and the other pages, and compares their output.
--
-- A block ```console contains commands after "$ " and their output. `accdeep` is the program under test; a line "..."
-- in the output matches any number of lines. ```console no-gpu is skipped if there is a CUDA driver, ```console needs
-- x if there is no program x.
--
-- A block ```lua or ```c shows parts of the file of that kind that was last named under the same heading,
-- `examples/x.lua`: each of its paragraphs must occur in that file.
--
-- Links must point to existing files and headings. A picture x.svg must equal build/x.svg, which a command of the
-- page draws, except for numbers, because positions depend on Graphviz. Pages in spec/reference
-- are checked for links only: tests/lua runs their examples. ACCDEEP_PROMOTE=1 writes into the pages what is found:
-- output where the page has no "...", and pictures.

local program = arg[1]
local pages = { "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md",
  "packaging/README.md" }
for page in assert(io.popen "find examples -name '*.md' | sort"):lines() do pages[#pages + 1] = page end

local function read(path)
  local file = io.open(path)
  local text = file and file:read "a"
  if file then file:close() end
  return text
end

local function lines_of(s)
  local list = {}
  if s == "" then return list end
  for line in (s:sub(-1) == "\n" and s or s .. "\n"):gmatch "(.-)\n" do list[#list + 1] = line end
  return list
end

-- True if the lines actual[a..] match expected[e..].
local function matches(expected, actual, e, a)
  while e <= #expected do
    if expected[e] == "..." then
      for from = a, #actual + 1 do
        if matches(expected, actual, e + 1, from) then return true end
      end
      return false
    end
    if expected[e] ~= actual[a] then return false end
    e, a = e + 1, a + 1
  end
  return a == #actual + 1
end

-- Open MPI needs two confirmations to run as root.
local ENVIRONMENT = "export NO_COLOR=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PATH='"
  .. (program:match "^(.*)/" or ".") .. "':$PATH"

local function output_of(command)
  local line = command:gsub("^accdeep", function() return "'" .. program .. "'" end)
    :gsub("| accdeep", function() return "| '" .. program .. "'" end)
    :gsub("^mpirun %-n %d accdeep", function(start) return start:gsub("accdeep", "'" .. program .. "'") end)
  local pipe = assert(io.popen(("%s; { %s\n} 2>&1"):format(ENVIRONMENT, line)))
  local output = pipe:read "a"
  pipe:close()
  return output
end

local failed, count, excerpts = 0, 0, 0
local promotes = os.getenv "ACCDEEP_PROMOTE"

-- Replaces the output of a command in a page by `output`.
local function promote(page, command, expected, output)
  local before, old = ("\n$ %s\n"):format(command), #expected > 0 and table.concat(expected, "\n") .. "\n" or ""
  local text = read(page)
  local first, last = text:find(before .. old, 1, true)
  if first then
    local file = assert(io.open(page, "w"))
    assert(file:write(text:sub(1, first - 1), before, output, text:sub(last + 1))):close()
  end
end

local function check(page, command, expected)
  count = count + 1
  local output = output_of(command)
  if not matches(expected, lines_of(output), 1, 1) then
    if promotes and not table.concat(expected, "\n"):find("...", 1, true) then
      return promote(page, command, expected, output)
    end
    failed = failed + 1
    print(("%s: `%s` prints something else:\n%s"):format(page, command, output))
  end
end

local function check_commands(page, block)
  local command, output
  for _, line in ipairs(lines_of(block)) do
    local next_command = line:match "^%$ (.+)$"
    if next_command then
      if command then check(page, command, output) end
      command, output = next_command, {}
    else
      output[#output + 1] = line
    end
  end
  if command then check(page, command, output) end
end

-- Checks that each paragraph of a block occurs in the file that `above`, the text before the block, names last.
local function check_excerpt(page, kind, block, above)
  local path
  for name in above:gmatch("`([%w_/.-]+%." .. kind .. ")`") do path = read(name) and name or path end
  if not path then return end
  local text = read(path)
  for part in (block:gsub("\n%s*\n", "\0")):gmatch "[^\0]+" do
    excerpts = excerpts + 1
    if not text:find((part:gsub("\n$", "")), 1, true) then
      failed = failed + 1
      print(("%s: this is not in %s:\n%s"):format(page, path, part))
    end
  end
end

-- Headings and named anchors of pages, and lines of other files (L12), in the form of links, by path; false if the file
-- does not exist.
local anchors = setmetatable({}, { __index = function(all, path)
  local text, names = read(path), {}
  if text and not path:find "%.md$" then
    for i in ipairs(lines_of(text)) do names["L" .. i] = true end
  end
  for title in ("\n" .. (text or "")):gsub("```.-```", ""):gmatch "\n#+ ([^\n]+)" do
    names[title:lower():gsub("[^%w%s_-]", ""):gsub(" ", "-")] = true
  end
  for id in (text or ""):gmatch '<a id="([^"]+)">' do names[id] = true end
  all[path] = text and names
  return rawget(all, path)
end })

local function check_links(page, text)
  for link in text:gsub("```.-```", ""):gsub("`[^`\n]*`", ""):gmatch "%[[^%[%]]*%]%(([^)%s]+)" do
    local name, heading = link:match "^([^#]*)#?(.*)$"
    local path = name == "" and page or (page:match "^(.*/)" or "") .. name
    if not link:find "^%a+:" and not (anchors[path] and (heading == "" or anchors[path][heading])) then
      failed = failed + 1
      print(("%s: there is no %s"):format(page, link))
    end
  end
end

local function without_numbers(text) return (text or ""):gsub("%d+%.?%d*", "") end

local function check_pictures(page, text)
  for name in text:gmatch "!%[[^%]]*%]%(([^)]+%.svg)%)" do
    local path = (page:match "^(.*/)" or "") .. name
    local drawn = read("build/" .. name:match "[^/]*$")
    if drawn and promotes then assert(assert(io.open(path, "w")):write(drawn)):close() end
    os.remove("build/" .. name:match "[^/]*$") -- the next run draws it again
    if without_numbers(drawn) ~= without_numbers(read(path)) then
      failed = failed + 1
      print(("%s: %s is not what the page's commands draw"):format(page, path))
    end
  end
end

-- Returns the reason why a block is skipped, or nil.
local function missing(kind)
  if kind:find "no%-gpu" and not output_of "accdeep devices":find "no CUDA driver" then
    return "there is a CUDA driver"
  end
  local needed = kind:match "needs ([%w+-]+)"
  if needed and not os.execute(("command -v %s >/dev/null"):format(needed)) then return needed .. " is not here" end
end

for _, page in ipairs(pages) do
  local text = assert(read(page), page)
  check_links(page, text)
  local at, above = 1, ""
  while true do
    local first, last, kind, block = text:find("\n```([^\n]*)\n(.-)\n?```", at)
    if not first then break end
    above = (above .. text:sub(at, first)):match "^.*\n#+ (.*)$" or above .. text:sub(at, first)
    at = last + 1
    if kind:find "^console" then
      local why = missing(kind)
      if why then print(("%s: a block is left out: %s"):format(page, why)) else check_commands(page, block) end
    elseif kind == "lua" or kind == "c" then
      check_excerpt(page, kind, block, above)
    end
  end
  if not missing "needs dot" then check_pictures(page, text) end
end
for page in assert(io.popen "find spec/reference -name '*.md' | sort"):lines() do check_links(page, read(page)) end
print(("%d commands and %d excerpts, %d fail"):format(count, excerpts, failed))
os.exit(failed == 0 and count > 0 and excerpts > 0)
