/* padding.h - a cache of the padding of present objects. */
#ifndef RT_PADDING_H
#define RT_PADDING_H

#include "abi/program/base/runtime.h"

/* True if the byte at offset `at` of a present object is padding, as the call under way knows its type. What is found
 * for an element of an array holds for all elements. Needs the lock; bytes is not 0. */
bool rt_is_cached_padding(uint64_t host, uint64_t bytes, uint64_t at);

#endif
