/* pointer_changes.h - attached pointers that kernels change on the device. Called before and after each kernel, with
 * the lock. */
#ifndef RT_POINTER_CHANGES_H
#define RT_POINTER_CHANGES_H

/* Records the attached pointers of a device that point to other data than the host's already before a kernel,
 * so that they are not reported after the kernel. */
void rt_save_changed_pointers(int device);
/* Reports the attached pointers that the kernel has changed: those not recorded by rt_save_changed_pointers. */
void rt_report_changed_pointers(int device);

#endif
