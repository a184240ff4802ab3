-- Pages and annotations that are made from the reference and the headers.
local annotations = require "docs.annotations"
local page_files = require "docs.page_files"
local diagnostic = require "accdeep.base.diagnostic"
local header = require "docs.header"
local pages = require "docs.pages"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"
local reference = require "accdeep.inspect.reference"
local report = require "accdeep.base.report"
local rule_links = require "docs.rule_links"
local rules = require "accdeep.definitions.rules"
local rules_page = require "docs.rules_page"

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

local headers = { "lua/embed/accdeep.h", "core/accdeep_context.h", "core/accdeep_programs.h",
  "core/accdeep_constructs.h", "core/accdeep_memory.h", "core/accdeep_queues.h", "core/accdeep_present.h",
  "core/accdeep_checkpoints.h", "core/abi/directory/accdeep_directory.h" }

-- Headers with fewer functions than others.
local small = { ["core/accdeep_checkpoints.h"] = 7, ["core/accdeep_programs.h"] = 5, ["core/accdeep_memory.h"] = 7 }

describe("a page about a header", function()
  for _, path in ipairs(headers) do
    it("has all functions, and something to say of each: " .. path, function()
      local text = read(path)
      local page = header.page("x.h", text)
      local functions = 0
      for name in text:gsub("#[^\n]*", ""):gmatch "ACCD_API[^;]-([%w_]+)%(" do
        assert.truthy(page:find(name .. "(", 1, true), name)
        functions = functions + 1
      end
      assert.is_true(functions > (small[path] or 10))
      assert.same({}, header.undescribed(text))
    end)
  end

  it("finds functions without a comment", function()
    assert.same({ "second", "third" }, header.undescribed [[
/* Described. */
ACCD_API int first(void);

ACCD_API int second(void);
/* ---------- section -- */
ACCD_API int third(int a,
                   int b);
]])
  end)

  it("makes text of comments and code of declarations", function()
    assert.equal([[
# `x.h`

Something small.

    code(0);

## Parts

A size\_t \*p.

```c
struct s { /* kept */
    int n; /* so */
};
```
]], header.page("x.h", [[
/* x.h - something small.
 *
 *     code(0);
 */
#ifndef X_H
#define X_H
#include <stddef.h>

/* --------- parts -- */

/* A size_t *p. */
struct s { /* kept */
    int n; /* so */
};

#endif
]]))
  end)
end)

describe("annotations", function()
  for file, text in pairs(annotations.files()) do
    it("are Lua: " .. file, function() assert(load(text, "@" .. file)) end)

    it("name only types that there are: " .. file, function()
      local known = { "accdeep.expect" }
      for _, chapter in ipairs(reference.chapters()) do
        for _, entry in ipairs(chapter) do known[#known + 1] = entry.class end
      end
      for _, name in ipairs(known) do known[name] = true end
      for line in text:gmatch "%-%-%-@%l+ ([^\n]*)" do
        local kind = line:match "^%S+ (%S+)" or line
        for name in kind:gmatch "accdeep%.[%w_]+" do assert.is_true(known[name], name) end
      end
    end)
  end

  it("have every name", function()
    local files = annotations.files()
    local all = files["scenario.lua"] .. files["accdeep.lua"]
    for name in pairs(reference.all(true)) do
      local plain = name:gsub("%p", "%%%0")
      assert.truthy(all:find("\nfunction " .. plain .. "%(") or all:find("\n" .. plain .. " = "), name)
    end
  end)

  it("are accepted by the Lua language server", function()
    if not os.execute "command -v lua-language-server >/dev/null" then
      pending "lua-language-server is not here"
      return
    end
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir -p %s"):format(folder)))
    finally(function() os.execute(("rm -r %s"):format(folder)) end)
    for file, text in pairs(annotations.files()) do
      local out = assert(io.open(folder .. "/" .. file, "w"))
      out:write(text)
      out:close()
    end
    assert(os.execute(("lua-language-server --check %s --checklevel=Warning >%s/log 2>&1"):format(folder, folder)))
  end)
end)

describe("pages", function()
  local texts = { reference = pages.reference(), errors = pages.errors(), profiles = pages.profiles() }
  for _, entry in ipairs(profile_descriptions) do texts[entry.name] = pages.profile(entry.name) end

  for name, text in pairs(texts) do
    it("have tables whose rows are as long as their heads: " .. name, function()
      local columns
      for line in text:gsub("```.-```", ""):gmatch "[^\n]*" do
        local _, bars = line:gsub("\\|", ""):gsub("|", "")
        if not line:find "^|" then
          columns = nil
        else
          columns = columns or bars
          assert.equal(columns, bars, line)
        end
      end
    end)
  end

  it("have all errors, with the exit status that the program has for them", function()
    for code in pairs(diagnostic.codes()) do assert.truthy(texts.errors:find("| `" .. code .. "` |", 1, true), code) end
    for phase, title in pairs { text = "Text that does not parse", static = "Static rules", run = "Run time",
      environment = "The environment", internal = "accdeep itself" } do
      assert.truthy(texts.errors:find(("## %s\n\nExit status %d."):format(title, report.status_of(phase)), 1, true))
    end
  end)

  it("are kept in the source tree", function()
    -- Lines of cases and functions move with every change of a source: `make docs` corrects them.
    local function without_lines(text) return (text:gsub(":%d+%]", "]"):gsub("#L%d+", "")) end
    local made, kept = page_files ".", 0
    for path, text in pairs(made) do
      assert.is_true(without_lines(text) == without_lines(read(path)), path .. " is out of date: make docs")
    end
    for path in assert(io.popen "find spec/reference -type f"):lines() do
      assert.truthy(made[path] or path == "spec/reference/disagreements.md", path .. " is made of nothing: remove it")
      kept = kept + 1
    end
    assert.is_true(kept > 15)
  end)
end)

describe("the page of rules", function()
  local page, lines = rules_page.text ".", {}

  -- Returns line `n` of the file that a link of the page names, and the next two lines.
  local function line_of(path, n)
    if not lines[path] then
      lines[path] = {}
      for line in io.lines(path) do table.insert(lines[path], line) end
    end
    return table.concat(lines[path], "\n", n, math.min(n + 2, #lines[path]))
  end

  it("has every rule by its id and title", function()
    for _, document in ipairs(rules.all()) do
      for _, rule in ipairs(document.rules) do
        local heading = ('<a id="%s"></a>\n### %s '):format(rule_links.anchor(rule.id), rule.id)
        assert.truthy(page:find(heading .. rule.title:gsub("[*_<]", "\\%0") .. "\n", 1, true), rule.id)
      end
    end
  end)

  it("links rules to the cases that accept and reject", function()
    local count = 0
    for heading, places in page:gmatch "\n%- (%u%l+): (%[[^\n]*)" do
      local kind = ({ Accepted = "accepts: ", Rejected = "rejects: ", Differs = "differs: " })[heading]
      for path, line in places:gmatch "%(%.%./([%w_/.-]+%.lua)#L(%d+)%)" do
        assert.truthy(line_of("spec/" .. path, math.tointeger(line)):find(kind, 1, true), path .. ":" .. line)
        count = count + 1
      end
    end
    assert.is_true(count > 1500, count)
  end)

  it("links rules to the functions that decide them", function()
    local count = 0
    for name, path, line in page:gmatch "%[`([%w_.:]+)`%]%(%.%./%.%./([%w_/.-]+)#L(%d+)%)" do
      assert.truthy(line_of(path, math.tointeger(line)):find(name, 1, true), path .. ":" .. line)
      count = count + 1
    end
    assert.is_true(count > 500, count)
  end)

  it("shows both sides of every rule that is done", function()
    for _, document in ipairs(rules.all()) do
      for _, rule in ipairs(document.rules) do
        local id = '<a id="' .. rule_links.anchor(rule.id) .. '">'
        local at = page:find(id, 1, true)
        local entry = page:sub(at + 1, (page:find('\n<a id="', at + 1, true)))
        if rule.status == "done" then
          assert.truthy(entry:find("\n- Accepted: ", 1, true), rule.id)
          assert.truthy(entry:find "\n%- Rejected: " or entry:find "\n%- Differs: ", rule.id)
        end
      end
    end
  end)
end)
