/* kernel.h - kernels of the program, and which of them a thread runs. */
#ifndef RT_KERNEL_H
#define RT_KERNEL_H

#include "runtime.h"

#define RT_TARGET_BIT (~(UINTPTR_MAX >> 1)) /* highest bit of an address, which is 0 in return addresses */

/* Outlined function of the program and its arguments. */
struct rt_kernel {
    void (*fn)(void *);
    void (*code)(void *); /* function of the program: `fn`, or one that `fn` calls; NULL: unknown */
    uintptr_t construct;  /* construct id, as in rt_thread.activity; set by rt_launch_kernel */
    void *args[];
};

/* Returns the identity of the construct at `site`: its return address, with RT_TARGET_BIT for target constructs. */
static inline uintptr_t rt_construct_id(const struct rt_site *site)
{
    return site->call.pc | (*site->construct_name == 't' ? RT_TARGET_BIT : 0);
}

/* Marks the calling thread as running the kernel of `construct`. Must be inlined into the function that runs the
 * kernel, whose frame it records. */
static inline __attribute__((always_inline)) void rt_begin_kernel(struct rt_thread *self, uintptr_t construct)
{
    assert(construct > RT_FAST_PATH);
    self->activity = construct;
    self->frame = (uintptr_t)__builtin_frame_address(0);
}

/* Returns "target" or "compute", the construct whose kernel a thread with this `activity` runs; NULL: no kernel. */
static inline const char *rt_kernel_kind(uintptr_t activity)
{
    return activity <= RT_FAST_PATH ? NULL : activity & RT_TARGET_BIT ? "target" : "compute";
}

/* True if the program has jumped out of the thread's kernel: `frame`, of its current call, lies above the kernel's
 * frame. */
static inline bool rt_has_left_kernel(const struct rt_thread *self, uintptr_t frame)
{
    return self->activity > RT_FAST_PATH && frame > self->frame;
}

/* Returns true if the construct named `construct_name` runs a kernel: "compute" (OpenACC) or "target" (OpenMP). */
static inline bool rt_is_kernel_construct(const char *construct_name)
{
    return !strcmp(construct_name, "compute") || !strcmp(construct_name, "target");
}

#endif
