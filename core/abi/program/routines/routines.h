/* routines.h - the acc_* routines, as their C names (openacc.c) and Fortran names (fortran.c) call them. site: the call
 * of the program. */
#ifndef RT_ROUTINES_H
#define RT_ROUTINES_H

#include "abi/program/base/runtime.h"

/* Runs acc_copyin, acc_create, acc_copyout, acc_delete or acc_update_*, by action. Returns the device address for enter
 * data, otherwise NULL; the host address if the host is the device. Ends the program on an error. */
void *rt_run_data_routine(const struct rt_site *site, accd_construct_kind kind, accd_action action, void *host,
                          size_t bytes, bool finalize, int queue);
/* True if all bytes are present on the thread's device, or if that is the host. */
int rt_is_present(const struct rt_site *site, const void *host, size_t bytes);
/* Returns the number of devices of a type; 0: the type is not known. */
int rt_get_num_devices(int type);
/* Routines of the thread's current device: set and get its type and number, start and shut down devices. Types and
 * numbers without a device end the program. */
void rt_set_device_type(const struct rt_site *site, int type);
int rt_get_device_type(void);
void rt_set_device_num(const struct rt_site *site, int number, int type);
int rt_get_device_num(const struct rt_site *site, int type);
void rt_init_device(const struct rt_site *site, int type);
void rt_shutdown_device(const struct rt_site *site, int type);
/* Return a property of a device; 0 or NULL: it is not known. */
size_t rt_get_property(const struct rt_site *site, int number, int type, int property);
const char *rt_get_property_string(const struct rt_site *site, int number, int type, int property);
/* Returns 1: queues always have done their work. RT_ASYNC_NOVAL: all queues. Strict runs take the call for a wait. */
int rt_test_queue(const struct rt_site *site, int queue);
/* True if the caller runs on a device of the type. */
int rt_is_on_device_type(int type);

#endif
