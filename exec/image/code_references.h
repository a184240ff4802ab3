/* code_references.h - decides whether a kernel's code may use a declared variable that no clause names. */
#ifndef RT_CODE_REFERENCES_H
#define RT_CODE_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the code of the function `fn`, or of a function that it calls, may contain an address in the range of
 * `bytes` bytes at `start`. False if the start or the end of the function is not known. Results are cached; the lock
 * must be held. `fn` must not be NULL. */
bool rt_code_references(const void *fn, uint64_t start, uint64_t bytes);

#endif
