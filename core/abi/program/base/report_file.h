/* report_file.h - file of findings, in SARIF or JSON lines. */
#ifndef RT_REPORT_FILE_H
#define RT_REPORT_FILE_H

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_text_buffer;

/* Opens the file of findings. Its name is `pattern` with %r and %p replaced (rank.h), and is stored in `name`. A name
 * that ends in ".sarif" selects SARIF, any other name JSON lines. Returns false with errno set on failure. */
bool rt_report_file_open(const char *pattern, char *name, size_t capacity);
/* Appends a line to the file of findings if that file has JSON lines; does nothing otherwise. */
void rt_report_file_add_line(const struct rt_text_buffer *line);
/* Adds a result to the SARIF file and returns its number; 0: no such file, a forked process, or no memory. */
size_t rt_report_file_add_result(const struct rt_diagnostic *diagnostic, const struct rt_source_location *location,
                                 const char *rule, const char *message);
/* sets how often the finding of a result occurred; does nothing if `number` is 0 */
void rt_report_file_set_count(size_t number, uint64_t count);
int rt_report_file_finish(void); /* completes the file; returns errno of the last failed write, or 0 */

#endif
