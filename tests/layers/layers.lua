-- layers.lua - the table of layers, from the lowest: a file may use its own folder and lower layers. about: the
-- purpose of each folder, as in ARCHITECTURE.md (page.lua). references.lua applies the table.

local layers = {}

-- The folders of the runtime for real programs, from the lowest. A folder may use those before it, but the folders
-- above `rt` may not use the checks: they call hooks of tools (exec/tool/tool.h).
local EXEC = { "lib", "tool", "base", "diag", "trace", "image", "guard", "coherence", "feed_pages", "rt", "api",
  "frontend" }
local CHECKS = { coherence = true, feed_pages = true }

-- Adds the folders of EXEC to the products.
local function add_exec(products)
  local uses = { "core/debuginfo", "core/abi/helps" }
  for _, folder in ipairs(EXEC) do
    products["exec/" .. folder] = { public = true, uses = table.move(uses, 1, #uses, 1, {}) }
    if folder == "rt" then
      for i = #uses, 1, -1 do
        if CHECKS[uses[i]:match "[^/]*$"] then table.remove(uses, i) end
      end
    end
    uses[#uses + 1] = "exec/" .. folder
  end
  table.insert(products["exec/coherence"].uses, "exec/checked")
end

-- Products are separate from the core's layers. A product uses what the public header declares (public), and the
-- folders in `uses`.
layers.core = {
  headers = { "core/accdeep_core.h", "core/accdeep_rules.h", "core/accdeep_context.h", "core/accdeep_programs.h",
    "core/accdeep_constructs.h", "core/accdeep_memory.h", "core/accdeep_queues.h", "core/accdeep_present.h",
    "core/accdeep_checkpoints.h", "core/accdeep_internal.h", "core/accdeep_routines.h" },
  layers = { "core/base", "core/device", "core/walk", "core/table", "core/queue", "core/plan", "core/ops",
    "core/api", "core/routines" },
  -- Headers that other folders may include, in addition to the header named like its folder.
  shown = { "core/base/btree.h", "core/base/mem.h", "core/base/rules.h", "core/base/sort.h",
    "core/base/interval_tree.h",
    "core/device/written.h", "core/table/attach.h", "core/table/find.h", "core/table/group.h", "core/table/label.h",
    "core/table/name.h", "core/table/objects.h", "core/table/regions.h", "core/table/source.h", "core/table/targets.h",
    "core/table/tuples.h", "core/table/view.h", "core/plan/fusion.h",
    "core/plan/change_set.h", "core/plan/attach_plan.h" },
  -- Products that layers above the named layer may use.
  beside = { cuda = "core/device" },
  products = {
    cuda = { public = true, uses = { "core/base", "core/device" } },
    ["core/debuginfo"] = { public = true },
    ["core/abi/helps"] = {},
    ["core/abi/ir"] = { public = true },
    ["exec/checked"] = {},
    ["core/abi/directory"] = { public = true },
    ["core/abi/lowered"] = { public = true, uses = { "core/abi/helps", "core/abi/ir" } },
    ["lua/binding"] = { public = true, uses = { "core/debuginfo", "core/abi/ir" } },
    ["lua/program"] = {},
    ["lua/embed"] = { public = true, uses = { "lua/binding" } },
  },
  about = {
    ["core/routines"] = "what calls of acc_* and omp_* routines do",
    ["core/api"] = "functions of the public header: constructs, regions, inspection, checks",
    ["core/ops"] = "executes constructs: entries, exits, updates, transfers, events",
    ["core/plan"] = "decides what a construct will allocate, copy and record; changes nothing",
    ["core/queue"] = "device memory, and the work of asynchronous constructs",
    ["core/table"] = "present table, attach table, groups, levels, names",
    ["core/walk"] = "mapping programs and the sections that they find",
    ["core/device"] = "the interface of devices; the simulated device",
    ["core/base"] = "memory, ordered indices, sorting, threads, rules, errors",
    cuda = "the backend for NVIDIA GPUs",
    ["core/debuginfo"] = "debug information of programs and of the running process",
    ["exec/frontend"] = "the functions that gcc and clang call for directives",
    ["exec/api"] = "acc_* and omp_* routines, ends of tasks",
    ["exec/rt"] = "start, calls, constructs, kernels and end of the runtime",
    ["exec/feed_pages"] = "checks of strict runs: sampling, stack variables, pointers, leaks, guard findings",
    ["exec/coherence"] = "which side has the newest value of each byte: stale data, races, needless transfers",
    ["exec/guard"] = "host pages that are protected while kernels run",
    ["exec/image"] = "declared variables, device code, members, structures, blocks of malloc",
    ["exec/trace"] = "traces, OpenACC's profiling interface",
    ["exec/diag"] = "findings: wording, names, source lines, suppressions, files",
    ["exec/tool"] = "hooks of everything that observes the runtime",
    ["exec/base"] = "state of the process and of threads, the lock, the end by a signal",
    ["exec/lib"] = "memory for kernels, hash tables, arrays, stacks, texts, MPI ranks; knows nothing of the runtime",
    ["exec/checked"] = "the library that programs compiled for checking are linked with",
    ["core/abi/directory"] = "data environments for other runtimes",
    ["core/abi/ir"] = "reads the printed form of the construct IR",
    ["core/abi/helps"] = "meanings and helps of codes, for runtimes in C",
    ["core/abi/lowered"] = "what programs lowered to accdeep call",
    ["lua/binding"] = "the Lua module accdeep.core",
    ["lua/program"] = "terminals, files and processes for the program",
    ["lua/embed"] = "libaccdeep: directives as text for C programs",
  },
  -- Accepted violations of the table: "file > symbol", or "cycle folder". An unused entry is an error.
  exceptions = {},
}

add_exec(layers.core.products)

-- The Lua modules. lua/accdeep itself has the package and the Lua part of the interface for C programs.
layers.modules = {
  headers = {},
  layers = { "lua/accdeep/base", "lua/accdeep/definitions", "lua/accdeep/syntax", "lua/accdeep/sema",
    "lua/accdeep/types", "lua/accdeep/sema/c", "lua/accdeep/sema/members", "lua/accdeep/backend",
    "lua/accdeep/backend/fortran", "lua/accdeep/backend/cuda", "lua/accdeep/sema/body", "lua/accdeep/sema/clauses",
    "lua/accdeep/lowering",
    "lua/accdeep/run", "lua/accdeep/steps", "lua/accdeep/script", "lua/accdeep/inspect/reference",
    "lua/accdeep/inspect", "lua/accdeep/inspect/draw", "lua/accdeep/tools/emit", "lua/accdeep/tools/export",
    "lua/accdeep/tools",
    "lua/accdeep/tools/lower", "lua/accdeep/tools/explore", "lua/accdeep/tools/interactive", "lua/accdeep/tools/lsp",
    "lua/accdeep/tools/cli", "lua/accdeep" },
  products = {},
  about = {
    ["lua/accdeep"] = "the package, and the Lua half of libaccdeep",
    ["lua/accdeep/tools/cli"] = "the command line, a file for each command",
    ["lua/accdeep/tools/interactive"] = "stepping, and the prompt of repl",
    ["lua/accdeep/tools/lsp"] = "the language server for editors",
    ["lua/accdeep/tools"] = "accdeep exec",
    ["lua/accdeep/tools/explore"] = "all programs of a vocabulary, and where rule profiles differ",
    ["lua/accdeep/tools/export"] = "scenarios as C programs",
    ["lua/accdeep/tools/emit"] = "deep copies as functions that call standard routines, from mapping programs",
    ["lua/accdeep/tools/lower"] = "programs with directives of TR-14-1 as programs with standard ones",
    ["lua/accdeep/inspect/draw"] = "pictures",
    ["lua/accdeep/inspect"] = "traces, states, explanations",
    ["lua/accdeep/inspect/reference"] = "every name of the scenario language, as data",
    ["lua/accdeep/script"] = "the scenario language and its sandbox",
    ["lua/accdeep/steps"] = "test programs as data: executed, shortened, written as a scenario or in C",
    ["lua/accdeep/run"] = "sessions: directives, regions, kernels, routines",
    ["lua/accdeep/sema/body"] = "directives in the bodies of constructs: nesting, loops, data sharing",
    ["lua/accdeep/sema/clauses"] = "from a directive's tree to the typed directive: requests with typed list items",
    ["lua/accdeep/lowering"] = "from typed directives to their construct IR: items, mapping programs, code of bounds",
    ["lua/accdeep/backend/cuda"] = "kernels as text for the GPU",
    ["lua/accdeep/backend/fortran"] = "expressions and statements of Fortran",
    ["lua/accdeep/backend"] = "declarations of C, and code for expressions and statements",
    ["lua/accdeep/sema/members"] = "members of types: shapes, policies, mappers, nests, and what they map",
    ["lua/accdeep/sema/c"] = "names and types of C's expressions: from the AST to the typed AST",
    ["lua/accdeep/types"] = "types, layouts, scopes, descriptors",
    ["lua/accdeep/sema"] = "which clauses a directive may have",
    ["lua/accdeep/syntax"] = "from text to trees and back",
    ["lua/accdeep/definitions"] = "directives, clauses, knobs, profiles, rules, as data",
    ["lua/accdeep/base"] = "errors, places in texts, trees, reports",
  },
  exceptions = {},
}

return layers
