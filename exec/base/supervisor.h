/* supervisor.h - sends messages to the command `accdeep exec`, which started the program. */
#ifndef RT_SUPERVISOR_H
#define RT_SUPERVISOR_H

/* Notifies `accdeep exec` that the library was loaded ('L') or a directive is executed ('D'). */
void rt_notify_supervisor(char letter);
/* Notifies `accdeep exec` that the process which it started ends, without having executed a directive or with a picture
 * to be drawn. Waits for the answer: at most a second, with a picture 30. Does nothing in other processes. */
void rt_note_process_end(void);

#endif
