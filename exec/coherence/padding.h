/* padding.h - a cache of the padding of present objects. */
#ifndef RT_PADDING_H
#define RT_PADDING_H

#include "base/runtime.h"

/* Returns true if the byte at offset `at` of the present object at `host` is padding. The object's type is
 * that of debug information at the call under way. A result for one element of an array is cached for all
 * elements. Needs the lock; `bytes`, the size of the object, is not 0. */
bool rt_is_cached_padding(uint64_t host, uint64_t bytes, uint64_t at);

#endif
