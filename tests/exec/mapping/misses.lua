-- misses.lua - defects that are not reported: mode -> program -> why. A line is removed when the defect is found.

local HOST_READS = "pages of the host stay open while host code runs, so that a read of old data is not seen"
local DEVICE_READS = "a read of device memory that holds no value yet is not seen"
local ROUNDED = "malloc rounds sizes up, and only checked programs know what was asked for"
local PRIVATE = "a region may change its private copies; these are not data of the program"

return {
  clang = {
    ["right-host-work-omp.c"] = "clang does not compile two sections of an array in one clause",
    ["right-in-reduction-omp.c"] = "clang before 19 does not know in_reduction on a target construct",
    ["stale-host-memcpy-omp.c"] = "clang copies the one element that is used, whose value is the old one",
    ["unset-from-omp.c"] = "is reported in the line of the directive: the load that clang moves has no line",
  },
  checked = {
    ["private-flag.c"] = PRIVATE,
    ["private-reduction-omp.F90"] = PRIVATE,
    ["private-result-omp.c"] = PRIVATE,
  },
  strict = {
    ["block-element.c"] = ROUNDED,
    ["block-new.cpp"] = ROUNDED,
    ["block-middle.c"] = "of large blocks, where they begin is not known",
    ["declared-module-omp.F90"] = HOST_READS,
    ["declared-result.c"] = HOST_READS,
    ["declared-target-omp.cpp"] = HOST_READS,
    ["private-flag.c"] = PRIVATE,
    ["private-reduction-omp.F90"] = PRIVATE,
    ["private-result-omp.c"] = PRIVATE,
    ["stale-host-again.c"] = HOST_READS,
    ["stale-host-memcpy-omp.c"] = HOST_READS,
    ["stale-host-omp.c"] = HOST_READS,
    ["stale-host-padding.c"] = HOST_READS,
    ["stale-host-print-omp.F90"] = HOST_READS,
    ["stale-host-residual.c"] = HOST_READS,
    ["stale-host.F90"] = HOST_READS,
    ["stale-host.c"] = HOST_READS,
    ["unset-alloc-omp.c"] = DEVICE_READS,
    ["unset-create.c"] = DEVICE_READS,
    ["unset-device-omp.c"] = DEVICE_READS,
    ["unset-device.c"] = DEVICE_READS,
    ["unset-from-omp.c"] = DEVICE_READS,
    ["unset-halo.cpp"] = DEVICE_READS,
    ["wait-host.c"] = HOST_READS,
    ["wait-memcpy-device-omp.c"] = "the kernel does not name the memory, and does not change it",
    ["wait-memcpy-omp.c"] = HOST_READS,
    ["wait-nowait-omp.c"] = HOST_READS,
    ["wait-update.c"] = HOST_READS,
  },
}
