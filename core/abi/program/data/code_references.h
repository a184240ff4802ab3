/* code_references.h - decides whether a kernel may use a declared variable. */
#ifndef RT_CODE_REFERENCES_H
#define RT_CODE_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

/* True if the code of the function `fn`, or of a function that it calls, may contain an address of the range. False if
 * the code is unknown. Results are cached; the lock must be held. `fn` is not NULL. */
bool rt_code_references(const void *fn, uint64_t start, uint64_t bytes);

#endif
