/* tasks.h - lookup of libomp's functions for tasks, which tasks.c interposes. */
#ifndef RT_LIBOMP_TASKS_H
#define RT_LIBOMP_TASKS_H

/* Looks up libomp's functions once, before a region under the page guard (strict/page_guard.h) needs them, because the
 * lookup uses protected memory. */
void rt_find_libomp_tasks(void);

#endif
