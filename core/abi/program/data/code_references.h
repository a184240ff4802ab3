/* code_references.h - whether a kernel may use a variable of a declare directive. */
#ifndef RT_CODE_REFERENCES_H
#define RT_CODE_REFERENCES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the code of a function, or of one that it calls, has an address in a range. With the
 * lock. */
bool rt_code_references(const void *fn, uint64_t start, uint64_t bytes);

#endif
