/* code_references.h - decides whether a kernel may use a declared variable. */
#ifndef RT_CODE_REFERENCES_H
#define RT_CODE_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

/* True if the code of a function, or of one that it calls, contains an address of the range. Results are cached; the
 * lock must be held. fn is not NULL. */
bool rt_code_references(const void *fn, uint64_t start, uint64_t bytes);

#endif
