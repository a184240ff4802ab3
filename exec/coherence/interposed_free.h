/* interposed_free.h - blocks that the program frees while they are mapped. */
#ifndef RT_INTERPOSED_FREE_H
#define RT_INTERPOSED_FREE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the program freed the block of mapped data; that was reported. */
bool rt_is_freed_data(int device, uint64_t host);
void rt_forget_freed_data(int device, uint64_t host); /* forgets that the block was freed, as the data are unmapped */
/* Return address and frame of the thread's current call of free or realloc; pc 0: no such call. */
extern __thread struct rt_free_call {
    uintptr_t pc;
    const uintptr_t *frame;
} rt_free_call;

#endif
