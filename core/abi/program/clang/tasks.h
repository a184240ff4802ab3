/* tasks.h - libomp's functions for tasks, behind ours. */
#ifndef GOACC_LIBOMP_TASKS_H
#define GOACC_LIBOMP_TASKS_H

/* Finds them, before a region whose memory is closed may need them. */
void goacc_find_libomp_tasks(void);

#endif
