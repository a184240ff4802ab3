-- floors.lua - which folder may use which. Floors from the ground up: a file uses its own folder and lower ones.
-- Products stand beside the house and use what the public header declares (public), and what they name (uses).
return {
  headers = { "core/accdeep_core.h", "core/accdeep_queues.h" },
  floors = { "core/base", "core/device", "core/walk", "core/table", "core/queue", "core/plan", "core/ops",
    "core/face" },
  -- What a folder shows is its header of the same name, and these.
  shown = { "core/base/index.h", "core/base/mem.h", "core/base/rules.h", "core/base/sort.h", "core/base/spans.h",
    "core/device/written.h" },
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
