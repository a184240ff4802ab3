-- openmp.lua - the OpenMP validation suite (OpenMP_VV): one program a file, which passes when its exit status is 0.
-- Counted are tests of target directives and of routines for devices.

local languages = require "suites.validation".languages

local openmp = { option = "-fopenmp" }

-- Versions of OpenMP of which gcc 12 knows at least a part.
local VERSIONS = { "4.5", "5.0", "5.1", "5.2" }

openmp.groups = { "4.5 C", "4.5 C++", "4.5 Fortran", "5.0 and later C", "5.0 and later C++", "5.0 and later Fortran" }

-- Where the tests are below a folder that holds these files, or nil if it is another suite.
function openmp.root(files)
  for path in pairs(files) do
    local root = path:match "^(.*)ompvv/ompvv%.h$"
    if root then return root end
  end
end

-- read(path): the text of a file. full(path): its name for the compiler.
function openmp.tests(files, root, read, full)
  local tests = {}
  for path in pairs(files) do
    for _, version in ipairs(VERSIONS) do
      local folder = root .. "tests/" .. version .. "/"
      local name = path:sub(1, #folder) == folder and path:sub(#folder + 1)
      local language = name and languages[name:match "%.(%w+)$"]
      if language and read(path):lower():find "target" then
        local compile = { language.compiler, "-O1", "-I" .. full(root .. "ompvv") }
        table.move(language.flags or {}, 1, #(language.flags or {}), #compile + 1, compile)
        table.move({ full(path), "-lm" }, 1, 2, #compile + 1, compile)
        local group = (version == "4.5" and "4.5 " or "5.0 and later ") .. language.group
        tests[#tests + 1] = { name = version .. "/" .. name, groups = { group }, sources = { path }, compile = compile,
          environment = {}, rules = version == "5.2" and "openmp-5.2" or nil }
      end
    end
  end
  return tests
end

return openmp
