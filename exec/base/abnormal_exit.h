/* abnormal_exit.h - reports the end of a program that ends by a signal, by _exit or by quick_exit. */
#ifndef RT_ABNORMAL_EXIT_H
#define RT_ABNORMAL_EXIT_H

#include <signal.h>
#include <stdbool.h>

/* Installs handlers for deadly signals and for quick_exit. Called once, at the start of the runtime. */
void rt_install_exit_handlers(void);
/* Handler of deadly signals: writes the final reports and ends the program by `signal`. Returns, and does nothing, if
 * the hook below defers the signal. */
void rt_on_fatal_signal(int signal, siginfo_t *info, void *context);
/* Hook at the begin of rt_on_fatal_signal. It returns true if host memory was protected: then the signal is sent again
 * once memory is unprotected. NULL: no hook is called. */
extern bool (*rt_defer_fatal_signal)(int signal, siginfo_t *info, void *context);
/* Writes the final reports and ends the program by `signal`, with the signal's default action. */
void rt_end_by_signal(int signal);

/* Makes the calling thread the one that ends the process. If another thread ends the process already, waits at most 6
 * seconds for that end. */
void rt_claim_exit(void);
/* Waits at most 6 seconds if another thread ends the process; otherwise returns at once. */
void rt_wait_for_exit(void);

#endif
