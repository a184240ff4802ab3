/* accdeep_lowered.h - what programs call that `accdeep lower --to accdeep` has written.
 *
 * A process has one context, with the rules "tr14", which is opened at its first directive. The environment chooses:
 *     ACCDEEP_DEVICE   "direct" (the default): simulated memory that kernels of the process reach; "cuda", "cuda:1":
 * that of a GPU, for kernels that the compiler makes for the GPU ACCDEEP_EVENTS   a file that gets a line for each
 * event: operation, name, bytes An error ends the process: its place, code, rule and help are written to standard
 * error, and the exit status is 1. Functions may be called by any thread; regions nest among those of a thread. */
#ifndef ACCDEEP_LOWERED_H
#define ACCDEEP_LOWERED_H

#ifdef __cplusplus
extern "C" {
#endif

/* The value of a bound that is about an object, such as a number of elements that a function gives. */
typedef long accd_lowered_bound(const void *object);

/* A directive of the unit. plan: what lowering has made of it, in the form that text.c reads; made: what the library
 * makes of plan, NULL at first. */
typedef struct accd_lowered {
    const char *plan, *file;
    int line;
    accd_lowered_bound *const *bounds; /* that the plan numbers, or NULL */
    void *parsed;
} accd_lowered;

/* A region that is open: the caller's until accd_lowered_leave. */
typedef struct accd_lowered_region accd_lowered_region;

/* Carries out enter data, exit data or update. given: what plan numbers, addresses of variables and values of bounds.
 */
void accd_lowered_run(accd_lowered *directive, const void *const *arguments);
/* Opens the region of a data or compute construct. */
accd_lowered_region *accd_lowered_enter(accd_lowered *directive, const void *const *arguments);
/* Ends a region, which must be the innermost one of its thread. NULL does nothing. */
void accd_lowered_leave(accd_lowered_region *region);
/* What a pointer is in the kernel of a compute construct. item: number of the item whose section the pointer points
 * to, from 0; -1: the pointer's target is looked up; -2: so it is, and must be present, for the kernel uses it. A
 * pointer to memory that is not present stays as it is; so do all without a region: the kernel runs on the host. */
void *accd_lowered_pointer(const accd_lowered_region *region, int item, const volatile void *pointer);

/* Copies bytes to the host from what accd_lowered_pointer gave, and back. */
void accd_lowered_read(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes);
void accd_lowered_write(const accd_lowered_region *region, void *to, const void *from, unsigned long bytes);
/* What acc_is_present, acc_deviceptr and acc_hostptr are (ACC33-3.2.26-1, ACC33-3.2.26-2). */
int accd_lowered_is_present(const void *host, unsigned long bytes);
void *accd_lowered_device(const void *host);
void *accd_lowered_host(const void *device);
/* What a pointer of host_data is on the device. If its target is not present, that is an error at a place of the unit,
 * or, if file is NULL, the pointer stays as it is (ACC33-hd-1). */
void *accd_lowered_use_device(const volatile void *pointer, const char *file, int line);

/* What a routine of OpenACC that moves data is, such as "acc_copyin" or "acc_delete_finalize_async", at a place of the
 * unit: to be called at once. kind, action, finalize: numbers that lowering writes. Queues are done at once. acc_copyin
 * and acc_create return device addresses, others NULL (ACC33-3.2.18-1, ACC33-3.2.21-1). */
typedef void *accd_lowered_routine(void *host, unsigned long bytes, ...);
accd_lowered_routine *accd_lowered_find_routine(const char *file, int line, const char *name, int kind, int action,
                                                int finalize);
/* What routines about queues are, which are done at once: 1. */
int accd_lowered_wait(int queue, ...);
int accd_lowered_wait_all(void);

#ifdef __cplusplus
}
#endif
#endif
