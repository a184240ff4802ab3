/* draw.h - pictures of host and devices (`exec --draw`), made by draw.c. */
#ifndef RT_DRAW_H
#define RT_DRAW_H

void rt_draw_update(void); /* draws the state after a call, if more objects are present than in the picture so far */
void rt_draw_diagnostic(const char *message); /* draws the state at the first finding */
void rt_draw_finish(void);                    /* writes the picture, at the end */

#endif
