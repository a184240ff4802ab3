/* segments.h - loaded segments of programs and libraries. */
#ifndef RT_SEGMENTS_H
#define RT_SEGMENTS_H

#include <assert.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the loaded segment, with the flags `flags` (PF_X etc.), that contains all of the `bytes` bytes at `address`;
 * NULL: none does. `bytes` must not be 0. parts: the n program headers of the module at `base`. */
static inline const ElfW(Phdr) *
    rt_find_segment(const ElfW(Phdr) * parts, size_t n, uint64_t base, uint64_t address, uint64_t bytes, unsigned flags)
{
    assert(bytes > 0);
    for (size_t i = 0; i < n; i++) {
        const ElfW(Phdr) *part = &parts[i];
        if (part->p_type == PT_LOAD && (part->p_flags & flags) == flags && part->p_memsz >= bytes &&
            address - base - part->p_vaddr <= part->p_memsz - bytes)
            return part;
    }
    return NULL;
}

#endif
