/* draw.h - pictures of host and devices (`exec --draw`), made by draw.c. */
#ifndef RT_DRAW_H
#define RT_DRAW_H

/* Draws the state after a call, if more objects are present than in the picture so far and no finding was drawn. */
void rt_draw_update(void);
/* Draws the state at the first finding, with `message` as title. Later calls of both functions change nothing. */
void rt_draw_diagnostic(const char *message);
void rt_draw_finish(void); /* writes the picture to its file, at the program's end */

#endif
