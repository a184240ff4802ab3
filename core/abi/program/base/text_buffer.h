/* text_buffer.h - buffer for one report or line of JSON under construction. */
#ifndef RT_TEXT_BUFFER_H
#define RT_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* Zero-terminated text of n bytes; text that does not fit is cut off. */
struct rt_text_buffer {
    char at[4096];
    size_t n;
};
/* Empties the buffer, which must precede the first append. */
static inline void rt_text_clear(struct rt_text_buffer *text)
{
    text->at[text->n = 0] = 0;
}
/* Appends formatted text. */
void rt_text_append(struct rt_text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a JSON string with its quotes. */
void rt_text_append_json_string(struct rt_text_buffer *text, const char *value);
/* Appends a field of a JSON object, with a comma unless "{" precedes it. The buffer must not be empty. */
void rt_text_append_json_field(struct rt_text_buffer *text, const char *key, const char *value);
/* Appends the field "rank" in an MPI program. */
void rt_text_append_rank(struct rt_text_buffer *text);
/* Writes the buffer to a file. Returns false with errno set if bytes were lost; a closed pipe does not count, and the
 * program continues either way. */
bool rt_text_write(int fd, const struct rt_text_buffer *text);

#endif
