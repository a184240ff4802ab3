-- prelude.lua - fixed text of exported C programs: how to compile them, and the functions that check.

local text_file = require "accdeep.base.text_file"

local prelude = {}

prelude.head = [[
/* Made by accdeep export from %s.
   Case: %s
   Rules: %s
   %s */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <%s>

]]

prelude.compile = {
  openacc = "Compile it with gcc -g -fopenacc -foffload=disable, and run it under accdeep exec.",
  openmp = "Compile it with clang -g -fopenmp -fopenmp-version=51 -fopenmp-targets=x86_64-pc-linux-gnu.",
}
prelude.include = { openacc = "openacc.h", openmp = "omp.h" }

-- Returns the text of a file of the folder c without its headers; `prelude.head` includes them.
local function text(name) return text_file.without_headers("tools/export/c/" .. name .. ".c") end

-- Functions that check values. Each check prints a line: "check 2, line 7: x = 3", and the expected value if it
-- differs.
prelude.checks = text "checks"
prelude.failing = "\n" .. text "failing"
prelude.presence = { openacc = "\n" .. text "presence_openacc", openmp = "\n" .. text "presence_openmp" }
prelude.pointer = "\n" .. text "pointer"
prelude.device = { openacc = "\n" .. text "device" }

return prelude
