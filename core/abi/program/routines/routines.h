/* routines.h - the acc_* routines as the C and Fortran names call them. */
#ifndef GOACC_ROUTINES_H
#define GOACC_ROUTINES_H

#include "abi/program/base/runtime.h"

/* acc_copyin and acc_create, acc_copyout and acc_delete, acc_update_*: by action. */
void *goacc_data(const struct goacc_site *site, accd_kind kind, accd_action action, void *host,
                 size_t bytes, bool finalize, int queue);
int goacc_is_present(const struct goacc_site *site, const void *host, size_t bytes);
int goacc_num_devices(int type);
void goacc_set_type(const struct goacc_site *site, int type);
int goacc_get_type(void);
void goacc_set_num(const struct goacc_site *site, int number, int type);
int goacc_get_num(const struct goacc_site *site, int type);
void goacc_init(const struct goacc_site *site, int type);
void goacc_shutdown(const struct goacc_site *site, int type);
size_t goacc_property(const struct goacc_site *site, int number, int type, int property);
const char *goacc_property_text(const struct goacc_site *site, int number, int type, int property);
/* Whether a queue, GOACC_NOVAL: each, has done its work: always. */
int goacc_test(const struct goacc_site *site, int queue);
/* Whether the caller runs on a device of the type. */
int goacc_on(int type);

#endif
