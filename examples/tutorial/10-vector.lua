-- A C++ class with three pointers into one array, as in std::vector.
scenario { title = "Tutorial 10: a vector", cites = { "TR14-2.3-01", "TR14-2.3-02" } }

declare [[
  template<class T> class vector {
    T *start, *finish, *end_of_storage;
  public:
    int size() const { return finish - start; }
    #pragma acc shape include(start[0:finish-start])
    #pragma acc shape(whole) include(start[0:end_of_storage-start], finish[@start], end_of_storage[@start])
  };
  vector<float> v;
]]
host.v.start = alloc("float", 6, function(i) return i end)
host.v.finish = host.v.start + 4
host.v.end_of_storage = host.v.start + 6

local function double(clause)
  acc("parallel " .. clause) "for (float *p = v.start; p != v.finish; p++) *p *= 2;"
end

-- The shape includes one of three pointers. The others hold host addresses, so p never equals v.finish.
print(expect.fails("out-of-bounds", function() double "copy(v)" end))

-- @ says that a pointer points into the section of another one: one array is copied, three pointers are attached.
acc "data copy<whole>(v)" (function()
  double "present<whole>(v)"
  acc "parallel present<whole>(v)" "*v.finish = 80;"      -- there is room for two more
end)
expect.host("v.start[0:5]", { 0, 2, 4, 6, 80 })
expect.host("v.size()", 4)
