/* probe.h - what the debug information of a test program says about the calls it makes. Each
 * function looks at its own call. */
#ifndef PROBE_H
#define PROBE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* wanted: "s.n", "z of 8" (an array of elements of 8 bytes), "z[2:4] of 8", "?". */
void names(void *address, size_t bytes, const char *wanted);
/* The element or member of a range that has a byte, which may lie outside: "z[3].v", "" or "?". */
void element(void *address, size_t bytes, void *inside, const char *wanted);
/* Behind the end of a block of malloc's, which a sanitizer's malloc does not tell. */
void names_beyond(void *address, size_t bytes);
/* What the entries of the next enter data directive are called, in their order. */
void directive(const char *wanted);
void stands_at(const char *file, int line, const char *function);
void stands_nowhere(void);
int probe_done(void);

#ifdef __cplusplus
}
#endif

#endif
