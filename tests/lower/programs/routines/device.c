#include <openacc.h>
void *device_of(void *p);
void *device_of(void *p) { return acc_deviceptr(p); }
