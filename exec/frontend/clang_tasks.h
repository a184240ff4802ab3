/* clang_tasks.h - finds libomp's own functions for tasks. The program calls the functions of clang_tasks.c instead,
 * which have the same names. */
#ifndef RT_LIBOMP_TASKS_H
#define RT_LIBOMP_TASKS_H

/* Looks up libomp's functions once, before a region under the page guard (guard/page_guard.h) needs them, because the
 * lookup uses protected memory. */
void rt_find_libomp_tasks(void);

#endif
