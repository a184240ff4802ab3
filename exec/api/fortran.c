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

/* Define the three names of a data routine (ACCD__ROUTINE_routine): for an array, for an address with a 32-bit length,
 * and for one with a 64-bit length. site_name: its name in reports. QUEUE: a further parameter, or nothing; queue: its
 * value. */
#define DATA_NAMES(name, site_name, QUEUE, routine, queue)                                                       \
    RT_ROUTINE(void, name##_array_h_, (const struct rt_gfortran_descriptor *array QUEUE),                        \
               (void)rt_run_data_routine(HERE(site_name), ACCD__ROUTINE_##routine, array->data,                  \
                                         get_array_bytes(array), queue))                                         \
    RT_ROUTINE(void, name##_32_h_, (void *host, const int32_t *bytes QUEUE),                                     \
               (void)rt_run_data_routine(HERE(site_name), ACCD__ROUTINE_##routine, host, (size_t)*bytes, queue)) \
    RT_ROUTINE(void, name##_64_h_, (void *host, const int64_t *bytes QUEUE),                                     \
               (void)rt_run_data_routine(HERE(site_name), ACCD__ROUTINE_##routine, host, (size_t)*bytes, queue))
#define NO_QUEUE
#define QUEUE , const int *queue
#define DATA(name, routine) DATA_NAMES(name, #name, NO_QUEUE, routine, RT_ASYNC_SYNC)
#define DATA_ASYNC(name, routine) DATA_NAMES(name##_async, #name "_async", QUEUE, routine, *queue)

DATA(acc_copyin, COPYIN)
DATA(acc_present_or_copyin, COPYIN)
DATA(acc_create, CREATE)
DATA(acc_present_or_create, CREATE)
DATA(acc_copyout, COPYOUT)
DATA(acc_copyout_finalize, COPYOUT_FINALIZE)
DATA(acc_delete, DELETE)
DATA(acc_delete_finalize, DELETE_FINALIZE)
DATA(acc_update_device, UPDATE_DEVICE)
DATA(acc_update_self, UPDATE_SELF)
DATA_ASYNC(acc_copyin, COPYIN)
DATA_ASYNC(acc_create, CREATE)
DATA_ASYNC(acc_copyout, COPYOUT)
DATA_ASYNC(acc_delete, DELETE)
DATA_ASYNC(acc_update_device, UPDATE_DEVICE)
DATA_ASYNC(acc_update_self, UPDATE_SELF)

/* Return 1 if all of an array, or all bytes at an address, are present on the thread's device, or if the host is this
 * device; otherwise 0. */
RT_ROUTINE(int, acc_is_present_array_h_, (const struct rt_gfortran_descriptor *array),
           rt_is_present(HERE("acc_is_present"), array->data, get_array_bytes(array)))
RT_ROUTINE(int, acc_is_present_32_h_, (void *host, const int32_t *bytes),
           rt_is_present(HERE("acc_is_present"), host, (size_t)*bytes))
RT_ROUTINE(int, acc_is_present_64_h_, (void *host, const int64_t *bytes),
           rt_is_present(HERE("acc_is_present"), host, (size_t)*bytes))

/* Routines for devices; routines.h says what each does. */
RT_ROUTINE(int, acc_get_num_devices_h_, (const int *type), rt_get_num_devices(*type))
RT_ROUTINE(void, acc_set_device_type_h_, (const int *type), rt_set_device_type(HERE("acc_set_device_type"), *type))
RT_ROUTINE(int, acc_get_device_type_h_, (void), rt_get_device_type())
RT_ROUTINE(void, acc_set_device_num_h_, (const int *number, const int *type),
           rt_set_device_num(HERE("acc_set_device_num"), *number, *type))
RT_ROUTINE(int, acc_get_device_num_h_, (const int *type), rt_get_device_num(HERE("acc_get_device_num"), *type))
RT_ROUTINE(int64_t, acc_get_property_h_, (int number, int type, int property),
           (int64_t)rt_get_property(HERE("acc_get_property"), number, type, property))
RT_ROUTINE(void, acc_init_h_, (const int *type), rt_init_device(HERE("acc_init"), *type))
RT_ROUTINE(void, acc_shutdown_h_, (const int *type), rt_shutdown_device(HERE("acc_shutdown"), *type))
RT_ROUTINE(int, acc_on_device_h_, (const int *type), rt_is_on_device_type(*type))

/* Writes a property of a device to the `capacity` characters at `to`, padded with blanks; a longer text is cut off. */
void acc_get_property_string_h_(int number, int type, int property, char *to, size_t capacity);
void acc_get_property_string_h_(int number, int type, int property, char *to, size_t capacity)
{
    const char *text = rt_get_property_string(HERE("acc_get_property_string"), number, type, property);
    size_t length = text ? strlen(text) : 0;
    memset(to, ' ', capacity);
    memcpy(to, text ? text : "", length < capacity ? length : capacity);
}

/* Return 1, because the work of queues is always complete. */
RT_ROUTINE(int, acc_async_test_h_, (const int *queue), rt_test_queue(HERE("acc_async_test"), *queue))
RT_ROUTINE(int, acc_async_test_all_h_, (void), rt_test_queue(HERE("acc_async_test_all"), RT_ASYNC_NOVAL))
/* Record that the host, or with `_async` a queue, waits for `queue` or for all queues. */
RT_ROUTINE(void, acc_wait_h_, (const int *queue), rt_host_wait(HERE("acc_wait"), RT_PARENT_ROUTINE, *queue))
RT_ROUTINE(void, acc_wait_async_h_, (const int *queue, const int *other),
           rt_observe_wait(HERE("acc_wait_async"), *other, *queue))
RT_ROUTINE(void, acc_wait_all_h_, (void), rt_host_wait(HERE("acc_wait_all"), RT_PARENT_ROUTINE, RT_ASYNC_NOVAL))
RT_ROUTINE(void, acc_wait_all_async_h_, (const int *queue),
           rt_observe_wait(HERE("acc_wait_all_async"), *queue, RT_ASYNC_NOVAL))
