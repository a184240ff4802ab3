-- known.lua - why tests of outside suites fail on accdeep: suite -> file name -> one line. "SUITE checks" has the tests
-- about which strict or checked runs report something: what each does that is worth a report, for each code that is
-- reported. Few of these reports are about mistakes. Most tests do it on purpose, to see what a runtime does.
-- "SUITE 14" has those that fail only when clang 14 has compiled them.

local ONE_OF_EACH = "counts gangs, workers or vector lanes of a device; compute regions run with one of each"
local ONE_GANG = "sums over the gangs that it asks for; compute regions run with one gang"
local PRIVATE = "needs variables private to each of several gangs; compute regions run with one gang"
local LANES = "expects the vector lanes of an Nvidia device; compute regions run with one lane"
local RESOURCES = "wants an error about the resources of an Nvidia device; the device is simulated"
local NOHOST = "gcc does not compile routines with nohost for the host, where kernels run"
local ARRAY = "gcc 12 reduces an array into a private copy, which it then drops; it does so on the host, too"
local CUDA = "asks for a CUDA device, context or stream; the device is simulated"
local PADDING = "wants an event for a block that libgomp pads; here each object is allocated, and reported, as it is"
local HOST_DATA = "takes kernels that acc_on_device finds on the host for proof that no data move, but here they do"
local ON_DEVICE = "wants acc_on_device to name a device; under libgomp's rules kernels answer for the host"
local UNDEFINED = "its check uses PRECISION, which is undefined there; fails without OpenACC, too"
local NEVER = "its check wants a difference smaller than zero; fails without OpenACC, too"
local INVERTED = "its check compares the wrong way round (.gt.); fails without OpenACC, too"
local UNSET = "reads the variable multiplier, which it never sets; fails without OpenACC, too"
local FROM_ONE = "numbers devices from 1; in OpenACC they begin with 0"
local HELD = "wants copyout to copy while a data region holds the arrays; the region's end removes them uncopied"
local UNWRITTEN = "T3 expects values in b, which is created on the device and never written there"
local STOP = "wants STOP in a kernel to fail, as on an Nvidia device; it ends the program as on the host"

local NOHOST_FUNCTION = "gcc compiles no function of device_type(nohost) for the host, where target regions run"
local STACK = "overflows the stack of 8 MiB; fails with libgomp, too"
local ABSENT_DEVICE = "names a device that is not there, which is an error (OMP60-tgt-2)"

local SHARED = "requires unified_shared_memory, which is refused: a device has memory of its own"
local SHARED_BLOCK = "asks for a block that host and device share, which is refused: a device has memory of its own"
local STRIDE = "clang sends a section with a stride as one without; fails with libomptarget, too"
local SCALAR = "clang makes a scalar of defaultmap(present) private; fails with libomptarget, too"
local THREADS = "needs more threads than this machine has processors; fails with libomptarget, too"

local PROBE = "stale-data: lets a kernel change a copy, and reads the host's old value to see if both share memory"
local OLD_HOST = "stale-data: wants the host's old value after a kernel has changed the device's"
local OLD_DEVICE = "stale-data: wants the device's old value after the host has changed its own"
local BOTH = "overwritten-change: changes both sides, then wants a transfer to overwrite one of the changes"
local WAIT = "missing-wait: uses or removes data that work of a queue or a task may still use: no wait comes between"
local LEFT = "still-mapped: leaves data on the device when their memory on the host is freed, or their function returns"
local NO_VALUE = "uninitialized-read: fetches or reads device memory to which nothing was written"
local FOLLOWS = "host-pointer-on-device: a kernel follows a pointer to memory of the host that no clause names"
local DROPPED = "missing-wait: gfortran 12 drops the depend clauses of combined constructs, so that no order is left"
local NO_SET = "missing-wait: gcc 12 ignores the directive set, so that it waits for another queue than its kernels'"
local OUTSIDE = "out-of-bounds: its kernel writes c[99], one element after the section c[0:99]"
local DECLARED = "unsupported: gcc 12 leaves declared variables out of update: a warning tells that nothing is moved"
local BEFORE = "host-pointer-on-device: its kernel writes u(0), the element before the array"
local SAME = "missing-wait: two tasks map the same variable, and nothing orders their transfers"
local KEPT = "out-of-bounds: its pointer keeps a device address of an earlier region, whose memory is freed"
local ALONE = "uninitialized-read: needs two threads or teams; regions of clang that are checked have one thread"
local TEAMS = "failed: counts its threads or teams; regions of clang that are checked have one thread"
local CLANG_14 = "failed: fails with the libomptarget of clang 14, too"
local UNSENT = "stale-data: reads an old state, since nothing sends the change: that is why it fails"
local CHANCE = "failed: by chance: its check uses PRECISION, which is undefined there"

-- From reason -> names, with spaces between, to name -> code -> reason. A reason of a check begins with the code of the
-- report that it explains; "failed" is that of a failure without one. A test with several codes is in several lists.
local function expand_reasons(reasons)
  local by_name = {}
  for reason, names in pairs(reasons) do
    local code, why = reason:match "^([a-z-]+): (.*)$"
    for name in names:gmatch "%S+" do
      by_name[name] = by_name[name] or {}
      by_name[name][code] = why
    end
  end
  return by_name
end

return {
  openmp = {
    ["5.0/declare_target/test_declare_target_device_type_nohost.F90"] = NOHOST_FUNCTION,
    ["5.0/declare_target/test_declare_target_device_type_nohost.c"] = NOHOST_FUNCTION,
    ["5.0/declare_target/test_declare_target_device_type_nohost1.c"] = NOHOST_FUNCTION,
    ["5.0/loop/test_loop_collapse.F90"] = STACK,
    ["5.0/loop/test_loop_collapse_device.F90"] = STACK,
    ["5.0/target/test_target_defaultmap_firstprivate.F90"] =
      "gcc 12 does not privatise what the pointer ptr points to; fails with libgomp, too",
    ["5.0/teams_loop/test_target_teams_loop_collapse.c"] = STACK,
    ["5.2/metadirective/test_metadirective_otherwise.c"] = "gcc 12 knows no metadirectives; fails with libgomp, too",
  },
  ["openmp-clang"] = {
    ["5.0/requires/test_requires_unified_shared_memory.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_heap.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_heap_is_device_ptr.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_heap_map.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_malloc.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_malloc_is_device_ptr.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_malloc_map.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_omp_target_alloc.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_omp_target_alloc_is_device_ptr.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_stack.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_stack_is_device_ptr.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_stack_map.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_static.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_static_is_device_ptr.c"] = SHARED,
    ["5.0/requires/test_requires_unified_shared_memory_static_map.c"] = SHARED,
    ["5.0/target/test_target_parallel_for_lastprivate_conditional.c"] =
      "clang does not keep the last value of the condition; fails with libomptarget, too",
    ["5.0/target_update/test_target_update_from_discontiguous.c"] = STRIDE,
    ["5.0/target_update/test_target_update_to_discontiguous.c"] = STRIDE,
    ["5.1/interop/test_interop_target.c"] =
      "interop is refused: a simulated device has no streams; fails with libomptarget, too",
    ["5.1/metadirective/test_metadirective_nothing.c"] =
      "follows a pointer to nothing that is mapped; fails with libomptarget, too",
    ["5.1/target/test_target_defaultmap_present.c"] = SCALAR,
    ["5.1/target/test_target_defaultmap_present_scalar.c"] = SCALAR,
    ["5.1/target/test_virtual_function_map.cpp"] =
      "follows bptr, which points to nothing that is mapped, to an object of the host",
    ["5.2/metadirective/test_metadirective_otherwise.c"] =
      "clang makes no device code for the region; fails with libomptarget, too",
    ["5.2/unified_shared_mem/test_target_OpertrOvrld.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_PureVirDestr.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_VirFunc.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_class_deepcpy.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_mul_inheritence.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_mul_inheritence1.cpp"] = SHARED,
    ["5.2/unified_shared_mem/test_target_struct_obj_access.cpp"] = SHARED,
  },
  ["llvm-clang"] = {
    ["api/omp_device_managed_memory.c"] = SHARED_BLOCK,
    ["api/omp_device_managed_memory_alloc.c"] = SHARED_BLOCK,
    ["api/omp_host_pinned_memory.c"] = SHARED_BLOCK,
    ["api/omp_host_pinned_memory_alloc.c"] = SHARED_BLOCK,
    ["api/ompx_3d.c"] = THREADS,
    ["api/ompx_3d.cpp"] = THREADS,
    ["mapping/declare_mapper_api.cpp"] = "gives the runtime a structure that libomptarget has inside",
    ["mapping/low_alignment.c"] = "uses t.i in a region that maps t.a alone",
    ["mapping/present/unified_shared_memory.c"] = SHARED,
    ["mapping/target_data_array_extension_at_exit.c"] =
      "unmaps a section of which only a part is present: an error (OMP60-map-13)",
    ["mapping/target_wrong_use_device_addr.c"] = "wants words of libomptarget; fails there, too",
    ["offloading/requires.c"] = "lists an image for no machine; fails with libomptarget, too",
    ["offloading/shared_lib_fp_mapping.c"] = "fails with libomptarget, too",
    ["offloading/thread_state_1.c"] = THREADS,
    ["offloading/thread_state_2.c"] = THREADS,
    ["ompt/veccopy_no_device_init.c"] = "wants calls of tools from target directives, which libomptarget makes (OMPT)",
    ["unified_shared_memory/api.c"] = SHARED,
    ["unified_shared_memory/associate_ptr.c"] = SHARED,
    ["unified_shared_memory/close_enter_exit.c"] = SHARED,
    ["unified_shared_memory/close_manual.c"] = SHARED,
    ["unified_shared_memory/close_member.c"] = SHARED,
    ["unified_shared_memory/close_modifier.c"] = SHARED,
    ["unified_shared_memory/shared_update.c"] = SHARED,
  },
  ["gcc-openmp"] = {
    ["address-space-1.c"] = "uses an address of a segment, which code of the host cannot; fails with libgomp, too",
    ["declare-variant-2.c"] = "gcc chooses variants for the host, where target regions run",
    ["examples-4/async_target-2.f90"] = "maps arrays before they are allocated; fails with libgomp, too",
    ["examples-4/device-2.c"] = ABSENT_DEVICE,
    ["examples-4/device-2.f90"] = ABSENT_DEVICE,
    ["struct-elem-3.c"] = "releases a structure of which two members are present: an error (OMP60-map-13)",
  },
  validation = {
    ["serial_loop_tile.F90"] = "by chance: adds to device memory to which nothing was written; fails with libgomp, too",
    ["acc_copyin_async.c"] =
      "T4 makes c present twice and copies it out once: the counter stays at 1 and nothing is copied",
    ["acc_copyin_with_len.F90"] = "T6 adds where it should subtract, T7 compares with arrays that it has set to zero",
    ["acc_copyout_async.F90"] = HELD,
    ["acc_copyout_async_with_len.F90"] = HELD,
    ["acc_get_device_num.F90"] = FROM_ONE,
    ["acc_set_device_num.F90"] = FROM_ONE,
    ["atomic_capture_assign_expr_divided_x.F90"] = UNDEFINED,
    ["atomic_capture_assign_expr_times_x.F90"] = INVERTED,
    ["atomic_capture_assign_max_expr_list_x.F90"] = NEVER,
    ["atomic_capture_assign_max_expr_x.F90"] = NEVER,
    ["atomic_capture_assign_max_x_expr.F90"] = NEVER,
    ["atomic_capture_assign_max_x_expr_list.F90"] = NEVER,
    ["atomic_capture_assign_min_expr_list_x.F90"] = INVERTED,
    ["atomic_capture_assign_min_expr_x.F90"] = INVERTED,
    ["atomic_capture_assign_min_x_expr.F90"] = INVERTED,
    ["atomic_capture_assign_min_x_expr_list.F90"] = NEVER,
    ["atomic_capture_assign_x_divided_expr.F90"] = UNDEFINED,
    ["atomic_capture_assign_x_times_expr.F90"] = INVERTED,
    ["atomic_capture_expr_divided_x_assign.F90"] = UNDEFINED,
    ["atomic_capture_expr_times_x_assign.F90"] = INVERTED,
    ["atomic_capture_max_expr_list_x_assign.F90"] = NEVER,
    ["atomic_capture_max_expr_x_assign.F90"] = NEVER,
    ["atomic_capture_max_x_expr_assign.F90"] = NEVER,
    ["atomic_capture_max_x_expr_list_assign.F90"] = NEVER,
    ["atomic_capture_min_expr_list_x_assign.F90"] = INVERTED,
    ["atomic_capture_min_expr_x_assign.F90"] = INVERTED,
    ["atomic_capture_min_x_expr_assign.F90"] = INVERTED,
    ["atomic_capture_min_x_expr_list_assign.F90"] = NEVER,
    ["atomic_capture_x_divided_expr_assign.F90"] = UNDEFINED,
    ["atomic_capture_x_times_expr_assign.F90"] = INVERTED,
    ["kernels_if.c"] = UNWRITTEN,
    ["kernels_if.cpp"] = UNWRITTEN,
    ["kernels_num_gangs.F90"] = ONE_GANG,
    ["parallel_loop_reduction_add_loop.c"] = ARRAY,
    ["parallel_loop_reduction_add_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_add_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_add_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_and_loop.c"] = ARRAY,
    ["parallel_loop_reduction_and_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_and_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_and_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_bitand_loop.c"] = ARRAY,
    ["parallel_loop_reduction_bitand_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_bitand_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_bitand_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_bitor_loop.c"] = ARRAY,
    ["parallel_loop_reduction_bitor_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_bitor_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_bitor_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_bitxor_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_bitxor_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_max_loop.c"] = ARRAY,
    ["parallel_loop_reduction_max_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_max_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_max_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_min_loop.c"] = ARRAY,
    ["parallel_loop_reduction_min_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_min_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_min_vector_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_multiply_loop.c"] = ARRAY,
    ["parallel_loop_reduction_multiply_loop.cpp"] = ARRAY,
    ["parallel_loop_reduction_multiply_vector_loop.c"] = ARRAY,
    ["parallel_loop_reduction_multiply_vector_loop.cpp"] = ARRAY,
    ["serial_copyout.F90"] = "T2 wants copyout to copy b while a data region with copyin holds it; nothing is copied",
    ["serial_loop_vector_blocking.F90"] = UNSET,
    ["serial_loop_worker_blocking.F90"] = UNSET,
  },
  gcc = {
    ["acc-on-device-2.c"] = ON_DEVICE,
    ["acc_get_property-host.c"] = "wants libgomp's own names of the host and of its vendor",
    ["acc_map_data-device_already-3.c"] =
      "wants device memory to be mapped twice, which libgomp should not do either (PR92888)",
    ["acc_on_device-1-1.f90"] = ON_DEVICE,
    ["acc_on_device-1-2.f"] = ON_DEVICE,
    ["acc_on_device-1-3.f"] = ON_DEVICE,
    ["acc_on_device-1.c"] = ON_DEVICE,
    ["acc_prof-kernels-1.c"] = LANES,
    ["acc_prof-valid_bytes-1.c"] = HOST_DATA,
    ["acc_set_cuda_stream-1.c"] = CUDA,
    ["async_queue-1.c"] = CUDA,
    ["declare-5.f90"] = "gcc 12 lists no common blocks for declare (PR92790)",
    ["firstprivate-1.c"] = PRIVATE,
    ["firstprivate-1.f90"] = PRIVATE,
    ["gang-reduction-var-assignment.c"] = "gcc 12 leaves out reductions of compute constructs on the host (PR88852)",
    ["if-1.c"] = "its last lines map device memory that it has freed",
    ["if-1.f90"] = ON_DEVICE,
    ["insufficient-resources.c"] = RESOURCES,
    ["lib-86.c"] = CUDA,
    ["lib-87.c"] = CUDA,
    ["lib-89.c"] = CUDA,
    ["lib-92.c"] = CUDA,
    ["loop-gwv-2.c"] = ONE_OF_EACH,
    ["no_create-5.c"] = "gcc 12 maps var again for the kernel, although a clause no_create(var) is visible",
    ["par-reduction-1.c"] = ONE_GANG,
    ["par-reduction-2-1.f"] = ONE_GANG,
    ["par-reduction-2-2.f"] = ONE_GANG,
    ["par-reduction-2.c"] = ONE_GANG,
    ["parallel-dims.c"] = LANES,
    ["parallel-dims.f90"] = LANES,
    ["parallel-reduction.c"] = ONE_GANG,
    ["parallel-reduction.f90"] = ONE_GANG,
    ["pr92848-1-d-a.c"] = PADDING,
    ["pr92848-1-d-p.c"] = PADDING,
    ["pr92848-1-r-a.c"] = PADDING,
    ["pr92848-1-r-p.c"] = PADDING,
    ["private-atomic-1-gang.c"] = ONE_GANG,
    ["routine-nohost-1.c"] = NOHOST,
    ["routine-nohost-1.f90"] = ON_DEVICE,
    ["routine-nohost-2.c"] = NOHOST,
    ["static-variable-1.c"] = ONE_OF_EACH,
    ["stop-1.f"] = STOP,
    ["stop-3.f"] = STOP,
    ["subset-subarray-mappings-1-d-a.c"] = PADDING,
    ["subset-subarray-mappings-1-d-p.c"] = PADDING,
    ["subset-subarray-mappings-1-r-a.c"] = PADDING,
    ["subset-subarray-mappings-1-r-p.c"] = PADDING,
    ["subset-subarray-mappings-2.c"] = PADDING,
    ["vector-length-64-2.c"] = RESOURCES,
  },
  ["openmp checks"] = expand_reasons {
    [BOTH] = [[
      4.5/target_enter_exit_data/test_target_enter_exit_data_if.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_module_array.F90
      4.5/target_teams_distribute_parallel_for/test_target_teams_distribute_parallel_for_devices.F90 ]],
    [DROPPED] = [[
      4.5/target_teams_distribute/test_target_teams_distribute_depend_array_section.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_disjoint_section.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_in_in.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_in_out.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_list.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_out_in.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_out_out.F90
      4.5/target_teams_distribute/test_target_teams_distribute_depend_unused_data.F90 ]],
    [KEPT] = [[
      5.0/target/test_target_defaultmap_none.c ]],
    [LEFT] = [[
      5.0/task/test_task_affinity_device.F90 5.0/task/test_task_affinity_device.c ]],
    [NO_VALUE] = [[
      4.5/target/test_target_map_module_array.F90 4.5/target/test_target_map_program_arrays.F90
      4.5/target/test_target_map_subroutines_arrays.F90 4.5/target_data/test_target_data_if.F90
      4.5/target_data/test_target_data_if.c 4.5/target_data/test_target_data_map.F90
      4.5/target_data/test_target_data_map_components_from.F90
      4.5/target_data/test_target_data_map_from_array_sections.F90
      4.5/target_teams_distribute/test_target_teams_distribute_default_firstprivate.F90
      4.5/target_teams_distribute/test_target_teams_distribute_default_none.c ]],
    [OLD_DEVICE] = [[
      4.5/target_enter_data/test_target_enter_data_components_alloc.F90 ]],
    [OLD_HOST] = [[
      4.5/target/test_target_map_module_array.F90 4.5/target/test_target_map_program_arrays.F90
      4.5/target/test_target_map_subroutines_arrays.F90 4.5/target_data/test_target_data_if.F90
      4.5/target_data/test_target_data_if.c 4.5/target_data/test_target_data_map.F90
      4.5/target_data/test_target_data_map_components_to.F90
      4.5/target_data/test_target_data_map_to_array_sections.F90 4.5/target_data/test_target_data_pointer_swap.c
      5.0/target/test_target_defaultmap_none.F90 5.0/target/test_target_defaultmap_none.c
      5.0/target/test_target_defaultmap_to_from_tofrom.F90 5.0/target/test_target_defaultmap_to_from_tofrom.c
      5.0/teams_loop/test_target_teams_loop_defaultmap.c ]],
    [PROBE] = [[
      4.5/application_kernels/declare_target_module.F90 4.5/application_kernels/declare_target_subroutine.F90
      4.5/target_enter_data/test_target_enter_data_allocate_array_alloc.F90
      4.5/target_enter_data/test_target_enter_data_components_to.F90
      4.5/target_enter_data/test_target_enter_data_devices.F90 4.5/target_enter_data/test_target_enter_data_if.F90
      4.5/target_enter_data/test_target_enter_data_if.c 4.5/target_enter_data/test_target_enter_data_module_array.F90
      4.5/target_enter_data/test_target_enter_data_set_default_device.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_allocate_array_alloc_delete.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_devices.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_if.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_module_array.F90
      4.5/target_enter_exit_data/test_target_enter_exit_data_set_default_device.F90
      4.5/target_teams_distribute/test_target_teams_distribute.F90
      4.5/target_teams_distribute/test_target_teams_distribute_defaultmap.F90
      4.5/target_teams_distribute/test_target_teams_distribute_dist_schedule.F90
      4.5/target_teams_distribute/test_target_teams_distribute_map.F90
      4.5/target_teams_distribute/test_target_teams_distribute_shared.F90 ]],
    [WAIT] = [[
      4.5/target_teams_distribute/test_target_teams_distribute_depend_disjoint_section.c
      4.5/target_teams_distribute/test_target_teams_distribute_depend_in_in.c ]],
  },
  ["openmp-clang checks"] = expand_reasons {
    [KEPT] = [[
      5.0/target/test_target_defaultmap_none.c ]],
    [LEFT] = [[
      5.0/task/test_task_affinity_device.c ]],
    [NO_VALUE] = [[
      4.5/target_data/test_target_data_if.c 4.5/target_teams_distribute/test_target_teams_distribute_default_none.c
      5.0/target_data/test_target_data_use_device_addr.c ]],
    [OLD_DEVICE] = [[
      5.0/target_update/test_target_update_mapper_to_discontiguous.c ]],
    [OLD_HOST] = [[
      4.5/target_data/test_target_data_if.c 4.5/target_data/test_target_data_pointer_swap.c
      4.5/target_enter_data/test_target_enter_data_if.c 5.0/target/test_target_defaultmap_none.c
      5.0/target/test_target_defaultmap_to_from_tofrom.c
      5.0/target_update/test_target_update_mapper_from_discontiguous.c
      5.0/teams_loop/test_target_teams_loop_defaultmap.c ]],
    [PROBE] = [[
      5.1/target/test_target_defaultmap_present_scalar.c ]],
    [UNSENT] = [[
      5.0/target_update/test_target_update_from_discontiguous.c
      5.0/target_update/test_target_update_to_discontiguous.c 5.1/target/test_target_defaultmap_present.c ]],
    [WAIT] = [[
      4.5/target_teams_distribute/test_target_teams_distribute_depend_disjoint_section.c
      4.5/target_teams_distribute/test_target_teams_distribute_depend_in_in.c ]],
  },
  ["llvm-clang checks"] = expand_reasons {
    [ALONE] = [[
      api/ompx_sync.c api/ompx_sync.cpp ]],
    [BOTH] = [[
      mapping/delete_inf_refcount.c ]],
    [FOLLOWS] = [[
      mapping/target_derefence_array_pointrs.cpp ]],
    [NO_VALUE] = [[
      mapping/present/target_update.c ]],
    [OLD_DEVICE] = [[
      offloading/host_as_target.c ]],
    [OLD_HOST] = [[
      mapping/declare_mapper_nested_default_mappers.cpp
      mapping/declare_mapper_nested_default_mappers_array_subscript.cpp
      mapping/declare_mapper_nested_default_mappers_ptr_subscript.cpp
      mapping/declare_mapper_nested_default_mappers_var.cpp mapping/declare_mapper_nested_mappers.cpp
      mapping/declare_mapper_target_update.cpp mapping/map_both_pointer_pointee.c mapping/ompx_hold/struct.c
      mapping/target_has_device_addr.c mapping/target_pointers_members_map.cpp ]],
    [TEAMS] = [[
      api/ompx_sync.c api/ompx_sync.cpp offloading/cuda_no_devices.c ]],
  },
  ["gcc-openmp checks"] = expand_reasons {
    [BEFORE] = [[
      pr66199-7.f90 pr66199-9.f90 ]],
    [BOTH] = [[
      nestedfn5.f90 refcount-1.c refcount-1.f90 struct-elem-4.c target-11.c target-27.c ]],
    [LEFT] = [[
      map-alloc-ptr-1.f90 use_device_ptr-optional-3.f90 ]],
    [OLD_DEVICE] = [[
      target-11.c target-link-1.c ]],
    [OLD_HOST] = [[
      examples-4/declare_target-2.C examples-4/device-1.c examples-4/device-1.f90 target-20.c
      target-allocatable-1-1.f90 target-allocatable-1-2.f90 target-enter-data-2.F90 target9.f90 ]],
    [PROBE] = [[
      target-15.C target-16.C target-17.C target-18.C target-19.C target-19.c target-24.c target-27.c target-29.c ]],
    [SAME] = [[
      target-33.c target-34.c ]],
    [UNSENT] = [[
      examples-4/async_target-2.f90 ]],
  },
  ["validation checks"] = expand_reasons {
    [BOTH] = [[
      acc_copyin.F90 acc_copyin.c acc_copyin.cpp acc_copyin_with_len.F90 acc_update_device.F90 acc_update_device.c
      acc_update_device.cpp acc_update_device_async.F90 acc_update_device_async.c acc_update_device_async.cpp
      acc_update_device_async_with_len.F90 acc_update_device_with_len.F90 enter_exit_data_if.c enter_exit_data_if.cpp
      kernels_copy.F90 kernels_copy.c kernels_copy.cpp kernels_copyin.F90 kernels_copyin.c kernels_copyin.cpp
      kernels_default_copy.F90 kernels_default_copy.c kernels_default_copy.cpp kernels_if.c kernels_if.cpp
      parallel_default_copy.F90 parallel_default_copy.c parallel_default_copy.cpp parallel_if.F90 parallel_if.c
      serial_default_copy.F90 serial_if.F90 serial_if.c serial_if.cpp ]],
    [CHANCE] = [[
      atomic_capture_assign_expr_minus_x.F90 atomic_capture_assign_expr_plus_x.F90
      atomic_capture_assign_x_minus_expr.F90 atomic_capture_assign_x_plus_expr.F90
      atomic_capture_expr_minus_x_assign.F90 atomic_capture_expr_plus_x_assign.F90
      atomic_capture_x_minus_expr_assign.F90 atomic_capture_x_plus_expr_assign.F90 atomic_expr_divided_x.F90
      atomic_expr_divided_x_end.F90 atomic_expr_minus_x.F90 atomic_expr_minus_x_end.F90
      atomic_update_expr_divided_x.F90 atomic_update_expr_divided_x_end.F90 atomic_update_expr_minus_x.F90
      atomic_update_expr_minus_x_end.F90 ]],
    [FOLLOWS] = [[
      kernel_implicit_data_attributes.c kernel_implicit_data_attributes.cpp kernels_loop_reduction_or_loop.c
      kernels_loop_reduction_or_loop.cpp serial_default_copy.c serial_default_copy.cpp ]],
    [LEFT] = [[
      acc_copyin.F90 acc_copyin_async.F90 acc_copyin_async_with_len.F90 acc_copyin_with_len.F90 acc_copyout.F90
      acc_update_device_with_len.F90 data_copyout_reference_counts.F90 enter_data_if.F90 exit_data.F90
      exit_data_copyout_reference_counts.F90 kernels_copy.F90 kernels_copyin.F90 kernels_copyout.F90
      kernels_create.F90 kernels_default_copy.F90 parallel_copyout.F90 parallel_default_copy.F90 parallel_if.F90
      serial_copyout.F90 serial_default_copy.F90 serial_if.F90 ]],
    [NO_SET] = [[
      set_default_async.c set_default_async.cpp ]],
    [NO_VALUE] = [[
      kernels_if.c kernels_if.cpp serial_loop_tile.F90 ]],
    [OLD_DEVICE] = [[
      acc_copyin_async.F90 ]],
    [OLD_HOST] = [[
      parallel_copyin.F90 parallel_copyin.c parallel_copyin.cpp serial_copyin.c serial_copyin.cpp wait_if.F90
      wait_if.c wait_if.cpp wait_if_devnum_false.cpp wait_if_queue_false.cpp ]],
    [PROBE] = [[
      acc_copyin.F90 acc_copyin.c acc_copyin.cpp acc_copyin_async.c acc_copyin_async.cpp acc_copyin_with_len.F90
      acc_copyout.F90 acc_create.c acc_create.cpp acc_create_async.c acc_create_async.cpp acc_delete_async.F90
      acc_delete_async.c acc_delete_async.cpp acc_delete_async_with_len.F90 acc_delete_finalize_async.c
      acc_delete_finalize_async.cpp acc_is_present.F90 acc_is_present.c acc_is_present.cpp acc_is_present_with_len.F90
      acc_update_device.F90 acc_update_device.c acc_update_device.cpp acc_update_device_async.F90
      acc_update_device_async.c acc_update_device_async.cpp acc_update_device_async_with_len.F90
      acc_update_device_with_len.F90 acc_update_self_async.F90 acc_update_self_async.c acc_update_self_async.cpp
      acc_update_self_async_with_len.F90 data_copyout_reference_counts.F90 data_copyout_reference_counts.c
      data_copyout_reference_counts.cpp enter_data_if.F90 enter_exit_data_if.c enter_exit_data_if.cpp exit_data.F90
      exit_data.c exit_data.cpp exit_data_copyout_reference_counts.F90 exit_data_copyout_reference_counts.c
      exit_data_copyout_reference_counts.cpp exit_data_delete_no_lower_bound.F90 exit_data_finalize.F90
      exit_data_finalize.c exit_data_finalize.cpp kernels_copy.F90 kernels_copy.c kernels_copy.cpp kernels_copyin.F90
      kernels_copyin.c kernels_copyin.cpp kernels_copyout.F90 kernels_copyout.c kernels_copyout.cpp kernels_create.F90
      kernels_create.c kernels_create.cpp kernels_default_copy.F90 kernels_default_copy.c kernels_default_copy.cpp
      kernels_if.c kernels_if.cpp parallel_copyout.F90 parallel_copyout.c parallel_copyout.cpp
      parallel_default_copy.F90 parallel_default_copy.c parallel_default_copy.cpp parallel_if.F90 parallel_if.c
      serial_copyin.F90 serial_copyout.F90 serial_copyout.c serial_copyout.cpp serial_default_copy.F90 serial_if.F90
      serial_if.c serial_if.cpp ]],
    [UNSENT] = [[
      acc_copyout_async.F90 acc_copyout_async_with_len.F90 ]],
    [WAIT] = [[
      acc_copyin_async.F90 acc_copyin_async.c acc_copyin_async.cpp acc_copyin_async_with_len.F90 acc_copyout_async.F90
      acc_copyout_async_with_len.F90 acc_create_async.c acc_create_async.cpp acc_delete_async.F90 acc_delete_async.c
      acc_delete_async.cpp acc_delete_async_with_len.F90 acc_delete_finalize_async.cpp acc_memcpy_from_device_async.c
      acc_memcpy_from_device_async.cpp acc_memcpy_to_device_async.c acc_memcpy_to_device_async.cpp
      acc_update_self_async.F90 kernels_async.F90 kernels_async.c kernels_async.cpp parallel_async.F90
      serial_loop_async.F90 wait_if.F90 wait_if.c wait_if.cpp ]],
  },
  ["gcc checks"] = expand_reasons {
    [BOTH] = [[
      clauses-1.f90 data-1.c data-1.f90 data-5.f90 data-firstprivate-1.c declare-vla.c host_data-6.c lib-12.c
      lib-15.f90 lib-16-2.f90 lib-16.f90 lib-19.c lib-32-1.f lib-32-2.f lib-32.c lib-37.c lib-45.c lib-46.c lib-49.c
      lib-88.c lib-94.c lib-95.c struct-1.c update-1.c update-1.f90 update-2.f90 ]],
    [DECLARED] = [[
      pr92843-1.c ]],
    [LEFT] = [[
      kernels-loop-data-enter-exit-2.c kernels-loop-data-update.c lib-33.c ]],
    [NO_VALUE] = [[
      data-5.f90 lib-19.c ]],
    [OLD_DEVICE] = [[
      acc_prof-parallel-1.c clauses-1.c clauses-1.f90 nested-1.c struct-1.c update-1.c update-1.f90 ]],
    [OLD_HOST] = [[
      data-5.f90 data-clauses-kernels-ipa-pta.c data-clauses-kernels.c data-clauses-parallel-ipa-pta.c
      data-clauses-parallel.c data-firstprivate-1.c declare-1.f90 dynamic-pointer-1.f90 lib-32-1.f
      lib-32-2.f lib-32.c ]],
    [OUTSIDE] = [[
      pr83920.c ]],
    [WAIT] = [[
      data-2-lib.c data-2.c data-3.c deep-copy-10.c lib-13.f90 ]],
  },
  ["openmp-clang 14"] = expand_reasons {
    [CLANG_14] = [[
      4.5/target_teams_distribute/test_target_teams_distribute_depend_array_section.c
      4.5/target_teams_distribute/test_target_teams_distribute_depend_disjoint_section.c
      4.5/target_teams_distribute/test_target_teams_distribute_depend_in_in.c
      4.5/target_teams_distribute/test_target_teams_distribute_depend_unused_data.c
      4.5/target_teams_distribute/test_target_teams_distribute_nowait.c
      4.5/target_teams_distribute_parallel_for/test_target_teams_distribute_parallel_for_if_no_modifier.c
      4.5/target_teams_distribute_parallel_for/test_target_teams_distribute_parallel_for_if_parallel_modifier.c
      5.0/loop/test_loop_bind_device.c 5.0/loop/test_loop_nested_device.c 5.0/loop/test_loop_reduction_add_device.c
      5.0/loop/test_loop_reduction_subtract_device.c 5.0/requires/test_requires_unified_address.c
      5.0/target/test_target_depend_lvalue_ptr.cpp 5.0/target/test_target_uses_allocators_high_bw.c
      5.0/target/test_target_uses_allocators_large_cap.c 5.0/target_loop/test_target_loop_teams_distribute.cpp
      5.0/target_parallel_loop/test_target_parallel_loop_bind.c
      5.0/target_parallel_loop/test_target_parallel_loop_collapse.c
      5.0/target_parallel_loop/test_target_parallel_loop_lastprivate.c
      5.0/target_parallel_loop/test_target_parallel_loop_reduction.c
      5.0/teams_loop/test_target_teams_loop_defaultmap.c 5.0/teams_loop/test_target_teams_loop_is_device_ptr.c
      5.0/teams_loop/test_target_teams_loop_nowait.c 5.0/teams_loop/test_target_teams_loop_reduction.c
      5.1/target/test_target_has_device_addr.c 5.2/unified_shared_mem/test_target_VirDestr.cpp ]],
  },
}
