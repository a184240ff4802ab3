/* supervisor.h - messages to `accdeep exec`, which started the program. */
#ifndef RT_SUPERVISOR_H
#define RT_SUPERVISOR_H

/* Notifies `accdeep exec` that the library was loaded ('L') or a directive is executed ('D'). */
void rt_notify_supervisor(char letter);
/* Notifies `accdeep exec` that its child ends without a directive, and waits at most a second for the answer. */
void rt_note_process_end(void);

#endif
