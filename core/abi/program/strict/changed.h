/* changed.h - attached pointers that kernels change. */
#ifndef GOACC_CHANGED_H
#define GOACC_CHANGED_H

/* Before and after a kernel: reports attached pointers that it has changed. */
void goacc_changed_before(int device);
void goacc_changed_after(int device);

#endif
