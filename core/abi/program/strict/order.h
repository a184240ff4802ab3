/* order.h - which asynchronous work of a program comes before which.
 *
 * Asynchronous work is done at once, in program order. Its order is what waits and depend clauses
 * ask for: the host, each queue and each chain of tasks is a strand, whose operations have turns
 * from 1 on. All with the lock. */
#ifndef GOACC_ORDER_H
#define GOACC_ORDER_H

#include "abi/program/base/runtime.h"

/* Work of the program: its turn, its construct or call, and what that is: "compute", "acc_copyin". */
struct goacc_used {
    struct goacc_turn turn;
    uintptr_t pc;
    const char *what;
};
/* "the compute region of a.c:5 in queue 1", "acc_copyin of a.c:7". */
void goacc_order_spell_work(const struct goacc_used *work, char *to, size_t room);

/* Whether every operation of a strand up to a turn comes before what `later` does next. */
bool goacc_order_before(struct goacc_turn earlier, struct goacc_turn later);
/* Whether the host has waited for it. */
bool goacc_order_is_done(struct goacc_turn turn);
/* Whether the host has waited for all work. */
bool goacc_order_is_quiet(void);
/* " in queue 1", ", a nowait task", or nothing for the host. */
void goacc_order_spell(struct goacc_turn turn, char *to, size_t room);
/* Whether gcc may pass a variable by value, whatever the clause: the program may use it at once. With a site. */
static inline bool goacc_is_value(const accd_event *event)
{
    enum { SMALL = 64 };
    return event->bytes <= SMALL && !strcmp(goacc.site->what, "compute");
}
/* What would order work of a strand before what the host, or another strand, does. */
void goacc_order_remedy(struct goacc_turn earlier, char *to, size_t room);

#endif
