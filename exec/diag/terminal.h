/* terminal.h - writes reports to standard error, in color if `accdeep exec` found a terminal there. */
#ifndef RT_TERMINAL_H
#define RT_TERMINAL_H

struct rt_text_buffer;

/* Writes a text to standard error as it is, after the program's earlier output to standard output. A failed write is
 * ignored. */
void rt_write_stderr(const struct rt_text_buffer *text);
/* Writes a report like rt_write_stderr. With rt.options.color, the location is bold, level, code and marks are red, and
 * the words that begin further lines are cyan, as in errors of `accdeep run`. */
void rt_write_report(const struct rt_text_buffer *text);

#endif
