/* directory.h - a device by hand, as directory.c asks for it: what a program without any directory
 * calls, and its one kernel. */
#ifndef BENCH_DIRECTORY_H
#define BENCH_DIRECTORY_H

#include "ops/ops.h"

enum { FLOAT = sizeof(float), SUMS_MOST = 16 };

/* to = x + y, arrays of n floats at addresses of the device. The kernel reads it as it is here. */
struct sum {
    uint64_t to, x, y, n;
};

/* Arrays of n floats. What is issued is done in order, and over after wait. */
struct by_hand {
    uint64_t (*take)(size_t n);
    void (*give)(uint64_t at);
    void (*send)(uint64_t to, const float *from, size_t n);
    void (*fetch)(float *to, uint64_t from, size_t n);
    void (*add)(const struct sum *sums, size_t nsums); /* so many kernels, at most SUMS_MOST */
    void (*wait)(void);
};

/* directory_cuda.c: the driver itself, on the GPU of an open device. NULL: why says why it cannot compile
 * kernels. */
const struct by_hand *cuda_by_hand(struct accd__device_env *device, char *why, size_t room);
void cuda_by_hand_close(void);

#endif
