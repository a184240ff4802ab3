/* text_buffer.h - lines under way: reports as text, or as JSON. */
#ifndef RT_TEXT_BUFFER_H
#define RT_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

/* What does not fit is cut. */
struct rt_text_buffer {
    char at[4096];
    size_t n;
};
/* Begins anew. */
static inline void rt_text_clear(struct rt_text_buffer *text)
{
    text->at[text->n = 0] = 0;
}
void rt_text_append(struct rt_text_buffer *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string of JSON, with its quotes. */
void rt_text_append_json_string(struct rt_text_buffer *text, const char *value);
/* A field of an object of JSON that "{" has begun. */
void rt_text_append_json_field(struct rt_text_buffer *text, const char *key, const char *value);
/* The field of the rank, in an MPI program. */
void rt_text_append_rank(struct rt_text_buffer *text);
/* Writes the line. What cannot be written is lost: the program under way is not ours to stop for that. False: errno has
 * the reason; a reader that is gone is none. */
bool rt_text_write(int fd, const struct rt_text_buffer *text);

#endif
