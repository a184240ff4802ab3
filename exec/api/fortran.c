/* fortran.c - the acc_* routines under the names that gfortran's module openacc calls. Arrays are passed as contiguous
 * descriptors; lengths, types and queues by reference. The work is done by the functions of routines.h, which also
 * serve the C names (openacc.c). */
#include "lib/descriptor.h"
#include "rt/spans.h"
#include "trace/prof.h"
#include "routines.h"

#include <assert.h>
#include <string.h>

/* Returns the size in bytes of an array, which is contiguous; 0 if an extent is not positive. */
static size_t get_array_bytes(const struct rt_gfortran_descriptor *array)
{
    size_t bytes = array->element;
    assert(array->rank >= 0);
    for (int i = 0; i < array->rank; i++) {
        ptrdiff_t extent = array->dim[i].upper - array->dim[i].lower + 1;
        bytes *= extent > 0 ? (size_t)extent : 0;
    }
    return bytes;
}

/* Returns the address of the site (struct rt_site) of the program's call of the routine that uses this macro; name: the
 * routine's name in reports. */
#define HERE(name) ((const struct rt_site[]){rt_caller_site(name)})

/* Define the three names of a data routine: for an array, for an address with a 32-bit length, and for one with a
 * 64-bit length. DATA_ASYNC: the routine has a queue, too. */
#define DATA(name, kind, action, finalize)                                                                            \
    void name##_array_h_(const struct rt_gfortran_descriptor *array);                                                 \
    void name##_array_h_(const struct rt_gfortran_descriptor *array)                                                  \
    {                                                                                                                 \
        rt_run_data_routine(HERE(#name), kind, action, array->data, get_array_bytes(array), finalize, RT_ASYNC_SYNC); \
    }                                                                                                                 \
    void name##_32_h_(void *host, const int32_t *bytes);                                                              \
    void name##_32_h_(void *host, const int32_t *bytes)                                                               \
    {                                                                                                                 \
        rt_run_data_routine(HERE(#name), kind, action, host, (size_t)*bytes, finalize, RT_ASYNC_SYNC);                \
    }                                                                                                                 \
    void name##_64_h_(void *host, const int64_t *bytes);                                                              \
    void name##_64_h_(void *host, const int64_t *bytes)                                                               \
    {                                                                                                                 \
        rt_run_data_routine(HERE(#name), kind, action, host, (size_t)*bytes, finalize, RT_ASYNC_SYNC);                \
    }
#define DATA_ASYNC(name, kind, action)                                                                               \
    void name##_async_array_h_(const struct rt_gfortran_descriptor *array, const int *queue);                        \
    void name##_async_array_h_(const struct rt_gfortran_descriptor *array, const int *queue)                         \
    {                                                                                                                \
        rt_run_data_routine(HERE(#name "_async"), kind, action, array->data, get_array_bytes(array), false, *queue); \
    }                                                                                                                \
    void name##_async_32_h_(void *host, const int32_t *bytes, const int *queue);                                     \
    void name##_async_32_h_(void *host, const int32_t *bytes, const int *queue)                                      \
    {                                                                                                                \
        rt_run_data_routine(HERE(#name "_async"), kind, action, host, (size_t)*bytes, false, *queue);                \
    }                                                                                                                \
    void name##_async_64_h_(void *host, const int64_t *bytes, const int *queue);                                     \
    void name##_async_64_h_(void *host, const int64_t *bytes, const int *queue)                                      \
    {                                                                                                                \
        rt_run_data_routine(HERE(#name "_async"), kind, action, host, (size_t)*bytes, false, *queue);                \
    }

DATA(acc_copyin, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, false)
DATA(acc_present_or_copyin, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, false)
DATA(acc_create, ACCD_KIND_ENTER_DATA, ACCD_ACTION_CREATE, false)
DATA(acc_present_or_create, ACCD_KIND_ENTER_DATA, ACCD_ACTION_CREATE, false)
DATA(acc_copyout, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT, false)
DATA(acc_copyout_finalize, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT, true)
DATA(acc_delete, ACCD_KIND_EXIT_DATA, ACCD_ACTION_DELETE, false)
DATA(acc_delete_finalize, ACCD_KIND_EXIT_DATA, ACCD_ACTION_DELETE, true)
DATA(acc_update_device, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, false)
DATA(acc_update_self, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_SELF, false)
DATA_ASYNC(acc_copyin, ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN)
DATA_ASYNC(acc_create, ACCD_KIND_ENTER_DATA, ACCD_ACTION_CREATE)
DATA_ASYNC(acc_copyout, ACCD_KIND_EXIT_DATA, ACCD_ACTION_COPYOUT)
DATA_ASYNC(acc_delete, ACCD_KIND_EXIT_DATA, ACCD_ACTION_DELETE)
DATA_ASYNC(acc_update_device, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE)
DATA_ASYNC(acc_update_self, ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_SELF)

#define ROUTINES(X)                                                                                      \
    X(int, acc_is_present_array_h_, (const struct rt_gfortran_descriptor *array))                        \
    X(int, acc_is_present_32_h_, (void *host, const int32_t *bytes))                                     \
    X(int, acc_is_present_64_h_, (void *host, const int64_t *bytes))                                     \
    X(int, acc_get_num_devices_h_, (const int *type))                                                    \
    X(void, acc_set_device_type_h_, (const int *type))                                                   \
    X(int, acc_get_device_type_h_, (void))                                                               \
    X(void, acc_set_device_num_h_, (const int *number, const int *type))                                 \
    X(int, acc_get_device_num_h_, (const int *type))                                                     \
    X(int64_t, acc_get_property_h_, (int number, int type, int property))                                \
    X(void, acc_get_property_string_h_, (int number, int type, int property, char *to, size_t capacity)) \
    X(void, acc_init_h_, (const int *type))                                                              \
    X(void, acc_shutdown_h_, (const int *type))                                                          \
    X(int, acc_on_device_h_, (const int *type))                                                          \
    X(int, acc_async_test_h_, (const int *queue))                                                        \
    X(int, acc_async_test_all_h_, (void))                                                                \
    X(void, acc_wait_h_, (const int *queue))                                                             \
    X(void, acc_wait_async_h_, (const int *queue, const int *other))                                     \
    X(void, acc_wait_all_h_, (void))                                                                     \
    X(void, acc_wait_all_async_h_, (const int *queue))
#define DECLARE(type, name, parameters) type name parameters;
ROUTINES(DECLARE)

/* Returns 1 if all of the array is present on the thread's device, or if the host is this device; otherwise 0. */
int acc_is_present_array_h_(const struct rt_gfortran_descriptor *array)
{
    return rt_is_present(HERE("acc_is_present"), array->data, get_array_bytes(array));
}
int acc_is_present_32_h_(void *host, const int32_t *bytes) /* the same, for an address and a 32-bit length */
{
    return rt_is_present(HERE("acc_is_present"), host, (size_t)*bytes);
}
int acc_is_present_64_h_(void *host, const int64_t *bytes) /* the same, for an address and a 64-bit length */
{
    return rt_is_present(HERE("acc_is_present"), host, (size_t)*bytes);
}

/* Returns the number of devices of a type; 0 if the type does not exist. */
int acc_get_num_devices_h_(const int *type)
{
    return rt_get_num_devices(*type);
}
void acc_set_device_type_h_(const int *type) /* sets the thread's device type */
{
    rt_set_device_type(HERE("acc_set_device_type"), *type);
}
int acc_get_device_type_h_(void) /* returns the thread's device type */
{
    return rt_get_device_type();
}
void acc_set_device_num_h_(const int *number, const int *type) /* sets the thread's device number and type */
{
    rt_set_device_num(HERE("acc_set_device_num"), *number, *type);
}
int acc_get_device_num_h_(const int *type) /* returns the thread's device number; 0 if it has another type */
{
    return rt_get_device_num(HERE("acc_get_device_num"), *type);
}
/* Returns a property of a device as a number; 0 if the property is not known. */
int64_t acc_get_property_h_(int number, int type, int property)
{
    return (int64_t)rt_get_property(HERE("acc_get_property"), number, type, property);
}
/* Writes a property of a device to the `capacity` characters at `to`, padded with blanks; a longer text is cut off. */
void acc_get_property_string_h_(int number, int type, int property, char *to, size_t capacity)
{
    const char *text = rt_get_property_string(HERE("acc_get_property_string"), number, type, property);
    size_t length = text ? strlen(text) : 0;
    memset(to, ' ', capacity);
    memcpy(to, text ? text : "", length < capacity ? length : capacity);
}
/* Sets the thread's device type, and starts the device. */
void acc_init_h_(const int *type)
{
    rt_init_device(HERE("acc_init"), *type);
}
void acc_shutdown_h_(const int *type) /* ends all data on devices of this type */
{
    rt_shutdown_device(HERE("acc_shutdown"), *type);
}
int acc_on_device_h_(const int *type) /* returns 1 if the caller runs on a device of this type, otherwise 0 */
{
    return rt_is_on_device_type(*type);
}

/* Returns 1, because the work of `queue` is always complete. */
int acc_async_test_h_(const int *queue)
{
    return rt_test_queue(HERE("acc_async_test"), *queue);
}
int acc_async_test_all_h_(void) /* returns 1, because the work of all queues is always complete */
{
    return rt_test_queue(HERE("acc_async_test_all"), RT_ASYNC_NOVAL);
}
/* Records that the host waits for `queue`. */
void acc_wait_h_(const int *queue)
{
    rt_host_wait(HERE("acc_wait"), RT_PARENT_ROUTINE, *queue);
}
void acc_wait_async_h_(const int *queue, const int *other) /* records that `other` waits for `queue` */
{
    rt_observe_wait(HERE("acc_wait_async"), *other, *queue);
}
void acc_wait_all_h_(void) /* records that the host waits for all queues */
{
    rt_host_wait(HERE("acc_wait_all"), RT_PARENT_ROUTINE, RT_ASYNC_NOVAL);
}
void acc_wait_all_async_h_(const int *queue) /* records that `queue` waits for all queues */
{
    rt_observe_wait(HERE("acc_wait_all_async"), *queue, RT_ASYNC_NOVAL);
}
