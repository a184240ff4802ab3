/* table.c - the table of the routines of OpenACC and OpenMP, and helps for their errors. */
#include "accdeep_routines.h"

#include <assert.h>
#include <string.h>

/* Returns the description of a routine. */
const accd__routine_info *accd__get_routine(accd__routine routine)
{
    static const accd__routine_info routines[ACCD__ROUTINE_COUNT] = {
#define ACCD_X(name, names, flags, signature, kind, action, finalize) \
    {names, signature, flags, ACCD_KIND_##kind, ACCD_ACTION_##action, finalize},
        ACCD__CONSTRUCT_ROUTINE_MAP(ACCD_X)
#undef ACCD_X
#define ACCD_X(name, names, flags, signature) {names, signature, flags, 0, 0, 0},
            ACCD__OTHER_ROUTINE_MAP(ACCD_X)
#undef ACCD_X
    };
    assert(routine < ACCD__ROUTINE_COUNT);
    return &routines[routine];
}

/* Returns the help for an error of a routine; NULL: none of its own. */
const char *accd__get_routine_help(const char *name, accd_status status)
{
    static const struct {
        const char *routine;
        accd_status status;
        const char *help;
    } helps[] = {
        {"acc_map_data", ACCD_ERROR_ALREADY_PRESENT,
         "unmap the data that are present there first: exit data, or acc_unmap_data"},
        {"acc_map_data", ACCD_ERROR_OUT_OF_BOUNDS, "map memory of acc_malloc, and no more than it has"},
        {"acc_map_data", ACCD_ERROR_NULL_POINTER, "allocate both first: acc_malloc may return null"},
        {"acc_unmap_data", ACCD_ERROR_NOT_PRESENT,
         "unmap what acc_map_data has mapped, by its first address; other data: exit data"},
        {"acc_unmap_data", ACCD_ERROR_ALREADY_PRESENT, "end the regions that use the data before"},
        {"acc_free", ACCD_ERROR_ALREADY_PRESENT, "unmap the data first: acc_unmap_data, or exit data"},
        {"acc_free", ACCD_ERROR_OUT_OF_BOUNDS, "free what acc_malloc has returned, once"},
        {"acc_free", ACCD_ERROR_HOST_POINTER_ON_DEVICE, "free what acc_malloc has returned, on the same device"},
        {"omp_target_free", ACCD_ERROR_ALREADY_PRESENT, "unmap the data first: omp_target_disassociate_ptr"},
        {"omp_target_free", ACCD_ERROR_OUT_OF_BOUNDS, "free what omp_target_alloc has returned, once"},
        {"omp_target_free", ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "free what omp_target_alloc has returned, on the same device"},
        {"omp_target_free", ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "free what omp_target_alloc has returned, on the same device"},
        {"acc_memcpy_to_device", ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "the first argument is an address in device memory: of acc_malloc, or acc_deviceptr"},
        {"acc_memcpy_to_device", ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "from device memory to device memory copy with acc_memcpy_device"},
        {"acc_memcpy_from_device", ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "the second argument is an address in device memory: of acc_malloc, or acc_deviceptr"},
        {"acc_memcpy_from_device", ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "from device memory to device memory copy with acc_memcpy_device"},
        {"acc_memcpy_device", ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "both are addresses in memory of the current device: of acc_malloc, or acc_deviceptr"},
        {"omp_target_memcpy", ACCD_ERROR_HOST_POINTER_ON_DEVICE, "give the number of the device that has the memory"},
        {"omp_target_memcpy", ACCD_ERROR_DEVICE_POINTER_ON_HOST, "give the number of the device that has the memory"},
        {"omp_target_memset", ACCD_ERROR_HOST_POINTER_ON_DEVICE, "give the number of the device that has the memory"},
        {"omp_target_memset", ACCD_ERROR_DEVICE_POINTER_ON_HOST, "give the number of the device that has the memory"},
    };
    const size_t length = strlen(name), suffix = strlen("_async");
    const size_t n = length > suffix && !strcmp(name + length - suffix, "_async") ? length - suffix : length;
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++)
        if (helps[i].status == status && !strncmp(helps[i].routine, name, n) && !helps[i].routine[n])
            return helps[i].help;
    return NULL;
}
