/* ends.h - reports the end of a program that ends by a signal, by _exit or by quick_exit. */
#ifndef GOACC_ENDS_H
#define GOACC_ENDS_H

#include <signal.h>
#include <stdbool.h>

void goacc_ends_open(void);
/* The handler of signals that end the program: reports, and ends it by the signal. */
void goacc_on_deadly(int signal, siginfo_t *info, void *context);
/* Called first. True: host memory was protected, and the signal is sent again now that it is not.
 * NULL: not called. */
extern bool (*goacc_defer_deadly)(int signal, siginfo_t *info, void *context);
void goacc_end_by_signal(int signal);

/* Makes the calling thread the one that ends the process; waits for the end if another thread is at
 * it. */
void goacc_claim_end(void);
/* Waits, some seconds at most, if another thread ends the process. */
void goacc_wait_for_end(void);

#endif
