/* ask.c - the longer check of an access, which comes if the short one (access.h) does not allow it: accesses
 * to parts of words, the first read or write of data that were moved, and uses that are noted. If this check
 * does not allow the access either, the runtime decides. */
#include "access.h"
#include "order.h"

struct goacc_checked checked_here;
API extern struct goacc_checked goacc_checked __attribute__((alias("checked_here")));
__thread struct goacc_inside inside_here;

API struct goacc_inside *goacc_check_inside(void)
{
    return &inside_here;
}

/* The shadow of 8 bytes; false: there is none. */
struct words {
    uint32_t *states, *note;
};
static inline bool words_of(uintptr_t at, struct words *words)
{
    const uintptr_t offset = at - checked_here.low;
    if (offset < checked_here.bytes) {
        *words = (struct words){&checked_here.states[offset / 8], &checked_here.notes[offset / 8]};
        return true;
    }
    uint32_t *leaf = checked_here.leaves ? checked_here.leaves[at / GOACC_LEAF % GOACC_LEAVES] : NULL;
    if (leaf)
        *words = (struct words){&leaf[at % GOACC_LEAF / 8], &leaf[at % GOACC_LEAF / 8 + GOACC_NOTES]};
    return leaf;
}

/* The bytes of a range that lie in its first word: how many, and four bits each. */
static inline size_t first_part(uintptr_t at, size_t n, uint32_t *bytes_p)
{
    const size_t part = goacc_least(n, 8 - at % 8);
    *bytes_p = (uint32_t)goacc_of_bytes(part, 0xf) << 4 * (at % 8);
    return part;
}

/* Of a kernel: whether its use of bytes of one word is fine. */
static bool kernel_may(uintptr_t at, uint32_t bytes, bool write, uintptr_t pc)
{
    struct words words;
    if (at - inside_here.stack < inside_here.stack_bytes)
        return true;
    if (at - inside_here.declared < inside_here.declared_bytes)
        at += inside_here.offset;
    if (at - checked_here.low >= checked_here.bytes || !words_of(at, &words))
        return false;
    const uint32_t states = __atomic_load_n(words.states, __ATOMIC_RELAXED) & bytes;
    const uint32_t wanted = GOACC_IN_ALL(write ? GOACC_PRESENT | GOACC_ONLY : GOACC_PRESENT | GOACC_VALID);
    if (~states & bytes & wanted)
        return false;
    if (write)
        __atomic_store_n(words.note, (uint32_t)pc, __ATOMIC_RELAXED);
    else if (~states & bytes & GOACC_IN_ALL(GOACC_READ)) /* the first read of a kernel since the bytes were moved */
        __atomic_fetch_or(words.states, bytes & GOACC_IN_ALL(GOACC_READ), __ATOMIC_RELAXED);
    return true;
}

static bool host_may(uintptr_t at, uint32_t bytes, bool write, uintptr_t pc)
{
    struct words words;
    if (at - checked_here.low < checked_here.bytes)
        return false;
    if (!words_of(at, &words))
        return true;
    const uint32_t states = __atomic_load_n(words.states, __ATOMIC_RELAXED) & bytes;
    const uint32_t wanted = GOACC_IN_ALL(GOACC_PRESENT | GOACC_VALID | (write ? GOACC_ONLY : GOACC_READ));
    if (!(states & GOACC_IN_ALL(GOACC_PRESENT)))
        return true;
    if (~states & bytes & wanted)
        return false;
    if (write)
        __atomic_store_n(words.note, (uint32_t)pc, __ATOMIC_RELAXED);
    return true;
}

static bool may(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    for (size_t part; n; at += part, n -= part) {
        uint32_t bytes;
        part = first_part(at, n, &bytes);
        if (inside_here.runs ? !kernel_may(at, bytes, write, pc) : !host_may(at, bytes, write, pc))
            return false;
    }
    return true;
}

/* The states of 8 bytes, or of 4 of them, which threads use apart. */
static inline __attribute__((always_inline)) uint32_t states_at(const uint32_t *word, size_t n, uintptr_t at)
{
    const uint16_t *half = (const uint16_t *)(const void *)word + at / 4 % 2;
    return n == 8 ? __atomic_load_n(word, __ATOMIC_RELAXED) : __atomic_load_n(half, __ATOMIC_RELAXED);
}

static inline __attribute__((always_inline)) void set_states(uint32_t *word, size_t n, uintptr_t at, uint32_t states)
{
    uint16_t *half = (uint16_t *)(void *)word + at / 4 % 2;
    if (n == 8)
        __atomic_store_n(word, states, __ATOMIC_RELAXED);
    else
        __atomic_store_n(half, (uint16_t)states, __ATOMIC_RELAXED);
}

/* Whether all bytes of a tile have some states: two words at a time. */
static bool all_have(const uint64_t *states, unsigned wanted)
{
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < GOACC_TILE / 16; i++)
        all &= __atomic_load_n(&states[i], __ATOMIC_RELAXED);
    return !(~all & goacc_of_bytes(16, wanted));
}

static uint64_t *states_of_tile(size_t tile)
{
    return (uint64_t *)(void *)&checked_here.states[tile * (GOACC_TILE / 8)];
}

/* Kernels may read a tile, if all of it counts as read. Whoever changes states changes the tile then. */
static void try_tile(size_t tile)
{
    __atomic_exchange_n(&checked_here.tiles[tile], GOACC_ALL, __ATOMIC_SEQ_CST);
    if (!all_have(states_of_tile(tile), GOACC_PRESENT | GOACC_VALID | GOACC_READ))
        checked_here.tiles[tile] = 0;
}

/* Half of a tile was used: the rest counts as read, too, if it may be. */
static __attribute__((noinline)) void close_tile(size_t tile)
{
    uint64_t *states = states_of_tile(tile);
    const uint64_t read = goacc_of_bytes(16, GOACC_READ);
    checked_here.tiles[tile] = 0;
    if (!all_have(states, GOACC_PRESENT | GOACC_VALID))
        return;
    for (size_t i = 0; i < GOACC_TILE / 16; i++)
        if (~states[i] & read)
            __atomic_fetch_or(&states[i], read, __ATOMIC_RELAXED);
    try_tile(tile);
}

/* A kernel has used n bytes of device memory for the first time. */
static inline void count(uintptr_t offset, size_t n)
{
    uint8_t *tile = &checked_here.tiles[offset / GOACC_TILE];
    if (*tile == GOACC_ALL)
        return;
    *tile = (uint8_t)(*tile + n / 4);
    if (*tile >= GOACC_TILE / 4 / 2)
        close_tile(offset / GOACC_TILE);
}

/* The first read of a kernel since 8 or 4 bytes were moved. */
static inline __attribute__((always_inline)) bool reads_first(uintptr_t at, size_t n)
{
    const uintptr_t offset = at - checked_here.low;
    if (!inside_here.runs || at % n || offset >= checked_here.bytes)
        return false;
    uint32_t *word = &checked_here.states[offset / 8];
    const uint32_t states = states_at(word, n, at);
    if (~states & (uint32_t)goacc_of_bytes(n, GOACC_PRESENT | GOACC_VALID))
        return false;
    set_states(word, n, at, states | (uint32_t)goacc_of_bytes(n, GOACC_READ));
    count(offset, n);
    return true;
}

/* The first write of 8 or 4 bytes since they were moved: they are the newest on this side, and on the other no longer
 * valid. As the runtime does it, in an object that it has named; false: it has to. */
static inline __attribute__((always_inline)) bool writes_first(uintptr_t at, size_t n, uintptr_t pc)
{
    const uint32_t present = (uint32_t)goacc_of_bytes(n, GOACC_PRESENT),
                   valid = (uint32_t)goacc_of_bytes(n, GOACC_VALID),
                   gone = (uint32_t)goacc_of_bytes(n, GOACC_VALID | GOACC_ONLY);
    const struct goacc_near *near = inside_here.near;
    if (at % n || inside_here.version != checked_here.version)
        return false;
    while (at - near->at >= near->bytes)
        if (++near == inside_here.near + GOACC_NEAR)
            return false;
    const size_t i = (at - near->at) / 8;
    const uint32_t states = states_at(&near->states[i], n, at);
    const uint32_t unread = states / GOACC_VALID & ~(states / GOACC_ONLY) & ~(states / GOACC_READ) & present;
    if (~states & present || (unread && inside_here.runs && checked_here.numbers))
        return false;
    uint32_t *other = &near->other_states[i];
    const uint32_t others = states_at(other, n, at);
    if (others & valid) {
        set_states(other, n, at, others & ~gone);
        if (!inside_here.runs)
            __atomic_store_n(&checked_here.tiles[(at + near->offset - checked_here.low) / GOACC_TILE], 0,
                             __ATOMIC_RELEASE);
        const uint32_t left = others & ~gone, beside = n == 8 ? 0 : states_at(other, 4, at ^ 4);
        if (!((left | beside) & valid)) {
            const uint32_t all = at & 4 ? left << 16 | beside : left | beside << 16;
            uint64_t value;
            memcpy(&value, (const void *)(at / 8 * 8 + near->offset), sizeof value);
            __atomic_store_n(&near->other_notes[i], goacc_digest_of(all, value), __ATOMIC_RELAXED);
        }
    }
    set_states(&near->states[i], n, at, UINT32_MAX);
    __atomic_store_n(&near->notes[i], (uint32_t)pc, __ATOMIC_RELAXED);
    if (inside_here.runs)
        count(at - checked_here.low, n);
    return true;
}

static bool is_first(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    if (n == 4)
        return write ? writes_first(at, 4, pc) : reads_first(at, 4);
    return n == 8 && (write ? writes_first(at, 8, pc) : reads_first(at, 8));
}

/* A use of device memory that is noted. */
static inline void use(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    const size_t k = at - checked_here.low;
    if (!(n == 1 && goacc_use_again(&checked_here, &inside_here, k, 1, how)) &&
        !(n == 2 && k % 2 == 0 && goacc_use_again(&checked_here, &inside_here, k, 2, how)))
        goacc_use_all(&checked_here, &inside_here, at, n, how, pc, frame);
}

void goacc_ask(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    const bool write = how & GOACC_WRITES;
    if (inside_here.is_atomic)
        how |= GOACC_ATOMIC;
    if (inside_here.notes_uses) {
        const uintptr_t moved = at - inside_here.declared < inside_here.declared_bytes ? inside_here.offset : 0;
        if (at + moved - checked_here.low < checked_here.bytes)
            use(at + moved, n, how, pc, frame);
    }
    if (may(at, n, write, pc) || is_first(at, n, write, pc))
        return;
    checked_here.access(at, n, write, pc, frame);
    const uintptr_t end = at + n - checked_here.low;
    if (inside_here.runs && write && end % GOACC_TILE == 0 && end - 1 < checked_here.bytes)
        try_tile(end / GOACC_TILE - 1);
}

/* An access of 8 or 4 bytes that is noted, and fine. */
static inline __attribute__((always_inline)) bool notes(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    const uintptr_t offset = at - checked_here.low;
    const unsigned wanted = write ? GOACC_PRESENT | GOACC_ONLY : GOACC_PRESENT | GOACC_VALID | GOACC_READ;
    if (at % n || offset >= checked_here.bytes ||
        ~states_at(&checked_here.states[offset / 8], n, at) & (uint32_t)goacc_of_bytes(n, wanted))
        return false;
    const unsigned how = (write ? GOACC_WRITES : GOACC_READS) | (inside_here.is_atomic ? GOACC_ATOMIC : 0);
    if (!goacc_use_again(&checked_here, &inside_here, offset, n, how))
        return false;
    if (write)
        __atomic_store_n(&checked_here.notes[offset / 8], (uint32_t)pc, __ATOMIC_RELAXED);
    return true;
}

__attribute__((noinline)) void goacc_ask_from(uintptr_t at, size_t n, unsigned how)
{
    ASK_HERE(at, n, how);
}

#define FIRST(n)                                                                                               \
    void goacc_read##n##_first(uintptr_t at)                                                                   \
    {                                                                                                          \
        if (inside_here.notes_uses ? !notes(at, n, false, 0) : !reads_first(at, n))                            \
            goacc_ask_from(at, n, GOACC_READS);                                                                \
    }                                                                                                          \
    static __attribute__((noinline)) void write##n##_first(uintptr_t at)                                       \
    {                                                                                                          \
        const uintptr_t pc = (uintptr_t)__builtin_return_address(0);                                           \
        if (inside_here.notes_uses ? !notes(at, n, true, pc) : !writes_first(at, n, pc))                       \
            goacc_ask_from(at, n, GOACC_WRITES);                                                               \
    }
FIRST(4)
FIRST(8)

void goacc_write4_first(uintptr_t at)
{
    write4_first(at);
}

static __attribute__((noinline)) void count8(uintptr_t offset)
{
    count(offset, 8);
}

/* Most words were read before they are written for the first time, and are the newest on the other side, too. */
void goacc_write8_first(uintptr_t at)
{
    const struct goacc_inside *inside = &inside_here;
    const struct goacc_near *near = inside->near;
    while (at - near->at >= near->bytes)
        if (inside->notes_uses || ++near == inside->near + GOACC_NEAR) {
            write8_first(at);
            return;
        }
    const size_t i = (at - near->at) / 8;
    const uint32_t states = near->states[i], others = near->other_states[i];
    if (at % 8 || inside->version != checked_here.version || ~states & GOACC_IN_ALL(GOACC_PRESENT | GOACC_READ) ||
        ~others & GOACC_IN_ALL(GOACC_PRESENT | GOACC_VALID)) {
        write8_first(at);
        return;
    }
    near->other_states[i] = others & ~GOACC_IN_ALL(GOACC_VALID | GOACC_ONLY);
    near->states[i] = UINT32_MAX;
    near->notes[i] = (uint32_t)(uintptr_t)__builtin_return_address(0);
    uint64_t value;
    memcpy(&value, (const void *)(at + near->offset), sizeof value);
    near->other_notes[i] = goacc_digest_of_all(value);
    const uintptr_t offset = (inside->runs ? at : at + near->offset) - checked_here.low;
    if (!inside->runs)
        checked_here.tiles[offset / GOACC_TILE] = 0;
    else if (checked_here.tiles[offset / GOACC_TILE] != GOACC_ALL)
        count8(offset);
}

void goacc_ask_words(uintptr_t at, size_t n, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    for (size_t part; n; at += part, n -= part) {
        const uintptr_t leaf_end = (at | (GOACC_LEAF - 1)) + 1;
        part = goacc_least(n, 8 - at % 8);
        if (!inside_here.runs && !checked_here.leaves[at / GOACC_LEAF % GOACC_LEAVES] &&
            at - checked_here.low >= checked_here.bytes)
            part = goacc_least(n, leaf_end - at);
        else if (inside_here.notes_uses || !may(at, part, how & GOACC_WRITES, pc))
            goacc_ask(at, part, how, pc, frame);
    }
}
