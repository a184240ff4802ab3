/* text.h - lines under way: reports as text, or as JSON. */
#ifndef GOACC_TEXT_H
#define GOACC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What does not fit is cut. */
struct goacc_text {
    char at[4096];
    size_t n;
};
/* Begins anew. */
static inline void goacc_text_clear(struct goacc_text *text)
{
    text->at[text->n = 0] = 0;
}
void goacc_text(struct goacc_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string of JSON, with its quotes. */
void goacc_text_quoted(struct goacc_text *text, const char *value);
/* A field of an object of JSON that "{" has begun. */
void goacc_text_field(struct goacc_text *text, const char *key, const char *value);
/* The field of the rank, in an MPI program. */
void goacc_text_rank(struct goacc_text *text);
/* Writes the line. What cannot be written is lost: the program under way is not ours to stop for that. False: errno has
 * the reason; a reader that is gone is none. */
bool goacc_text_put(int fd, const struct goacc_text *text);

#endif
