/* Routines: decisions that scenarios cannot see, because only runtimes of real programs make such calls. They have the
 * host as the current device, other numbers of invalid devices, and copies in pieces. */
#include "accdeep_routines.h"
#include "support.h"

static char data[64];

static accd_context *open_context(const char *rules)
{
    accd_context_config config;
    accd_context *context = NULL;
    accd_context_config_init(&config);
    config.devices = 2;
    config.rules = accd_find_rules(rules);
    is_status(accd_context_new(&context, &config), ACCD_OK, "%s", rules);
    return context;
}

/* Decides and performs a call; *step_p is its step. Returns the status. */
static accd_status run(accd_context *context, accd__routine_call call, accd__routine_step *step_p)
{
    accd_status status = accd__decide_routine(context, &call, step_p);
    return status == ACCD_OK ? accd__perform_routine(context, &call, step_p) : status;
}

#define RUN(context, step, name, ...) \
    run(context, (accd__routine_call){.routine = ACCD__ROUTINE_##name, .devices = 2, __VA_ARGS__}, step)

static void has_table(void)
{
    const accd__routine_info *copyout = accd__get_routine(ACCD__ROUTINE_COPYOUT_FINALIZE);
    ok(!strcmp(copyout->names, "acc_copyout_finalize") && copyout->kind == ACCD_KIND_EXIT_DATA &&
           copyout->action == ACCD_ACTION_COPYOUT && copyout->finalize,
       "a routine that runs a construct");
    ok(accd__routine_runs_construct(ACCD__ROUTINE_DETACH_FINALIZE) &&
           !accd__routine_runs_construct(ACCD__ROUTINE_IS_PRESENT),
       "constructs come first");
    ok(accd__get_routine_help("acc_memcpy_to_device_async", ACCD_ERROR_DEVICE_POINTER_ON_HOST) &&
           !accd__get_routine_help("acc_memcpy", ACCD_ERROR_DEVICE_POINTER_ON_HOST) &&
           !accd__get_routine_help("acc_free_all", ACCD_ERROR_OUT_OF_BOUNDS),
       "helps of whole names");
}

static void shares_memory_of_the_host(void)
{
    accd_context *context = open_context("openacc-3.3");
    accd__routine_step step;
    is_status(RUN(context, &step, IS_PRESENT, .current = -1, .address = (uintptr_t)data, .bytes = 8), ACCD_OK, "query");
    ok(step.result == 1, "all is present on the host");
    is_status(RUN(context, &step, DEVICEPTR, .current = -1, .address = (uintptr_t)data), ACCD_OK, "acc_deviceptr");
    ok(step.result == (uintptr_t)data, "at its own address");
    is_status(RUN(context, &step, MAP_DATA, .current = -1, .address = (uintptr_t)data, .from = 8, .bytes = 8),
              ACCD_ERROR_MISUSE, "acc_map_data");
    is_status(RUN(context, &step, UNMAP_DATA, .current = -1, .address = (uintptr_t)data), ACCD_OK, "acc_unmap_data");
    is_status(RUN(context, &step, UNMAP_DATA, .current = -1), ACCD_ERROR_NULL_POINTER, "of null");
    const accd__routine_call call = {.routine = ACCD__ROUTINE_MALLOC, .current = -1, .bytes = 8};
    is_status(accd__decide_routine(context, &call, &step), ACCD_OK, "acc_malloc");
    ok(step.operation == ACCD__DO_ALLOCATE && step.device == -1, "allocates memory of the host");
    accd_context_free(context);
}

static void resolves_numbers(void)
{
    accd_context *context = open_context("openmp-5.1");
    accd__routine_step step;
    is_status(RUN(context, &step, OMP_ALLOC, .bytes = 8, .device = -4, .invalid = -4), ACCD_ERROR_NO_DEVICE,
              "libgomp's invalid device");
    is_status(RUN(context, &step, OMP_ALLOC, .bytes = 8, .device = -2, .invalid = -2), ACCD_ERROR_NO_DEVICE,
              "libomp's");
    is_status(RUN(context, &step, OMP_ALLOC, .bytes = 8, .device = -2, .invalid = -4), ACCD_OK, "another number");
    ok(step.result == 0, "has no memory");
    is_status(RUN(context, &step, OMP_ALLOC, .bytes = 8, .device = ACCD__OMP_DEFAULT_DEVICE, .usual = 1, .invalid = -4),
              ACCD_OK, "the default device");
    ok(accd_device_at(context, step.result) == 1, "is device 1");
    is_status(RUN(context, &step, OMP_FREE, .address = step.result, .device = 0, .invalid = -4),
              ACCD_ERROR_HOST_POINTER_ON_DEVICE, "freed elsewhere");
    accd_context_free(context);
}

static accd_status count_piece(void *ud, const accd__piece *piece)
{
    uint64_t *bytes = ud;
    bytes[0]++;
    bytes[1] += piece->bytes;
    return bytes[0] < 3 ? ACCD_OK : ACCD_ERROR_DEVICE;
}

static void copies_in_pieces(void)
{
    accd__routine_step step;
    const size_t volume[] = {2, 3}, offsets[] = {1, 2}, dimensions[] = {4, 8};
    const accd__routine_box box = {1, 2, volume, offsets, offsets, dimensions, dimensions};
    accd_context *context = open_context("openmp-5.1");
    char to[32] = {0};
    for (int i = 0; i < 32; i++)
        data[i] = (char)i;
    is_status(RUN(context, &step, OMP_MEMCPY_RECT, .address = (uintptr_t)to, .from = (uintptr_t)data, .device = 2,
                  .from_device = -1, .invalid = -4, .box = &box),
              ACCD_OK, "a box on the host");
    ok(step.bytes == 6 && to[10] == 10 && to[12] == 12 && to[18] == 18 && to[20] == 20 && !to[13] && !to[9],
       "two rows of three bytes");
    accd__routine_call call = {
        .routine = ACCD__ROUTINE_OMP_MEMSET, .devices = 2, .invalid = -4, .address = (uintptr_t)data, .bytes = 10000};
    call.device = 2;
    is_status(accd__decide_routine(context, &call, &step), ACCD_OK, "memory to fill");
    uint64_t pieces[2] = {0};
    is_status(accd__for_each_piece(&call, &step, count_piece, pieces), ACCD_ERROR_DEVICE, "the third piece fails");
    ok(pieces[0] == 3 && pieces[1] == 10000, "three pieces make up the memory");
    accd_context_free(context);
}

int main(void)
{
    has_table();
    shares_memory_of_the_host();
    resolves_numbers();
    copies_in_pieces();
    return done();
}
