/* pages.h - addresses of pages of memory. */
#ifndef RT_PAGES_H
#define RT_PAGES_H

#include <stdint.h>

enum { RT_PAGE_SIZE = 4096 };

/* Returns the start of the page that contains an address. */
static inline uint64_t rt_page_down(uint64_t address)
{
    return address & ~(uint64_t)(RT_PAGE_SIZE - 1);
}

/* Returns the first page boundary at or after an address; a number of bytes, rounded up to whole pages. */
static inline uint64_t rt_page_up(uint64_t address)
{
    return rt_page_down(address + RT_PAGE_SIZE - 1);
}

#endif
