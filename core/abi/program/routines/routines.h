/* routines.h - the acc_* routines as the C and Fortran names call them. */
#ifndef RT_ROUTINES_H
#define RT_ROUTINES_H

#include "abi/program/base/runtime.h"

/* acc_copyin and acc_create, acc_copyout and acc_delete, acc_update_*: by action. */
void *rt_run_data_routine(const struct rt_site *site, accd_construct_kind kind, accd_action action, void *host,
                          size_t bytes, bool finalize, int queue);
int rt_is_present(const struct rt_site *site, const void *host, size_t bytes);
int rt_get_num_devices(int type);
void rt_set_device_type(const struct rt_site *site, int type);
int rt_get_device_type(void);
void rt_set_device_num(const struct rt_site *site, int number, int type);
int rt_get_device_num(const struct rt_site *site, int type);
void rt_init_device(const struct rt_site *site, int type);
void rt_shutdown_device(const struct rt_site *site, int type);
size_t rt_get_property(const struct rt_site *site, int number, int type, int property);
const char *rt_get_property_string(const struct rt_site *site, int number, int type, int property);
/* Whether a queue, RT_ASYNC_NOVAL: each, has done its work: always. */
int rt_test_queue(const struct rt_site *site, int queue);
/* Whether the caller runs on a device of the type. */
int rt_is_on_device_type(int type);

#endif
