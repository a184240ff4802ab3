std = "lua54"
max_line_length = 120
self = false
unused_secondaries = false
-- Scenarios see the names of the scenario language: these and host (tests/lua/reference_spec.lua compares).
local scenario = {
  "NULL", "acc", "addr", "alloc", "block", "call", "case", "declare", "declare_from", "device_words", "draw",
  "events", "expect", "fortran", "free", "func", "ir", "method", "omp", "output", "rules", "scenario", "show", "sizeof",
  "state", "tuples", "vocabulary",
  "acc_async_default", "acc_async_noval", "acc_async_sync", "acc_async_test", "acc_async_test_all", "acc_attach",
  "acc_attach_async",
  "acc_copyin", "acc_copyin_async", "acc_copyout", "acc_copyout_async", "acc_copyout_finalize",
  "acc_copyout_finalize_async", "acc_create", "acc_create_async", "acc_delete", "acc_delete_async",
  "acc_delete_finalize", "acc_delete_finalize_async", "acc_detach", "acc_detach_async", "acc_detach_finalize",
  "acc_detach_finalize_async", "acc_device_current", "acc_device_default", "acc_device_host", "acc_device_none",
  "acc_device_not_host", "acc_device_nvidia", "acc_deviceptr", "acc_free", "acc_get_default_async",
  "acc_get_device_num", "acc_get_num_devices", "acc_hostptr", "acc_init", "acc_is_present", "acc_malloc",
  "acc_map_data", "acc_memcpy_d2d", "acc_memcpy_d2d_async", "acc_memcpy_device", "acc_memcpy_device_async",
  "acc_memcpy_from_device", "acc_memcpy_from_device_async", "acc_memcpy_to_device", "acc_memcpy_to_device_async",
  "acc_on_device", "acc_pcopyin", "acc_pcreate", "acc_present_or_copyin", "acc_present_or_create",
  "acc_set_default_async", "acc_set_device_num", "acc_shutdown", "acc_unmap_data", "acc_update_device",
  "acc_update_device_async", "acc_update_host", "acc_update_self", "acc_update_self_async", "acc_wait",
  "acc_wait_all", "acc_wait_all_async", "acc_wait_async",
  "omp_default_device", "omp_get_default_device", "omp_get_device_num", "omp_get_initial_device", "omp_get_mapped_ptr",
  "omp_get_num_devices", "omp_initial_device", "omp_invalid_device", "omp_is_initial_device",
  "omp_set_default_device", "omp_target_alloc", "omp_target_associate_ptr", "omp_target_disassociate_ptr",
  "omp_target_free", "omp_target_is_accessible", "omp_target_is_present", "omp_target_memcpy",
  "omp_target_memcpy_async", "omp_target_memcpy_rect", "omp_target_memcpy_rect_async", "omp_target_memset",
  "omp_target_memset_async",
}
files["spec"] = { read_globals = scenario, globals = { "host" } }
files["spec/rules"] = { std = "lua54" }
files["examples"] = { read_globals = scenario, globals = { "host" } }
files["examples/explore"] = { read_globals = { "kernel" } }
files["tests/cli/oracle"] = { read_globals = { "kernel" } }
files["tests/cli/explore"] = { read_globals = { "kernel" }, ignore = { "11." } } -- functions that change globals
files["spec/language/explore.lua"] = { read_globals = { "kernel" } }
files["tests/cli"] = { read_globals = scenario, globals = { "host" } }
files["tests/package"] = { read_globals = scenario, globals = { "host" } }
files["tests/terminal"] = { read_globals = scenario, globals = { "host" } }
files["tests/cuda"] = { read_globals = scenario, globals = { "host" } }
files["tests/oracle/openmp"] = { read_globals = scenario, globals = { "host" } }
files["tests/explore"] = { read_globals = scenario, ignore = { "113" } }
files["tests/draw/many.lua"] = { read_globals = scenario, globals = { "host" } }
files["tests/debug"] = { read_globals = scenario, globals = { "host" } }
files["tests/random"] = { read_globals = scenario, globals = { "host" } }
files["tests/lower/programs"] = { read_globals = scenario, globals = { "host" } }
files["tests/lua"] = { std = "+busted" }
