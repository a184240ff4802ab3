/* table.c - the table of the routines of OpenACC and OpenMP, and helps for their errors. */
#include "inside.h"

#include <assert.h>
#include <stdbool.h>
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

/* Returns the rule that errors of a routine cite; R_NONE: errors of the core keep their own. */
enum accd__rule accd__get_routine_rule(accd__routine routine)
{
    static const uint8_t rules[ACCD__ROUTINE_COUNT] = {
        [ACCD__ROUTINE_MALLOC] = R_DEVICE_MEMORY,
        [ACCD__ROUTINE_FREE] = R_DEVICE_MEMORY,
        [ACCD__ROUTINE_MEMCPY_TO_DEVICE] = R_MEMCPY,
        [ACCD__ROUTINE_MEMCPY_FROM_DEVICE] = R_MEMCPY,
        [ACCD__ROUTINE_MEMCPY_DEVICE] = R_MEMCPY,
        [ACCD__ROUTINE_MEMCPY_D2D] = R_MEMCPY,
        [ACCD__ROUTINE_OMP_ALLOC] = R_OMP_ALLOC,
        [ACCD__ROUTINE_OMP_FREE] = R_OMP_FREE,
        [ACCD__ROUTINE_OMP_IS_ACCESSIBLE] = R_OMP_ACCESSIBLE,
        [ACCD__ROUTINE_OMP_MEMCPY] = R_OMP_MEMCPY,
        [ACCD__ROUTINE_OMP_MEMCPY_RECT] = R_OMP_MEMCPY_RECT,
        [ACCD__ROUTINE_OMP_MEMSET] = R_OMP_MEMSET,
        [ACCD__ROUTINE_OMP_ASSOCIATE_PTR] = R_OMP_ASSOCIATE,
        [ACCD__ROUTINE_OMP_DISASSOCIATE_PTR] = R_OMP_DISASSOCIATE,
    };
    assert(routine < ACCD__ROUTINE_COUNT);
    return (enum accd__rule)rules[routine];
}

/* Returns the id of the rule that errors of a routine cite; NULL: they have rules of their own. */
const char *accd__get_routine_rule_id(accd__routine routine)
{
    const enum accd__rule rule = accd__get_routine_rule(routine);
    return rule == R_NONE ? NULL : accd_get_rule_id((unsigned)rule - 1, 0);
}

/* Returns the routine of this name, or of this older or _async name; ACCD__ROUTINE_COUNT: there is none. */
accd__routine accd__find_routine(const char *name)
{
    static const char async[] = "_async";
    const size_t length = strlen(name), suffix = sizeof async - 1;
    const bool is_async = length > suffix && !strcmp(name + length - suffix, async);
    for (int i = 0; i < ACCD__ROUTINE_COUNT; i++) {
        const accd__routine_info *routine = accd__get_routine((accd__routine)i);
        for (const char *word = routine->names; *word; word += strspn(word, " ")) {
            const size_t n = strcspn(word, " ");
            const bool has_async = is_async && routine->flags & ACCD__ROUTINE_ASYNC && word == routine->names;
            if (!strncmp(word, name, n) && (n == length || (has_async && n + suffix == length)))
                return (accd__routine)i;
            word += n;
        }
    }
    return ACCD__ROUTINE_COUNT;
}

/* Returns the help for an error of a routine; NULL: none of its own. */
const char *accd__get_routine_help(const char *name, accd_status status)
{
    static const struct {
        accd__routine routine;
        accd_status status;
        const char *help;
    } helps[] = {
        {ACCD__ROUTINE_MAP_DATA, ACCD_ERROR_ALREADY_PRESENT,
         "unmap the data that are present there first: exit data, or acc_unmap_data"},
        {ACCD__ROUTINE_MAP_DATA, ACCD_ERROR_OUT_OF_BOUNDS, "map memory of acc_malloc, and no more than it has"},
        {ACCD__ROUTINE_MAP_DATA, ACCD_ERROR_NULL_POINTER, "allocate both first: acc_malloc may return null"},
        {ACCD__ROUTINE_UNMAP_DATA, ACCD_ERROR_NOT_PRESENT,
         "unmap what acc_map_data has mapped, by its first address; other data: exit data"},
        {ACCD__ROUTINE_UNMAP_DATA, ACCD_ERROR_ALREADY_PRESENT, "end the regions that use the data before"},
        {ACCD__ROUTINE_FREE, ACCD_ERROR_ALREADY_PRESENT, "unmap the data first: acc_unmap_data, or exit data"},
        {ACCD__ROUTINE_FREE, ACCD_ERROR_OUT_OF_BOUNDS, "free what acc_malloc has returned, once"},
        {ACCD__ROUTINE_FREE, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "free what acc_malloc has returned, on the same device"},
        {ACCD__ROUTINE_OMP_FREE, ACCD_ERROR_ALREADY_PRESENT, "unmap the data first: omp_target_disassociate_ptr"},
        {ACCD__ROUTINE_OMP_FREE, ACCD_ERROR_OUT_OF_BOUNDS, "free what omp_target_alloc has returned, once"},
        {ACCD__ROUTINE_OMP_FREE, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "free what omp_target_alloc has returned, on the same device"},
        {ACCD__ROUTINE_OMP_FREE, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "free what omp_target_alloc has returned, on the same device"},
        {ACCD__ROUTINE_MEMCPY_TO_DEVICE, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "the first argument is an address in device memory: of acc_malloc, or acc_deviceptr"},
        {ACCD__ROUTINE_MEMCPY_TO_DEVICE, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "from device memory to device memory copy with acc_memcpy_device"},
        {ACCD__ROUTINE_MEMCPY_FROM_DEVICE, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "the second argument is an address in device memory: of acc_malloc, or acc_deviceptr"},
        {ACCD__ROUTINE_MEMCPY_FROM_DEVICE, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "from device memory to device memory copy with acc_memcpy_device"},
        {ACCD__ROUTINE_MEMCPY_DEVICE, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "both are addresses in memory of the current device: of acc_malloc, or acc_deviceptr"},
        {ACCD__ROUTINE_OMP_MEMCPY, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "give the number of the device that has the memory"},
        {ACCD__ROUTINE_OMP_MEMCPY, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "give the number of the device that has the memory"},
        {ACCD__ROUTINE_OMP_MEMSET, ACCD_ERROR_HOST_POINTER_ON_DEVICE,
         "give the number of the device that has the memory"},
        {ACCD__ROUTINE_OMP_MEMSET, ACCD_ERROR_DEVICE_POINTER_ON_HOST,
         "give the number of the device that has the memory"},
    };
    const accd__routine routine = accd__find_routine(name);
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; i++)
        if (helps[i].routine == routine && helps[i].status == status)
            return helps[i].help;
    return NULL;
}
