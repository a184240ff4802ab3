-- Files in other languages that modules read.
local text_file = require "accdeep.base.text_file"

describe("a text in another language", function()
  it("is the file beside the modules", function()
    local count = 0
    for path in assert(io.popen "cd lua/accdeep && find . -type f ! -name '*.lua'"):lines() do
      local file = assert(io.open("lua/accdeep/" .. path))
      assert.equal(file:read "a", text_file.read(path:sub(3)), path)
      file:close()
      count = count + 1
    end
    assert.is_true(count > 10, count)
  end)

  it("is a module of the program", function()
    finally(function() package.preload["accdeep.text.x.c"], package.loaded["accdeep.text.x.c"] = nil, nil end)
    package.preload["accdeep.text.x.c"] = function() return "#include <a.h>\n#include <b.h>\n\nint x;\n\nint y;\n" end
    assert.equal("int x;\n\nint y;\n", text_file.without_headers "x.c")
  end)

  it("must exist", function() assert.has_error(function() text_file.read "inspect/none.js" end) end)
end)
