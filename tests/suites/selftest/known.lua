-- Reasons for the tests of these two suites.
return {
  validation = { ["device_memory.c"] = "the host has one memory", ["everywhere.c"] = "there is none" },
  ["validation checks"] = {
    ["arrays.F90"] = { ["stale-data"] = "its arrays are old" },
    ["host_memory.cpp"] = { ["missing-wait"] = "explains another report" },
  },
  gcc = {},
}
