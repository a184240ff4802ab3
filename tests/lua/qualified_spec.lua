local qualified_names = require "accdeep.types.qualified_names"

local function accepts(wanted, full)
  return qualified_names.accepts(qualified_names.parse(wanted), (qualified_names.parse(full)))
end

describe("names of C++", function()
  it("have one key for all spellings", function()
    local spellings = {
      ["std::vector<float, std::allocator<float>>"] = { "std::vector<float, std::allocator<float> >",
        " ::std::vector < float,std :: allocator<float> >", "std::__1::vector<float, std::allocator<float> >" },
      ["a::b<unsigned long, 3>"] = { "a::b<long unsigned int, 3ul>", "struct a::b<unsigned long,3>" },
      ["f<const char*>"] = { "f<char const *>", "f<const char *>" },
      ["f<void(int, float)>"] = { "f<void (int, float)>" },
      ["std::basic_string<char>"] = { "std::string", "std::__cxx11::basic_string<char>" },
    }
    for key, list in pairs(spellings) do
      for _, text in ipairs(list) do assert.equal(key, qualified_names.key(text)) end
    end
  end)

  it("may leave out the last arguments of templates, at any depth", function()
    local full = "std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, "
      .. "std::allocator<int> > > >"
    assert.is_true(accepts("std::vector<std::vector<int>>", full))
    assert.is_true(accepts(full, full))
    assert.is_true(accepts("a<int>::b", "a<int, long>::b"))
    assert.is_false(accepts("std::vector<std::vector<long>>", full))
    assert.is_false(accepts("std::vector", full))
    assert.is_false(accepts("vector<std::vector<int>>", full))
    assert.is_false(accepts("a<int, long>", "a<int>"))
    assert.is_false(accepts("f<void(int)>", "f<void(int, int)>"))
  end)

  it("are nothing where brackets do not close, or nothing is left", function()
    for _, text in ipairs { "", " ", "a<", "a<b", "a>", "a<b>>", "a(b", "a,b", "struct" } do
      assert.is_nil((qualified_names.parse(text)))
    end
  end)

  it("have a last name, and scopes before it", function()
    local name, around = qualified_names.split((qualified_names.parse "a::b<c::d>::e<int>"))
    assert.same({ "e", { "a", "b" } }, { name, around })
  end)
end)
