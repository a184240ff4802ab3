/* source_lines.h - names of variables, and the lines of the program's source in which they stand. */
#ifndef RT_SOURCE_LINES_H
#define RT_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_text_buffer;

/* Returns the length of the variable in "p[1].a[0:4]": all except the final section. */
size_t rt_variable_name_length(const char *name);
/* Returns true if two names denote the same variable or member, in whichever section: u[0:4] and u[4:4]. */
bool rt_is_same_variable(const char *a, const char *b);
/* Appends the line `line` of a source file with its number: " 12 | a[i] = 0;". Appends carets below the variable `name`
 * (NULL: none), if the line has that name once. Appends nothing if the file cannot be read or is shorter. */
void rt_append_source_line(struct rt_text_buffer *text, const char *file, int line, const char *name);
/* Appends the lines of a report's text as a JSON array of strings, without their indentation. Leaves out lines of the
 * source, marks below them, and addresses. */
void rt_append_json_lines(struct rt_text_buffer *text, const char *lines);
/* Returns true if the directive that begins in line `line` of a source file has `variable` in a clause, in that line or
 * in those that continue it. Comments do not count. */
bool rt_directive_has_variable(const char *file, int line, const char *variable);
/* Returns the number of the first line that contains all `words`, a NULL-terminated list, in the source file of the
 * code at `pc`. Stores the file's name. 0: no such line, or the file is unknown or cannot be read. */
int rt_find_source_line(uintptr_t pc, const char *const words[], const char **file_p);
/* Returns the clause of a requires directive that makes devices share the host's memory, found in the source text
 * because gcc leaves no other trace of it. NULL: none. */
const char *rt_find_requires_clause(uintptr_t pc);

#endif
