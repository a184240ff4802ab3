/* changed.h - attached pointers that kernels change, and what is left at the end of the program. */
#ifndef GOACC_CHANGED_H
#define GOACC_CHANGED_H

/* Before and after a kernel: reports attached pointers that it has changed. */
void goacc_changed_before(int device);
void goacc_changed_after(int device);
/* Reports what is still mapped or attached on a device, as the program ends. */
void goacc_tell_left(int device);

#endif
