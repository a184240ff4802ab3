/* summary.h - the last line of a run: what was checked and how, what was found, and what such a run cannot find. */
#ifndef RT_SUMMARY_H
#define RT_SUMMARY_H

#include <stdbool.h>

struct rt_text_buffer;

/* Counts a finding of a level ("error", "warning", "note", "advice"), or a suppressed one. The lock of diagnostics must
 * be held. */
void rt_summary_count(const char *level, bool is_suppressed);
/* Writes the summary of the run to *to, as one or two lines without the end of the last one. Writes it to *json as a
 * JSON object without its last brace. */
void rt_format_summary(struct rt_text_buffer *to, struct rt_text_buffer *json);
bool rt_has_errors(void); /* returns true if an error was counted */
/* Returns true if the process writes a summary as text: with `accdeep exec`, not in forked processes. Of the ranks of
 * an MPI program, the first one does, and those with findings. JSON has the summary of each rank. */
bool rt_has_summary(bool is_json);

#endif
