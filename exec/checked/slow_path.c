/* slow_path.c - slow path of the check of an access that fast_path.h did not allow. Handles accesses to parts
 * of words, the first read or write of bytes since they were moved, and accesses that are recorded in the
 * access history. Calls the runtime if the states do not allow the access. */
#include "access_history.h"
#include "fast_path.h"
#include "loops.h"

/* State of the checks for the process, under two names (local_shadow is hidden from other libraries), and
 * state of each thread. */
struct rt_shadow local_shadow;
API extern struct rt_shadow rt_shadow __attribute__((alias("local_shadow")));
__thread struct rt_check_thread this_check_thread;

/* Returns the state of the calling thread. */
API struct rt_check_thread *rt_get_check_thread(void)
{
    return &this_check_thread;
}

/* Shadow of one word (8 bytes): its states and its origin (see checked.h). */
struct words {
    uint32_t *states, *origin;
};
/* Sets *words to the shadow of the word that contains `at`, and returns true. Returns false, and sets
 * nothing, if the word has no shadow: it is not in device memory, and nothing near it is mapped. */
static inline bool find_shadow_words(uintptr_t at, struct words *words)
{
    const uintptr_t offset = at - local_shadow.low;
    if (offset < local_shadow.bytes) {
        *words = (struct words){&local_shadow.states[offset / 8], &local_shadow.origins[offset / 8]};
        return true;
    }
    uint32_t *shadow_page =
        local_shadow.shadow_pages ? local_shadow.shadow_pages[at / RT_SHADOW_PAGE_BYTES % RT_SHADOW_PAGES] : NULL;
    if (shadow_page)
        *words = (struct words){&shadow_page[at % RT_SHADOW_PAGE_BYTES / 8],
                                &shadow_page[at % RT_SHADOW_PAGE_BYTES / 8 + RT_SHADOW_ORIGINS]};
    return shadow_page;
}

/* Returns how many of the n bytes from `at` on lie in the first word, and sets *bytes_p to the mask of these bytes,
 * four bits each. */
static inline size_t get_first_part(uintptr_t at, size_t n, uint32_t *bytes_p)
{
    const size_t part = rt_min_size(n, 8 - at % 8);
    *bytes_p = (uint32_t)rt_repeat_states(part, 0xf) << 4 * (at % 8);
    return part;
}

/* Returns true if a kernel may access `bytes` (a mask, four bits for each byte) of the word at `at`. It may
 * on its own stack, and in device memory whose states allow it. Then sets WAS_READ of read bytes, or stores
 * `pc` (return address of the access) as the origin of a written word. Returns false without a change. */
static bool is_allowed_in_kernel(uintptr_t at, uint32_t bytes, bool write, uintptr_t pc)
{
    struct words words;
    if (at - this_check_thread.stack < this_check_thread.all_stack_bytes)
        return true;
    if (at - this_check_thread.declared < this_check_thread.declared_bytes)
        at += this_check_thread.offset;
    if (at - local_shadow.low >= local_shadow.bytes || !find_shadow_words(at, &words))
        return false;
    const uint32_t states = __atomic_load_n(words.states, __ATOMIC_RELAXED) & bytes;
    const uint32_t required_states = RT_ALL_BYTES(write ? RT_PRESENT | RT_DIRTY : RT_PRESENT | RT_VALID);
    if (~states & bytes & required_states)
        return false;
    if (write)
        __atomic_store_n(words.origin, (uint32_t)pc, __ATOMIC_RELAXED);
    else if (~states & bytes & RT_ALL_BYTES(RT_WAS_READ)) /* first read since the bytes were moved */
        __atomic_fetch_or(words.states, bytes & RT_ALL_BYTES(RT_WAS_READ), __ATOMIC_RELAXED);
    return true;
}

/* Returns true if the host may access `bytes` (a mask, four bits for each byte) of the word at `at`. It may
 * if the bytes are in host memory and not mapped, or if their states allow it. Then stores `pc` as the origin
 * of a written word with present bytes. Returns false without a change. */
static bool is_allowed_on_host(uintptr_t at, uint32_t bytes, bool write, uintptr_t pc)
{
    struct words words;
    if (at - local_shadow.low < local_shadow.bytes)
        return false;
    if (!find_shadow_words(at, &words))
        return true;
    const uint32_t states = __atomic_load_n(words.states, __ATOMIC_RELAXED) & bytes;
    const uint32_t required_states = RT_ALL_BYTES(RT_PRESENT | RT_VALID | (write ? RT_DIRTY : RT_WAS_READ));
    if (!(states & RT_ALL_BYTES(RT_PRESENT)))
        return true;
    if (~states & bytes & required_states)
        return false;
    if (write)
        __atomic_store_n(words.origin, (uint32_t)pc, __ATOMIC_RELAXED);
    return true;
}

/* Returns true if the states allow the access of n bytes at `at` in each word. Sets WAS_READ or the origin of
 * each word before the first word that does not allow the access. */
static bool is_allowed(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    for (size_t part; n; at += part, n -= part) {
        uint32_t bytes;
        part = get_first_part(at, n, &bytes);
        if (this_check_thread.in_kernel ? !is_allowed_in_kernel(at, bytes, write, pc)
                                        : !is_allowed_on_host(at, bytes, write, pc))
            return false;
    }
    return true;
}

/* Returns the states of n bytes (4 or 8) at `at`, whose shadow is *word. Half a word is loaded for 4 bytes, because
 * threads use the halves independently. */
static inline __attribute__((always_inline)) uint32_t load_atomic_states(const uint32_t *word, size_t n, uintptr_t at)
{
    const uint16_t *half = (const uint16_t *)(const void *)word + at / 4 % 2;
    return n == 8 ? __atomic_load_n(word, __ATOMIC_RELAXED) : __atomic_load_n(half, __ATOMIC_RELAXED);
}

/* Stores the states of n bytes (4 or 8) at `at`, whose shadow is *word, without a change of the other half. */
static inline __attribute__((always_inline)) void store_atomic_states(uint32_t *word, size_t n, uintptr_t at,
                                                                      uint32_t states)
{
    uint16_t *half = (uint16_t *)(void *)word + at / 4 % 2;
    if (n == 8)
        __atomic_store_n(word, states, __ATOMIC_RELAXED);
    else
        __atomic_store_n(half, (uint16_t)states, __ATOMIC_RELAXED);
}

/* Returns true if all bytes of a tile have the states `required_states`. Each element of `states` covers two words. */
static bool has_tile_states(const uint64_t *states, unsigned required_states)
{
    uint64_t common_states = UINT64_MAX;
    for (size_t i = 0; i < RT_TILE_BYTES / 16; i++)
        common_states &= __atomic_load_n(&states[i], __ATOMIC_RELAXED);
    return !(~common_states & rt_repeat_states(16, required_states));
}

/* Returns the states of the bytes of tile number `tile` of device memory; each element has the states of two words. */
static uint64_t *get_tile_states(size_t tile)
{
    return (uint64_t *)(void *)&local_shadow.states[tile * (RT_TILE_BYTES / 8)];
}

/* Sets the shadow of a tile (512 bytes of device memory, see checked.h) to RT_TILE_READABLE if all of its
 * bytes are valid and count as read, otherwise to 0. Marks the tile before it tests the states, because code
 * that changes states clears the tile afterwards. */
static void try_mark_tile(size_t tile)
{
    __atomic_exchange_n(&local_shadow.tiles[tile], RT_TILE_READABLE, __ATOMIC_SEQ_CST);
    if (!has_tile_states(get_tile_states(tile), RT_PRESENT | RT_VALID | RT_WAS_READ))
        local_shadow.tiles[tile] = 0;
}

/* Handles a tile half of whose bytes a kernel has used: if all bytes are valid, marks them as read, and makes
 * the tile readable for kernels. Otherwise sets the tile's count of used bytes back to 0. */
static __attribute__((noinline)) void complete_tile(size_t tile)
{
    uint64_t *states = get_tile_states(tile);
    const uint64_t read = rt_repeat_states(16, RT_WAS_READ);
    local_shadow.tiles[tile] = 0;
    if (!has_tile_states(states, RT_PRESENT | RT_VALID))
        return;
    for (size_t i = 0; i < RT_TILE_BYTES / 16; i++)
        if (~states[i] & read)
            __atomic_fetch_or(&states[i], read, __ATOMIC_RELAXED);
    try_mark_tile(tile);
}

/* Counts that a kernel has used n bytes at an offset in device memory for the first time, in the tile of
 * these bytes. Completes a tile that is half used; does nothing for a readable tile. */
static inline void count_tile_use(uintptr_t offset, size_t n)
{
    uint8_t *tile = &local_shadow.tiles[offset / RT_TILE_BYTES];
    if (*tile == RT_TILE_READABLE)
        return;
    *tile = (uint8_t)(*tile + n / 4);
    if (*tile >= RT_TILE_BYTES / 4 / 2)
        complete_tile(offset / RT_TILE_BYTES);
}

/* Handles a kernel's first read of n bytes (4 or 8) at `at` since the bytes were moved: sets WAS_READ, and
 * returns true. Returns false for host code, for an unaligned address, and for bytes that are not valid
 * device memory. */
static inline __attribute__((always_inline)) bool handle_first_read(uintptr_t at, size_t n)
{
    const uintptr_t offset = at - local_shadow.low;
    if (!this_check_thread.in_kernel || at % n || offset >= local_shadow.bytes)
        return false;
    uint32_t *word = &local_shadow.states[offset / 8];
    const uint32_t states = load_atomic_states(word, n, at);
    if (~states & (uint32_t)rt_repeat_states(n, RT_PRESENT | RT_VALID))
        return false;
    store_atomic_states(word, n, at, states | (uint32_t)rt_repeat_states(n, RT_WAS_READ));
    count_tile_use(offset, n);
    return true;
}

/* Handles the first write of n bytes (4 or 8) at `at` since the bytes were moved, and returns true. This side
 * becomes Modified (the only one with the newest value), the other side Invalid. Returns false if the runtime
 * must handle the write. The address is unaligned then, the bytes are not in the thread's lookup cache or not
 * present, or unread bytes of a transfer must be counted. */
static inline __attribute__((always_inline)) bool handle_first_write(uintptr_t at, size_t n, uintptr_t pc)
{
    const uint32_t present = (uint32_t)rt_repeat_states(n, RT_PRESENT), valid = (uint32_t)rt_repeat_states(n, RT_VALID),
                   invalidated = (uint32_t)rt_repeat_states(n, RT_VALID | RT_DIRTY);
    const struct rt_lookup_entry *lookup_cache = this_check_thread.lookup_cache;
    if (at % n || this_check_thread.version != local_shadow.version)
        return false;
    while (at - lookup_cache->at >= lookup_cache->bytes)
        if (++lookup_cache == this_check_thread.lookup_cache + RT_LOOKUP_CACHE)
            return false;
    const size_t i = (at - lookup_cache->at) / 8;
    const uint32_t states = load_atomic_states(&lookup_cache->states[i], n, at);
    const uint32_t unread = states / RT_VALID & ~(states / RT_DIRTY) & ~(states / RT_WAS_READ) & present;
    if (~states & present || (unread && this_check_thread.in_kernel && local_shadow.transfer_ids))
        return false;
    uint32_t *other = &lookup_cache->other_states[i];
    const uint32_t other_states = load_atomic_states(other, n, at);
    if (other_states & valid) {
        store_atomic_states(other, n, at, other_states & ~invalidated);
        if (!this_check_thread.in_kernel)
            __atomic_store_n(&local_shadow.tiles[(at + lookup_cache->offset - local_shadow.low) / RT_TILE_BYTES], 0,
                             __ATOMIC_RELEASE);
        const uint32_t rest = other_states & ~invalidated, neighbor = n == 8 ? 0 : load_atomic_states(other, 4, at ^ 4);
        if (!((rest | neighbor) & valid)) {
            const uint32_t word_states = at & 4 ? rest << 16 | neighbor : rest | neighbor << 16;
            uint64_t value;
            memcpy(&value, (const void *)(at / 8 * 8 + lookup_cache->offset), sizeof value);
            __atomic_store_n(&lookup_cache->other_origins[i], rt_digest_present_bytes(word_states, value),
                             __ATOMIC_RELAXED);
        }
    }
    store_atomic_states(&lookup_cache->states[i], n, at, UINT32_MAX);
    __atomic_store_n(&lookup_cache->origins[i], (uint32_t)pc, __ATOMIC_RELAXED);
    if (this_check_thread.in_kernel)
        count_tile_use(at - local_shadow.low, n);
    return true;
}

/* Handles the first access of n bytes since they were moved, and returns true. Returns false if n is not 4 or
 * 8, or if the runtime must handle the access. */
static bool handle_first_access(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    if (n == 4)
        return write ? handle_first_write(at, 4, pc) : handle_first_read(at, 4);
    return n == 8 && (write ? handle_first_write(at, 8, pc) : handle_first_read(at, 8));
}

/* Records an access of n bytes of device memory at address `at` in the access history. */
static inline void record_use(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    const size_t k = at - local_shadow.low;
    if (!(n == 1 && rt_record_repeated_access(&local_shadow, &this_check_thread, k, 1, access_flags)) &&
        !(n == 2 && k % 2 == 0 && rt_record_repeated_access(&local_shadow, &this_check_thread, k, 2, access_flags)))
        rt_record_access_range(&local_shadow, &this_check_thread, at, n, access_flags, pc, frame);
}

/* Records an access if the thread records accesses. Then does nothing if the states allow the access, handles
 * a first access since the bytes were moved, or calls rt_shadow.on_access. */
void rt_check_slow_path(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    const bool write = access_flags & RT_ACCESS_WRITE;
    if (this_check_thread.is_atomic)
        access_flags |= RT_ACCESS_ATOMIC;
    if (this_check_thread.records) {
        const uintptr_t shift =
            at - this_check_thread.declared < this_check_thread.declared_bytes ? this_check_thread.offset : 0;
        const bool is_on_device = at + shift - local_shadow.low < local_shadow.bytes;
        if (is_on_device && this_check_thread.records_accesses)
            record_use(at + shift, n, access_flags, pc, frame);
        if (this_check_thread.records_iterations)
            rt_record_iteration_access(at + shift, n, access_flags, pc, frame, is_on_device);
    }
    if (is_allowed(at, n, write, pc) || handle_first_access(at, n, write, pc))
        return;
    local_shadow.on_access(at, n, write, pc, frame);
    const uintptr_t end = at + n - local_shadow.low;
    if (this_check_thread.in_kernel && write && end % RT_TILE_BYTES == 0 && end - 1 < local_shadow.bytes)
        try_mark_tile(end / RT_TILE_BYTES - 1);
}

/* Records a kernel's access of n bytes (4 or 8) in the access history, and returns true. Returns false,
 * without a record, if the access is unaligned, the states do not allow it, or rt_record_repeated_access
 * cannot record it. */
static inline __attribute__((always_inline)) bool record_aligned_use(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    const uintptr_t offset = at - local_shadow.low;
    const unsigned required_states = write ? RT_PRESENT | RT_DIRTY : RT_PRESENT | RT_VALID | RT_WAS_READ;
    if (at % n || offset >= this_check_thread.history_bytes ||
        ~load_atomic_states(&local_shadow.states[offset / 8], n, at) & (uint32_t)rt_repeat_states(n, required_states))
        return false;
    const unsigned access_flags =
        (write ? RT_ACCESS_WRITE : RT_ACCESS_READ) | (this_check_thread.is_atomic ? RT_ACCESS_ATOMIC : 0);
    if (!rt_record_repeated_access(&local_shadow, &this_check_thread, offset, n, access_flags))
        return false;
    if (write)
        __atomic_store_n(&local_shadow.origins[offset / 8], (uint32_t)pc, __ATOMIC_RELAXED);
    return true;
}

/* Records a kernel's plain access of n bytes (4 or 8) in the history of iterations, and returns true. Returns false,
 * without a record, if the slow path has to look at it. */
static inline __attribute__((always_inline)) bool record_iteration_use(uintptr_t at, size_t n, bool write, uintptr_t pc)
{
    const uintptr_t offset = at - local_shadow.low;
    const unsigned required_states = write ? RT_PRESENT | RT_VALID | RT_DIRTY : RT_PRESENT | RT_VALID | RT_WAS_READ;
    if (!this_check_thread.records_iterations || at % n || offset >= local_shadow.bytes ||
        this_check_thread.records_accesses | this_check_thread.is_atomic ||
        rt_kernel_loops.has_locks | rt_kernel_loops.has_conflict | rt_kernel_loops.is_traced |
            rt_kernel_loops.has_device_scalars ||
        ~load_atomic_states(&local_shadow.states[offset / 8], n, at) & (uint32_t)rt_repeat_states(n, required_states) ||
        !rt_record_plain_access(&local_shadow, offset, n, write, pc))
        return false;
    if (write)
        local_shadow.origins[offset / 8] = (uint32_t)pc;
    return true;
}

/* Checks an access of the program by rt_check_slow_path. A function that the compiler calls jumps here, so
 * that the return address is that of the program's access. */
__attribute__((noinline)) void rt_check_caller_slow_path(uintptr_t at, size_t n, unsigned access_flags)
{
    SLOW_PATH_HERE(at, n, access_flags);
}

/* Defines rt_readN_first and writeN_first for n bytes. In a thread that records accesses, they record the
 * access. In other threads, they handle the first access to the bytes since these were moved. Accesses that
 * they cannot handle take the slow path, those of iterations by check_readN or check_writeN. */
#define FIRST(n)                                                                                               \
    static __attribute__((noinline)) void check_read##n(uintptr_t at)                                          \
    {                                                                                                          \
        if (!record_iteration_use(at, n, false, (uintptr_t)__builtin_return_address(0)))                       \
            rt_check_caller_slow_path(at, n, RT_ACCESS_READ);                                                  \
    }                                                                                                          \
    static __attribute__((noinline)) void check_write##n(uintptr_t at)                                         \
    {                                                                                                          \
        if (!record_iteration_use(at, n, true, (uintptr_t)__builtin_return_address(0)))                        \
            rt_check_caller_slow_path(at, n, RT_ACCESS_WRITE);                                                 \
    }                                                                                                          \
    void rt_read##n##_first(uintptr_t at)                                                                      \
    {                                                                                                          \
        if (this_check_thread.records ? !record_aligned_use(at, n, false, 0) : !handle_first_read(at, n))      \
            check_read##n(at);                                                                                 \
    }                                                                                                          \
    static __attribute__((noinline)) void write##n##_first(uintptr_t at)                                       \
    {                                                                                                          \
        const uintptr_t pc = (uintptr_t)__builtin_return_address(0);                                           \
        if (this_check_thread.records ? !record_aligned_use(at, n, true, pc) : !handle_first_write(at, n, pc)) \
            check_write##n(at);                                                                                \
    }
FIRST(4)
FIRST(8)

/* Checks a write of 4 bytes that may be the first one since they were moved. */
void rt_write4_first(uintptr_t at)
{
    write4_first(at);
}

/* Counts the first use of 8 bytes at an offset in device memory; not inlined, to keep rt_write8_first short. */
static __attribute__((noinline)) void count_tile_use8(uintptr_t offset)
{
    count_tile_use(offset, 8);
}

/* Checks a write of 8 bytes that may be the first one since they were moved. Handles the common case itself:
 * an aligned write to a part in the lookup cache, of bytes that were read before and whose other side is
 * valid. Other cases go to write8_first. */
void rt_write8_first(uintptr_t at)
{
    const struct rt_check_thread *thread = &this_check_thread;
    const struct rt_lookup_entry *lookup_cache = thread->lookup_cache;
    while (at - lookup_cache->at >= lookup_cache->bytes)
        if (thread->records || ++lookup_cache == thread->lookup_cache + RT_LOOKUP_CACHE) {
            write8_first(at);
            return;
        }
    const size_t i = (at - lookup_cache->at) / 8;
    const uint32_t states = lookup_cache->states[i], other_states = lookup_cache->other_states[i];
    if (at % 8 || thread->version != local_shadow.version || ~states & RT_ALL_BYTES(RT_PRESENT | RT_WAS_READ) ||
        ~other_states & RT_ALL_BYTES(RT_PRESENT | RT_VALID)) {
        write8_first(at);
        return;
    }
    lookup_cache->other_states[i] = other_states & ~RT_ALL_BYTES(RT_VALID | RT_DIRTY);
    lookup_cache->states[i] = UINT32_MAX;
    lookup_cache->origins[i] = (uint32_t)(uintptr_t)__builtin_return_address(0);
    uint64_t value;
    memcpy(&value, (const void *)(at + lookup_cache->offset), sizeof value);
    lookup_cache->other_origins[i] = rt_digest_word(value);
    const uintptr_t offset = (thread->in_kernel ? at : at + lookup_cache->offset) - local_shadow.low;
    if (!thread->in_kernel)
        local_shadow.tiles[offset / RT_TILE_BYTES] = 0;
    else if (local_shadow.tiles[offset / RT_TILE_BYTES] != RT_TILE_READABLE)
        count_tile_use8(offset);
}

/* Checks an access of n bytes word by word. Skips host memory without a shadow, up to the end of the missing
 * shadow page. */
void rt_check_words_slow_path(uintptr_t at, size_t n, unsigned access_flags, uintptr_t pc, const uintptr_t *frame)
{
    for (size_t part; n; at += part, n -= part) {
        const uintptr_t leaf_end = (at | (RT_SHADOW_PAGE_BYTES - 1)) + 1;
        part = rt_min_size(n, 8 - at % 8);
        if (!this_check_thread.in_kernel && !local_shadow.shadow_pages[at / RT_SHADOW_PAGE_BYTES % RT_SHADOW_PAGES] &&
            at - local_shadow.low >= local_shadow.bytes)
            part = rt_min_size(n, leaf_end - at);
        else if (this_check_thread.records || !is_allowed(at, part, access_flags & RT_ACCESS_WRITE, pc))
            rt_check_slow_path(at, part, access_flags, pc, frame);
    }
}
