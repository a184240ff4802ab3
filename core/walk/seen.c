/* seen.c - elements of recursive programs that a walk has reached, as pairs of address and program: each
 * is walked once, however many pointers point to it (TR14-5-10). Open addressing, half full at most. */
#include "walk/inside.h"

enum { ROOM_LEAST = 64 };

static struct accd_seen_element *place(const struct accd_seen *seen, uint64_t address,
                                       const accd_program *program)
{
    size_t i = (address * 0x9E3779B97F4A7C15u) >> 20;
    for (;; i++) {
        struct accd_seen_element *at = &seen->at[i & (seen->room - 1)];
        if (!at->program || (at->address == address && at->program == program))
            return at;
    }
}

static bool more_room(struct accd_seen *seen, struct accd_mem *mem)
{
    struct accd_seen more = {.room = seen->room ? 2 * seen->room : ROOM_LEAST};
    more.at = accd_mem_zero(mem, more.room * sizeof more.at[0]);
    if (!more.at)
        return false;
    for (size_t i = 0; i < seen->room; i++)
        if (seen->at[i].program)
            *place(&more, seen->at[i].address, seen->at[i].program) = seen->at[i];
    more.used = seen->used;
    accd_seen_close(seen, mem);
    *seen = more;
    return true;
}

bool accd_seen_add(struct accd_seen *seen, struct accd_mem *mem, uint64_t address,
                   const accd_program *program, bool *first_p)
{
    if (seen->used * 2 >= seen->room && !more_room(seen, mem))
        return false;
    struct accd_seen_element *at = place(seen, address, program);
    *first_p = !at->program;
    seen->used += !at->program;
    *at = (struct accd_seen_element){address, program};
    return true;
}

void accd_seen_close(struct accd_seen *seen, struct accd_mem *mem)
{
    accd_mem_free(mem, seen->at, seen->room * sizeof seen->at[0]);
    *seen = (struct accd_seen){0};
}
