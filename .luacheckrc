std = "lua54"
max_line_length = 120
self = false
unused_secondaries = false
-- Scenarios see the names of the scenario language.
local scenario = {
  "scenario", "declare", "alloc", "free", "addr", "NULL", "sizeof", "func", "method", "acc", "omp",
  "fortran", "call", "output", "block", "state", "tuples", "device_words", "events", "show",
  "draw", "expect", "case", "rules",
  "acc_is_present", "acc_copyin", "acc_create", "acc_copyout", "acc_copyout_finalize", "acc_delete",
  "acc_delete_finalize", "acc_update_device", "acc_update_self", "acc_attach", "acc_detach",
  "acc_detach_finalize", "acc_deviceptr", "acc_hostptr", "acc_map_data", "acc_unmap_data", "acc_malloc",
  "acc_async_test", "acc_async_test_all", "acc_wait", "acc_wait_all", "acc_wait_async", "acc_wait_all_async",
  "acc_memcpy_to_device_async", "acc_memcpy_from_device_async", "acc_memcpy_device_async",
  "acc_memcpy_d2d_async", "acc_copyin_async", "acc_create_async", "acc_copyout_async", "acc_delete_finalize_async",
  "acc_update_self_async", "acc_attach_async", "acc_get_default_async", "acc_set_default_async", "acc_async_noval",
  "acc_async_sync",
  "acc_free", "acc_memcpy_to_device", "acc_memcpy_from_device", "acc_memcpy_device", "acc_memcpy_d2d",
  "acc_set_device_num", "acc_get_device_num", "acc_get_num_devices", "acc_get_device_type",
  "acc_set_device_type", "acc_init", "acc_shutdown", "acc_on_device",
  "omp_get_num_devices", "omp_get_initial_device", "omp_get_default_device", "omp_set_default_device",
  "omp_get_device_num", "omp_is_initial_device", "omp_initial_device", "omp_invalid_device",
  "omp_target_alloc", "omp_target_free", "omp_target_is_present", "omp_target_is_accessible",
  "omp_get_mapped_ptr", "omp_target_memcpy", "omp_target_memcpy_async", "omp_target_memcpy_rect",
  "omp_target_memcpy_rect_async", "omp_target_memset", "omp_target_memset_async",
  "omp_target_associate_ptr", "omp_target_disassociate_ptr", "declare_from",
}
files["spec"] = { read_globals = scenario, globals = { "host" } }
files["spec/rules"] = { std = "lua54" }
files["examples"] = { read_globals = scenario, globals = { "host" } }
files["tests/cli"] = { read_globals = scenario, globals = { "host" } }
files["tests/package"] = { read_globals = scenario, globals = { "host" } }
files["tests/terminal"] = { read_globals = scenario, globals = { "host" } }
files["tests/cuda"] = { read_globals = scenario, globals = { "host" } }
files["tests/oracle/openmp"] = { read_globals = scenario, globals = { "host" } }
files["tests/draw/many.lua"] = { read_globals = scenario, globals = { "host" } }
files["tests/debug"] = { read_globals = scenario, globals = { "host" } }
files["tests/random"] = { read_globals = scenario, globals = { "host" } }
files["tests/lua"] = { std = "+busted" }
