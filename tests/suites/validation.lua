-- validation.lua - the OpenACC validation suite: one program a file. Its exit status is a sum of bits,
-- one for each part T1, T2, ... that failed; it passes when that is 0. Flags are those the suite itself
-- uses for gcc; a fixed seed makes the random numbers of most programs the same each time.

local validation = { option = "-fopenacc" }

validation.languages = {
  c = { group = "C", compiler = "gcc" },
  cpp = { group = "C++", compiler = "g++" },
  F90 = { group = "Fortran", compiler = "gfortran", flags = { "-ffree-line-length-none" } },
}

validation.groups = { "C", "C++", "Fortran" }

-- Where the tests are below a folder that holds these files, or nil if it is another suite.
function validation.root(files)
  for path in pairs(files) do
    local root = path:match "^(.*)acc_testsuite%.h$"
    if root then return root end
  end
end

-- read(path): the text of a file. full(path): its name for the compiler.
function validation.tests(files, root, read, full)
  local tests = {}
  for path in pairs(files) do
    local name = path:sub(1, #root) == root and path:sub(#root + 1)
    local language = name and validation.languages[name:match "^[^/]*%.(%w+)$"]
    if language and read(path):find "#ifndef T1%f[%D]" then -- the others are modules for a test
      local compile = { language.compiler, "-I" .. full(root), "-DSEED=1" }
      table.move(language.flags or {}, 1, #(language.flags or {}), #compile + 1, compile)
      table.move({ full(path), "-lm" }, 1, 2, #compile + 1, compile)
      tests[#tests + 1] = { name = name, groups = { language.group }, sources = { path }, compile = compile,
        environment = {}, has_parts = true }
    end
  end
  return tests
end

return validation
