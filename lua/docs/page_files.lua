-- page_files.lua - the pages generated from the reference, the catalogues and the public headers, by path. `make
-- docs` writes them; the test lua-docs compares them.

local header = require "docs.header"
local pages = require "docs.pages"
local rules_page = require "docs.rules_page"
local profile_descriptions = require "accdeep.inspect.reference.profile_descriptions"

-- Public headers: path, name of the page, description.
local headers = {
  { "lua/embed/accdeep.h", "c-accdeep", "deep copy for a C program: directives as text, on the program's own memory" },
  { "core/accdeep_core.h", "c-core", "conventions of the core's interface, and its version" },
  { "core/accdeep_context.h", "c-context", "errors, contexts, events and devices" },
  { "core/accdeep_programs.h", "c-programs", "labels of data, and mapping programs" },
  { "core/accdeep_constructs.h", "c-constructs", "constructs and their items, regions, and recorded bounds" },
  { "core/accdeep_memory.h", "c-memory", "device memory and descriptors in single steps" },
  { "core/accdeep_present.h", "c-present", "inspection of present objects, attached pointers, levels and tuples" },
  { "core/accdeep_rules.h", "c-rule-profiles", "rule profiles, and the ids of rules" },
  { "core/accdeep_rules.def", "c-rules", "what rule profiles decide, and what each profile decides" },
  { "core/accdeep_checkpoints.h", "c-checkpoints",
    "registered host memory, saved states of a context, statistics" },
  { "core/accdeep_queues.h", "c-queues", "activity queues, and kernels on the device" },
  { "core/abi/lowered/accdeep_lowered.h", "c-lowered", "what programs call whose directives became calls" },
  { "exec/tool/accdeep_tool.h", "c-tool", "tools that observe real programs (`exec --tool`)" },
  { "core/abi/directory/accdeep_directory.h", "c-directory", "data environments for other runtimes" },
}

-- Returns the text of a file. Raises if it cannot be opened.
local function read(path)
  local file = assert(io.open(path))
  local text = file:read "a"
  file:close()
  return text
end

-- Returns the generated pages as a table from path to text. `source`: root of the source tree. Raises if a header
-- cannot be read.
return function(source)
  local page_texts = {
    ["examples/glossary.md"] = pages.glossary(),
    ["spec/reference/reference.md"] = pages.reference(),
    ["spec/reference/errors.md"] = pages.errors(),
    ["spec/reference/rules.md"] = rules_page.text(source),
    ["spec/reference/profiles/index.md"] = pages.profiles(),
  }
  for _, entry in ipairs(profile_descriptions) do
    page_texts[("spec/reference/profiles/%s.md"):format(entry.name)] = pages.profile(entry.name)
  end
  local index = { [[
# accdeep

- [Tutorial](../../examples/tutorial/tutorial.md): from a flat array to a mutable deep copy
- [Reference](reference.md): every name of the scenario language and of the Lua package
- [Errors](errors.md): every code, what it means and what to do
- [Rules](rules.md): every rule of the catalogue
- [Rule profiles](profiles/index.md): what each decides, and by which rule
- [Where the documents disagree](disagreements.md): the smallest programs on which profiles differ
- [Glossary](../../examples/glossary.md): terms of the field and of accdeep]] }
  for _, entry in ipairs(headers) do
    local path, page, about = table.unpack(entry)
    local name = path:match "[^/]+$"
    page_texts[("spec/reference/%s.md"):format(page)] = header.page(name, read(source .. "/" .. path))
    index[#index + 1] = ("- [`%s`](%s.md): %s"):format(name, page, about)
  end
  index[#index + 1] = "\n<!-- `make docs` makes the pages of this folder; `make disagreements`, disagreements.md. -->\n"
  page_texts["spec/reference/index.md"] = table.concat(index, "\n")
  return page_texts
end
