/* routine_steps.h - calls of routines of OpenACC and OpenMP that the core decides (accdeep_routines.h): their device
 * memory, copies and mappings. The lock must be held. */
#ifndef RT_ROUTINE_STEPS_H
#define RT_ROUTINE_STEPS_H

#include "base/runtime.h"

/* Returns what `call` does. Ends the program with a report of a call that must not happen. */
accd__routine_step rt_decide_routine(const accd__routine_call *call);
/* Does a step that runs no construct, on the host's memory, too, and informs the checks. Sets step->result. Ends the
 * program with a report on failure. */
void rt_perform_routine(const accd__routine_call *call, accd__routine_step *step);

#endif
