/* pointer_changes.h - attached pointers that kernels change. */
#ifndef RT_POINTER_CHANGES_H
#define RT_POINTER_CHANGES_H

/* Before and after a kernel: reports attached pointers that it has changed. */
void rt_save_changed_pointers(int device);
void rt_report_changed_pointers(int device);

#endif
