-- header.lua - makes a Markdown page from a C header: a heading for each section, and each comment as text above the
-- declarations that follow it. page_files.lua calls it.

local header = {}

local SECTION = "^/%* %-%-%-+ (.-) %-%-+ %*/$"

-- Returns the text of a comment without comment marks. `lines`: its lines. Characters of Markdown are escaped, except
-- in indented code.
local function prose(lines)
  local out = {}
  for i, line in ipairs(lines) do
    line = line:gsub("^%s*/?%*+/?%s?", "", 1)
    if i == #lines then line = line:gsub("%s*%*/%s*$", "") end
    out[i] = line:find "^    " and line or line:gsub("[*_<]", "\\%0")
  end
  return table.concat(out, "\n"):gsub("%s+$", "")
end

-- Returns the lines of the header `text` in parts, each a list of lines with the field `kind`, "comment" or "code". A
-- comment at the beginning of a line starts a part; comments after code or inside braces belong to the code.
local function parts(text)
  local list, depth, comment = {}, 0, nil
  -- Appends a line to the last part, or to a new part if the kind differs or a new comment begins. Returns the part.
  local function add(kind, line)
    local last = list[#list]
    if not last or last.kind ~= kind or kind == "comment" and last.done then
      last = { kind = kind }
      list[#list + 1] = last
    end
    last[#last + 1] = line
    return last
  end
  for line in text:gmatch "([^\n]*)\n" do
    if comment or depth == 0 and line:find "^/%*" then
      comment = add("comment", line)
      if line:find "%*/" then comment.done, comment = true, nil end
    else
      add("code", line)
      local code = line:gsub("/%*.-%*/", ""):gsub('extern "C" {', "")
      depth = depth + select(2, code:gsub("{", "")) - select(2, code:gsub("}", ""))
    end
  end
  return list
end

-- Returns the code of a part as readers see it, without include guards, conditional parts and export macros; "" if
-- nothing remains.
local function readable(lines)
  local out, hidden = {}, 0
  for _, line in ipairs(lines) do
    if line:find "^#%s*if" then hidden = hidden + 1 end
    if hidden == 0 and not line:find "^#include" then out[#out + 1] = line end
    if line:find "^#%s*endif" then hidden = hidden - 1 end
  end
  local code = table.concat(out, "\n"):gsub("ACCD_API ([^;]*)", function(declaration)
    return (declaration:gsub("\n" .. (" "):rep(#"ACCD_API "), "\n")) -- keep the alignment with the first argument
  end)
  return (code:gsub("^%s*\n", ""):gsub("%s+$", ""))
end

-- Returns the Markdown page of a header. `name`: name of the header file. `text`: its text.
function header.page(name, text)
  -- Remove the include guard.
  text = text:gsub("#ifndef [%w_]+_H\n#define [%w_]+_H\n", "", 1):gsub("#endif%s*$", "")
  local out = { ("# `%s`\n"):format(name) }
  for _, part in ipairs(parts(text)) do
    local title = part.kind == "comment" and part[1]:match(SECTION)
    if title then
      out[#out + 1] = ("## %s%s\n"):format(title:sub(1, 1):upper(), title:sub(2))
    elseif part.kind == "comment" then
      local text_of = prose(part)
      if #out == 1 then text_of = text_of:gsub("^%S+ %- %l", function(s) return s:sub(-1):upper() end) end
      out[#out + 1] = text_of .. "\n"
    else
      local code = readable(part)
      if code ~= "" then out[#out + 1] = ("```c\n%s\n```\n"):format(code) end
    end
  end
  return table.concat(out, "\n")
end

-- Returns the names of the functions in the header `text` that no comment describes. A comment describes all
-- declarations up to the next blank line.
function header.undescribed(text)
  local list, described = {}, false
  for _, part in ipairs(parts(text)) do
    if part.kind == "comment" then
      described = not part[1]:match(SECTION)
    else
      local code = (table.concat(part, "\n") .. "\n"):gsub("#[^\n]*", "")
      for block in (code:gsub("\n%s*\n", "\0") .. "\0"):gmatch "([^\0]*)\0" do
        for name in block:gmatch "ACCD_API[^;]-([%w_]+)%(" do
          if not described then list[#list + 1] = name end
        end
        described = false
      end
    end
  end
  return list
end

return header
