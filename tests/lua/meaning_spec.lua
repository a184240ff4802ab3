-- What `accdeep explain` says of codes, and the index of rules that goes into the program.
local error_codes = require "accdeep.base.error_codes"
local diagnostic = require "accdeep.base.diagnostic"
local rule_text = require "accdeep.inspect.rule_text"
local report = require "accdeep.base.report"
local directive_words = require "accdeep.inspect.reference.directive_words"
local rules = require "accdeep.definitions.rules"

-- What the build reads of the sources, and how many comments say "Decides ...".
local sources, tags = { "./core/base/rules.h", "./core/accdeep_context.h" }, 0
for path in assert(io.popen "find ./core/*/ ./lua/accdeep -name '*.c' -o -name '*.lua' | sort"):lines() do
  sources[#sources + 1] = path
  local file = assert(io.open(path))
  local text = file:read "a":gsub("\n[%s*-]+", " ") -- a comment's line may end after the word
  for _ in text:gmatch "%f[%w]Decides %u[%u%d]+%-" do tags = tags + 1 end
  file:close()
end
local places = load(dofile "lua/places.lua"(".", sources))()

describe("error codes", function()
  it("are all explained, and no others", function()
    for code in pairs(diagnostic.codes()) do
      assert.is_table(error_codes[code], code)
      assert.equal(3, #error_codes[code])
      assert.is_truthy(rule_text.describe_code(code):find(error_codes[code][1], 1, true), code)
    end
    for code in pairs(error_codes) do assert.is_string(diagnostic.phase(code), code) end
    assert.is_nil(rule_text.describe_code "unheard-of")
    assert.is_nil(rule_text.describe_rule "TR14-9.9-99")
  end)

  it("are followed to the rules that raise them", function()
    local found = {}
    for _, id in ipairs(places.codes["not-present"]) do found[id] = true end
    assert.is_true(found["TR14-4.2-03"])
  end)
end)

describe("the help of a code", function()
  local function printed(fields)
    fields.message = fields.message or "m"
    return report.error(diagnostic.new(fields))
  end

  it("is printed with each error of the code, and where more is said", function()
    for code in pairs(diagnostic.codes()) do
      local text = printed { code = code }
      assert.matches("\n  more: accdeep explain " .. code:gsub("%p", "%%%0") .. "\n$", text)
      -- A syntax error is marked in its text, and has a help only if more can be said.
      if code ~= "syntax" then assert.matches("\n  help: [%w-].*\n  more:", text) end
      assert.matches("[%w-]", diagnostic.help_of_code(code))
      assert.is_nil(printed({ code = code }):find "[{}|]")
    end
  end)

  it("gives way to the help of the error itself", function()
    assert.matches("\n  help: its own\n", printed { code = "not-present", help = "its own" })
    assert.is_nil(printed({ code = "not-present", help = "its own" }):find "map ")
  end)

  it("names the objects and the file", function()
    local objects = { { name = "v[0:4]", bytes = 16 }, { name = "v[0:2]", bytes = 8 } }
    assert.matches("help: map v%[0:4%] first: .*copyin%(v%[0:4%]%)", printed { code = "not-present",
      objects = objects })
    assert.matches("help: unmap v%[0:2%] first and map all of v%[0:4%]", printed { code = "partially-present",
      objects = objects })
    assert.matches("help: map the data first: ", printed { code = "not-present" })
    assert.matches("%-%-step some/file.lua\n", printed { code = "expectation", file = "some/file.lua" })
    assert.matches("%-%-step FILE\n", printed { code = "expectation", file = "input 3" })
  end)

  it("is in the words of the construct's language", function()
    assert.matches("enter data copyin", diagnostic.new { code = "not-present", message = "m" }.help)
    assert.matches("target enter data map", diagnostic.new { code = "not-present", message = "m", openmp = true }.help)
    assert.matches("target enter data map", diagnostic.new { code = "not-present", message = "m",
      rule = "OMP60-map-1" }.help)
  end)

  it("is said more of once in a run", function()
    local out = {}
    local format = report.formats.text { out = function() end, err = function(text) out[#out + 1] = text end }
    for _ = 1, 2 do
      format.record { file = "f.lua", cases = { { name = "f.lua", error = report.to_plain_data { code = "syntax",
        message = "m" } } } }
    end
    assert.matches("more: accdeep explain syntax", out[1])
    assert.is_nil(out[2]:find "more:")
  end)

  it("is there for every wrong text of the command line's tests", function()
    local blocks = 0
    for page in assert(io.popen "ls tests/cli/bad_*.expected"):lines() do
      local file = assert(io.open(page))
      local text = file:read "a":match "\n%-%-%- stderr\n(.*)\n%-%-%-\n"
      file:close()
      for block in (text:gsub("\n(%S)", "\0%1") .. "\0"):gmatch "(.-)%z" do
        blocks = blocks + 1
        if not block:find "error%[syntax%]" then assert.matches("\n  help: ", block) end
      end
    end
    assert.is_true(blocks > 200)
  end)
end)

describe("words of directives", function()
  it("are all explained where they are OpenACC's", function()
    for word, entry in pairs(directive_words.all()) do
      if entry.OpenACC then assert.is_string(entry.OpenACC.text, word) end
      assert.is_string(directive_words.text(word), word)
    end
    assert.is_nil(directive_words.text "copyinn")
  end)
end)

describe("rules", function()
  it("are followed to where they are cited", function()
    local found = table.concat(places.rules["TR14-4.2-03"], " ")
    assert.is_truthy(found:find "core/base/rules%.c:%d+")
    assert.is_nil(found:find "/reference/")
  end)

  it("are followed to the functions that decide", function()
    assert.matches("^core/plan/resolve%.c:%d+ split_partly_present$", places.decided["TR14-4.2-03"][1])
    assert.matches("^lua/accdeep/sema/members/nest%.lua:%d+ nest%.entries$", places.decided["TR14-3.3-17"][1])
  end)

  it("are decided somewhere, if they are done", function()
    for _, document in ipairs(rules.all()) do
      for _, rule in ipairs(document.rules) do
        assert.is_true(rule.status ~= "done" or places.decided[rule.id] ~= nil, rule.id)
      end
    end
  end)

  it("that a function says it decides are there", function()
    local functions, count = {}, 0
    for id, list in pairs(places.decided) do
      assert.is_true(rules.has(id), id)
      for _, place in ipairs(list) do
        if not functions[place] then count = count + 1 end
        functions[place] = true
      end
    end
    assert.equal(tags, count, "comments that say \"Decides\", and functions or tables below them")
  end)
end)
