/* routines.h - the work of the acc_* routines, called by the C names (openacc.c) and the Fortran names (fortran.c). The
 * argument `site` is the program's call of the routine. */
#ifndef RT_ROUTINES_H
#define RT_ROUTINES_H

#include "base/runtime.h"

/* Declares and defines a routine, as the compiler's header or module declares it. It returns `call`. */
#define RT_ROUTINE(type, name, parameters, call) \
    type name parameters;                        \
    type name parameters                         \
    {                                            \
        return call;                             \
    }

/* Runs a data routine (acc_copyin to acc_update_self) for the `bytes` bytes at `host`. queue: only reported and
 * checked. Returns the device address of data that are mapped; `host` if the host is the thread's device; NULL for
 * other routines, and if the routine does nothing. Ends the program on an error. */
void *rt_run_data_routine(const struct rt_site *site, accd__routine routine, void *host, size_t bytes, int queue);
/* Returns 1 if all bytes are present on the thread's current device, or if the host is this device; otherwise 0. */
int rt_is_present(const struct rt_site *site, const void *host, size_t bytes);
/* Returns the number of devices of the device type `type` (RT_DEVICE_x); 0 if no device has it. */
int rt_get_num_devices(int type);
/* Do the work of acc_set_device_type, acc_get_device_type, acc_set_device_num, acc_get_device_num, acc_init and
 * acc_shutdown. A type or number without a device ends the program. */
void rt_set_device_type(const struct rt_site *site, int type);
int rt_get_device_type(void);
void rt_set_device_num(const struct rt_site *site, int number, int type);
int rt_get_device_num(const struct rt_site *site, int type);
void rt_init_device(const struct rt_site *site, int type);
void rt_shutdown_device(const struct rt_site *site, int type);
/* Return a property (acc_property_x) of device `number` of `type`, as a number or as a string; 0 or NULL if the
 * property is not known. A type or number without a device ends the program. */
size_t rt_get_property(const struct rt_site *site, int number, int type, int property);
const char *rt_get_property_string(const struct rt_site *site, int number, int type, int property);
/* Does the work of acc_async_test for `queue` (RT_ASYNC_NOVAL: all queues). Always returns 1, because the work of
 * queues is executed at once. In strict and instrumented runs, records that the host has waited for the queue. */
int rt_test_queue(const struct rt_site *site, int queue);
/* Does the work of acc_on_device: returns 1 if the calling code runs on a device of `type`, otherwise 0. */
int rt_is_on_device_type(int type);

#endif
