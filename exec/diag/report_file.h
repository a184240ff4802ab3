/* report_file.h - writes the file of findings (`exec --report`), in SARIF or JSON lines. */
#ifndef RT_REPORT_FILE_H
#define RT_REPORT_FILE_H

#include "diagnostics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_text_buffer;
struct rt_call_stack;

/* Opens the file of findings. Its name is `pattern` with %r and %p replaced (rank.h), and is stored in `name`. A name
 * that ends in ".sarif" selects SARIF, any other name JSON lines. Returns false with errno set on failure. */
bool rt_report_file_open(const char *pattern, char *name, size_t capacity);
/* Appends a line to the file of findings if that file has JSON lines; does nothing otherwise. */
void rt_report_file_add_line(const struct rt_text_buffer *line);
/* Adds a finding to the SARIF file as a result, and returns the result's number, from 1. Returns 0 if the file is not
 * SARIF, in a forked process, or without memory. rule NULL: the finding has no rule. */
size_t rt_report_file_add_result(const struct rt_diagnostic *diagnostic, const struct rt_source_location *location,
                                 const char *rule, const char *message, const struct rt_call_stack *stack);
/* Sets how often the finding of result `number` occurred; does nothing if `number` is 0. */
void rt_report_file_set_count(size_t number, uint64_t count);
/* Adds the summary of the run, as text, to a SARIF file; does nothing otherwise. is_successful: no error ended it. */
void rt_report_file_set_summary(const char *summary, bool is_successful);
int rt_report_file_finish(void); /* completes the file; returns errno of the last failed write, or 0 */

#endif
