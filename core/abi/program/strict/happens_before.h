/* happens_before.h - which asynchronous work of a program comes before which.
 *
 * Asynchronous work is done at once, in program order. Its order is what waits and depend clauses
 * ask for: the host, each queue and each chain of tasks is a strand, whose operations have turns
 * from 1 on. All with the lock. */
#ifndef RT_HAPPENS_BEFORE_H
#define RT_HAPPENS_BEFORE_H

#include "abi/program/base/runtime.h"

/* Work of the program: its turn, its construct or call, and what that is: "compute", "acc_copyin". */
struct rt_access_origin {
    struct rt_epoch epoch;
    uintptr_t pc;
    const char *what;
};
/* "the compute region of a.c:5 in queue 1", "acc_copyin of a.c:7". */
void rt_format_origin(const struct rt_access_origin *work, char *to, size_t capacity);

/* Whether every operation of a strand up to a turn comes before what `later` does next. */
bool rt_happens_before(struct rt_epoch earlier, struct rt_epoch later);
/* Whether the host has waited for it. */
bool rt_is_host_synced(struct rt_epoch epoch);
/* Whether the host has waited for all work. */
bool rt_is_quiescent(void);
/* " in queue 1", ", a nowait task", or nothing for the host. */
void rt_format_stream(struct rt_epoch epoch, char *to, size_t capacity);
/* Whether gcc may pass a variable by value, whatever the clause: the program may use it at once. With a site. */
static inline bool rt_may_pass_by_value(const accd_event *event)
{
    enum { SMALL = 64 };
    return event->bytes <= SMALL && !strcmp(rt.site->what, "compute");
}
/* What would order work of a strand before what the host, or another strand, does. */
void rt_format_wait_help(struct rt_epoch earlier, char *to, size_t capacity);

#endif
