/* text_buffer.h - buffer for a report or a line of JSON under construction. */
#ifndef RT_TEXT_BUFFER_H
#define RT_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-terminated text of n bytes; text that does not fit is cut off. */
struct rt_text_buffer {
    char at[4096];
    size_t n;
};
/* Empties the buffer; must be called before the first append, unless the buffer was initialized with zeros. */
static inline void rt_text_clear(struct rt_text_buffer *text)
{
    text->at[text->n = 0] = 0;
}
/* Appends formatted text, and cuts off what does not fit. */
void rt_text_append(struct rt_text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a JSON string with its quotes. */
void rt_text_append_json_string(struct rt_text_buffer *text, const char *value);
/* Appends a field of a JSON object, with a comma unless "{" precedes it. The buffer must not be empty. */
void rt_text_append_json_field(struct rt_text_buffer *text, const char *key, const char *value);
/* Appends the field "rank", with a comma before it, in an MPI program; appends nothing in other programs. */
void rt_text_append_rank(struct rt_text_buffer *text);
/* Writes the buffer to the descriptor `fd`. Returns false with errno set if bytes were lost. A closed pipe does not
 * count as a loss. In each case the program continues. */
bool rt_text_write(int fd, const struct rt_text_buffer *text);

/* Returns a duplicate of the file descriptor `file` with a high number, so that it is in no program's way. Returns -1
 * with errno set on failure. `file` stays open. */
int rt_move_to_high_fd(int file);
/* Opens or creates a file for writing, under a high number; `flags`: O_TRUNC or O_APPEND. Returns -1 with errno set on
 * failure. */
int rt_open_output_file(const char *name, int flags);

#endif
