-- floors.lua - which folder may use which. Floors from the ground up: a file uses its own folder and lower ones.

local floors = {}

-- Products stand beside the core and use what the public header declares (public), and what they name (uses).
floors.core = {
  headers = { "core/accdeep_core.h", "core/accdeep_queues.h" },
  floors = { "core/base", "core/device", "core/walk", "core/table", "core/queue", "core/plan", "core/ops",
    "core/face" },
  -- What a folder shows is its header of the same name, and these.
  shown = { "core/base/index.h", "core/base/mem.h", "core/base/rules.h", "core/base/sort.h", "core/base/spans.h",
    "core/device/written.h", "core/table/group.h", "core/table/name.h", "core/table/tuples.h", "core/plan/fusion.h",
    "core/plan/ledger.h", "core/plan/links.h" },
  -- A product that floors above the named one may use.
  beside = { cuda = "core/device" },
  products = {
    cuda = { public = true, uses = { "core/base", "core/device" } },
    ["core/debuginfo"] = { public = true },
    ["core/abi/openacc"] = { public = true, uses = { "core/debuginfo" } },
    ["core/abi/directory"] = { public = true },
    ["lua/binding"] = { public = true, uses = { "core/debuginfo" } },
    ["lua/program"] = {},
    ["lua/embed"] = { public = true, uses = { "lua/binding" } },
  },
  -- References of today that are to go: "file > symbol", or "circle folder". One that is no more is an error.
  exceptions = {},
}

-- The Lua modules. The folder of all has the package and the Lua half of the interface for C programs.
floors.modules = {
  headers = {},
  floors = { "lua/accdeep/base", "lua/accdeep/catalogue", "lua/accdeep/grammar", "lua/accdeep/check",
    "lua/accdeep/types", "lua/accdeep/code", "lua/accdeep/code/fortran", "lua/accdeep/code/cuda", "lua/accdeep/shape",
    "lua/accdeep/plan", "lua/accdeep/plan/body", "lua/accdeep/run", "lua/accdeep/script", "lua/accdeep/see/reference",
    "lua/accdeep/see", "lua/accdeep/see/draw", "lua/accdeep/tools/export", "lua/accdeep/tools",
    "lua/accdeep/tools/interactive", "lua/accdeep/tools/cli", "lua/accdeep" },
  products = {},
  exceptions = {},
}

return floors
