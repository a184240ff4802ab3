/* tasks.h - libomp's functions for tasks, behind ours. */
#ifndef RT_LIBOMP_TASKS_H
#define RT_LIBOMP_TASKS_H

/* Finds them, before a region whose memory is closed may need them. */
void rt_find_libomp_tasks(void);

#endif
