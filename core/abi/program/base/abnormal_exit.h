/* abnormal_exit.h - reports the end of a program that ends by a signal, by _exit or by quick_exit. */
#ifndef RT_ABNORMAL_EXIT_H
#define RT_ABNORMAL_EXIT_H

#include <signal.h>
#include <stdbool.h>

void rt_install_exit_handlers(void);
/* The handler of signals that end the program: reports, and ends it by the signal. */
void rt_on_fatal_signal(int signal, siginfo_t *info, void *context);
/* Called first. True: host memory was protected, and the signal is sent again now that it is not.
 * NULL: not called. */
extern bool (*rt_defer_fatal_signal)(int signal, siginfo_t *info, void *context);
void rt_end_by_signal(int signal);

/* Makes the calling thread the one that ends the process; waits for the end if another thread is at
 * it. */
void rt_claim_exit(void);
/* Waits, some seconds at most, if another thread ends the process. */
void rt_wait_for_exit(void);

#endif
