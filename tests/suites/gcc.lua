-- gcc.lua - the OpenACC tests of gcc, and its tests of OpenMP's target directives: programs of libgomp/testsuite
-- whose comments (dg.lua) say how each is compiled and what it should do. Only those that are run count, and each
-- once: without optimisation, or with -O2 if it is not meant to run without.

local dg = require "suites.dg"

-- What differs between the two. folders: where tests are; flags and environment: of each test; wants: whether a source
-- is one of them.
local openacc = {
  option = "-fopenacc",
  groups = { "C data tests", "C tests", "Fortran and C++ data tests", "Fortran and C++ tests" },
  flags = { "-DACC_DEVICE_TYPE_nvidia=1", "-DACC_MEM_SHARED=0" }, -- the device that the suite is told to test
  environment = { "ACC_DEVICE_TYPE=nvidia" },
  folders = {
    { folder = "libgomp.oacc-c/", group = "C", compilers = { c = "gcc" } },
    { folder = "libgomp.oacc-c-c++-common/", group = "C", compilers = { c = "gcc" } },
    { folder = "libgomp.oacc-c++/", group = "Fortran and C++", compilers = { C = "g++" } },
    { folder = "libgomp.oacc-fortran/", group = "Fortran and C++",
      compilers = { f = "gfortran", f90 = "gfortran", F90 = "gfortran", f95 = "gfortran" } },
  },
  wants = function() return true end,
}

local openmp = {
  option = "-fopenmp",
  groups = { "C tests", "C++ tests", "Fortran tests" },
  flags = {}, environment = {},
  folders = {
    { folder = "libgomp.c/", group = "C", compilers = { c = "gcc" } },
    { folder = "libgomp.c-c++-common/", group = "C", compilers = { c = "gcc" } },
    { folder = "libgomp.c++/", group = "C++", compilers = { C = "g++" } },
    { folder = "libgomp.fortran/", group = "Fortran",
      compilers = { f = "gfortran", f90 = "gfortran", F90 = "gfortran", f95 = "gfortran" } },
  },
  wants = function(source)
    source = source:lower()
    return source:find "omp%s+target" or source:find "declare%s+target" or source:find "omp_target_"
  end,
}

-- The data tests: those about data clauses and directives, structured and dynamic lifetimes, deep copy,
-- declare, update, host_data and the data routines of the API; not those about loops, reductions,
-- privatisation, queues or properties of devices. They are known by how their names begin: with one of
-- these words, then the end, a hyphen or a digit.
local DATA = [[
  acc_free acc_map_data acc_unmap_data allocatable array-stride-dt attach-descriptor class-ptr-param
  classtypes clauses common-block data declare deep-copy default derived-type derivedtype
  derivedtypes-arrays deviceptr dummy-array dynamic-incr-structural dynamic-pointer enter-data enter_exit
  firstprivate-mappings host_data lib map mapping mdc-refcount multidim-slice nested-1 nested-2 no_create
  non-scalar-data offset optional-data optional-declare optional-host_data optional-nested-calls
  optional-update pointer-align pr92 pr94358 pr95 present pset refcounting struct
  structured-detach-underflow structured-dynamic-lifetimes subarrays subset-subarray-mappings this
  unmap-infinity update zero_length_subarrays
]]

local function is_data_test(name)
  local stem = name:match "^(.*)%.%w+$" .. "-"
  for word in DATA:gmatch "%S+" do
    if stem:sub(1, #word) == word and stem:find("^[-%d]", #word + 1) then return true end
  end
  return false
end

local function root(files)
  for path in pairs(files) do
    local prefix = path:match "^(.*)libgomp%.oacc%-c%-c%+%+%-common/[^/]+$"
    if prefix then return prefix end
  end
end

local function is_skipped(comments, flags, level)
  for _, comment in ipairs(comments) do
    if comment.name == "skip-if" and dg.skips(comment, { level, table.unpack(flags) }, level ~= "-O0") then
      return true
    end
  end
  return false
end

-- The optimisation with which a test is meant to run, or nil.
local function level_of(comments, flags)
  for _, level in ipairs { "-O0", "-O2" } do
    if not is_skipped(comments, flags, level) then return level end
  end
end

-- Options about the code of other devices, and notes nobody reads here.
local function is_needless(option)
  return option:find "^%-foffload" or option:find "^%-fopt%-info" or option:find "privatization=noisy"
end

local read_comment = {}

read_comment["do"] = function(test, comment, _, is_optimized)
  test.action = dg.applies(comment, 2, is_optimized) and comment[1] or "none"
end

function read_comment.options(test, comment, _, is_optimized)
  if not dg.applies(comment, 2, is_optimized) then return end
  for option in comment[1]:gmatch "%S+" do
    if not is_needless(option) then test.options[#test.options + 1] = option end
  end
end
read_comment["additional-options"] = read_comment.options

read_comment["additional-sources"] = function(test, comment, folder)
  for name in comment[1]:gmatch "%S+" do test.sources[#test.sources + 1] = folder .. name end
end

read_comment["require-effective-target"] = function(test, comment, _, is_optimized)
  if not dg.selects(comment[1], is_optimized) then test.missing = comment[1] end
end

read_comment["set-target-env-var"] = function(test, comment)
  table.insert(test.environment, comment[1] .. "=" .. comment[2])
end

function read_comment.shouldfail(test, comment, _, is_optimized)
  test.fails = test.fails or dg.applies(comment, 2, is_optimized)
end

function read_comment.output(test, comment, _, is_optimized)
  if dg.applies(comment, 2, is_optimized) then test.output = (test.output or "") .. comment[1] end
end

local function described(path, folder, source, standard)
  local comments = dg.comments(source)
  local level = level_of(comments, standard.flags)
  local test = { action = level and "run" or "none", options = {}, sources = { path },
    environment = { table.unpack(standard.environment) } }
  for _, comment in ipairs(comments) do
    local reader = read_comment[comment.name]
    if reader then reader(test, comment, folder, level == "-O2") end
  end
  return test, level
end

local function compile_command(test, compiler, level, flags, folder, top, full)
  local command = { compiler, level, "-I" .. full(folder), "-I" .. full(top), "-I" .. full(top .. "../../include") }
  table.move(flags, 1, #flags, #command + 1, command)
  table.move(test.options, 1, #test.options, #command + 1, command)
  for _, source in ipairs(test.sources) do command[#command + 1] = full(source) end
  command[#command + 1] = "-lm" -- after the sources that need it
  return command
end

local function tests_of(standard, files, top, read, full)
  local tests = {}
  for _, test_folder in ipairs(standard.folders) do
    local folder = top .. test_folder.folder
    for path in pairs(files) do
      local name = path:sub(1, #folder) == folder and path:sub(#folder + 1)
      local compiler = name and test_folder.compilers[name:match "%.(%w+)$"]
      local source = compiler and read(path)
      local test, level
      if compiler and standard.wants(source) then test, level = described(path, folder, source, standard) end
      if test and test.action == "run" and level then
        test.name = name
        test.groups = { test_folder.group .. " tests" }
        if standard == openacc and is_data_test(name) then
          table.insert(test.groups, test_folder.group .. " data tests")
        end
        test.compile = compile_command(test, compiler, level, standard.flags, folder, top, full)
        test.text = test.output and dg.pattern(test.output)
        tests[#tests + 1] = test
      end
    end
  end
  return tests
end

local function suite(standard)
  return { root = root, groups = standard.groups, option = standard.option,
    tests = function(...) return tests_of(standard, ...) end }
end

return { openacc = suite(openacc), openmp = suite(openmp) }
