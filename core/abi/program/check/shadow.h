/* shadow.h - shadow memory of programs compiled for checking: states of each byte of mapped data on both sides.
 *
 * DATA. Each word (8 bytes at a multiple of 8) has two words of shadow. `states` has four bits for each byte, byte 0 in
 * the lowest bits. `origin` is the low half of the return address of the last write. If no byte of the word is valid,
 * the origin is a digest of what the bytes were when they became invalid.
 *
 *      device   states  [w0][w1][w2]...        one array for all device memory        rt_shadow.states
 *               origins [w0][w1][w2]...        after it                               rt_shadow.origins
 *               tiles   [ 512 bytes ][ ...     255: kernels may read all of it        rt_shadow.tiles
 *
 *      host     shadow_pages[address / 2 MB] --> [262144 states][262144 origins]      NULL: nothing is mapped there
 *
 * STATES. The bits are an MSI protocol between host and device. Each side of a byte has a state of its own, which
 * changes by the events below; values are read for digests only.
 *
 *      PRESENT VALID DIRTY                                                             other side
 *         1      1     1    Modified: this side has the newest value, alone            Invalid
 *         1      1     0    Shared: both sides have the newest value                   Shared
 *         1      0     0    Invalid: old; on the device also: never written            Modified or Invalid
 *         1      0     1    host only: old, and the newest value was lost with the     any
 *                           data of an earlier mapping (rt_get_lost_bytes)
 *         0      -     -    not mapped; on the host free to use                        -
 *
 * WAS_READ: read on this side since a transfer moved it here; a write sets it, too. A host byte that is PRESENT without
 * a mapping has lost its newest value when its data were unmapped.
 *
 *      event                    this side                             other side
 *      allocation               device: Invalid                       host: Modified, or still lost
 *      write                    Modified                              Invalid, with a digest
 *      read if valid            WAS_READ                              -
 *      read if Invalid          reported, then Shared                 Shared
 *      transfer of valid bytes  target: Shared                        source: Shared
 *      transfer of old bytes    target: Invalid; if it was Modified:  reported, both valid
 *                               overwritten-change
 *      free                     device: not mapped                    host: not mapped, or PRESENT if it was old
 *
 * LOCKING. All functions need the lock. Accesses of the program read states and write origins without it
 * (core/abi/checked); a change that makes bytes unreadable also clears their tiles. */
#ifndef RT_SHADOW_H
#define RT_SHADOW_H

#include "abi/checked/checked.h"
#include "abi/program/strict/happens_before.h"
#include "check.h"

/* Symbols of the library that only programs compiled for checking have; NULL in others. */
#pragma weak rt_shadow
#pragma weak rt_get_check_thread
#pragma weak rt_find_malloc_block

/* Granule: the bytes of a range that lie in one word. */
struct rt_granule {
    uint32_t *states, *origin; /* shadow of the word; NULL: it has none */
    uint64_t at;
    size_t n;
    uint32_t bytes; /* mask of the bytes, four bits each */
};
/* Returns the granule at the beginning of a range of n bytes; n 0 gives an empty one. */
struct rt_granule rt_get_granule(uint64_t at, uint64_t n);
/* Iterates over the granules of a range. */
#define RT_FOR_EACH_GRANULE(granule, from, bytes_)                                                       \
    for (struct rt_granule granule /* NOLINT: a name */ = rt_get_granule((from), (bytes_)); (granule).n; \
         (granule) = rt_get_granule((granule).at + (granule).n, (from) + (bytes_) - (granule).at - (granule).n))

/* Returns the states of the word; 0 without a shadow. */
static inline uint32_t rt_get_granule_states(const struct rt_granule *granule)
{
    return granule->states ? *granule->states : 0;
}
/* Returns the bytes of a granule that have a state, as that bit of each. */
static inline uint32_t rt_get_bytes_with_state(const struct rt_granule *granule, uint32_t state)
{
    return rt_get_granule_states(granule) & granule->bytes & RT_ALL_BYTES(state);
}
/* True if all bytes of a granule have all of the states. */
static inline bool rt_have_all_bytes(const struct rt_granule *granule, uint32_t states)
{
    return rt_get_bytes_with_state(granule, states) == (granule->bytes & RT_ALL_BYTES(states));
}
/* Returns the host bytes of a granule that are old and whose newest value is lost, though they are mapped again: DIRTY,
 * but not VALID. All four bits of each are set. */
static inline uint32_t rt_get_lost_bytes(const struct rt_granule *granule)
{
    return (rt_get_bytes_with_state(granule, RT_DIRTY) / RT_DIRTY &
            ~(rt_get_bytes_with_state(granule, RT_VALID) / RT_VALID)) *
           0xf;
}
/* Returns the address of the first byte of a granule without a state, or the granule's end. */
static inline uint64_t rt_find_byte_without(const struct rt_granule *granule, uint32_t state)
{
    const uint32_t without = granule->bytes & RT_ALL_BYTES(state) & ~rt_get_bytes_with_state(granule, state);
    return without ? granule->at - granule->at % 8 + (uint64_t)__builtin_ctz(without) / 4 : granule->at + granule->n;
}
static inline bool rt_is_in_device_space(uint64_t at)
{
    return at - rt_shadow.low < rt_shadow.bytes;
}
/* Clears the tiles of a range, so that kernels check their reads of it again. Does nothing for host memory. */
static inline void rt_invalidate_tiles(uint64_t at, uint64_t n)
{
    const uint64_t first = (at - rt_shadow.low) / RT_TILE_BYTES;
    if (n && rt_is_in_device_space(at))
        memset(&rt_shadow.tiles[first], 0, (at + n - 1 - rt_shadow.low) / RT_TILE_BYTES + 1 - first);
}
/* Clears and sets states of all bytes of a granule. */
static inline void rt_change_states(const struct rt_granule *granule, uint32_t clear, uint32_t set)
{
    if (granule->states)
        __atomic_store_n(granule->states,
                         (*granule->states & ~(granule->bytes & RT_ALL_BYTES(clear))) |
                             (granule->bytes & RT_ALL_BYTES(set)),
                         __ATOMIC_RELAXED);
    if (clear & ~(uint32_t)RT_DIRTY)
        rt_invalidate_tiles(granule->at, granule->n);
}
/* Whole words at the beginning of a range whose shadow is contiguous. */
struct rt_word_run {
    uint32_t *states, *origins;
    size_t n; /* number of words; 0: the range does not begin with a whole one */
};
struct rt_word_run rt_get_word_run(uint64_t at, uint64_t n);
/* Returns the number of words from the first on whose bytes all have `states`, and of which no byte has any of `none`.
 */
size_t rt_count_words_with_state(const struct rt_word_run *run, uint32_t states, uint32_t none);
/* Change and test the states of a range. The test is true if all bytes have `states`, and none has any of `none`. */
void rt_set_states(uint64_t at, uint64_t n, uint32_t clear, uint32_t set);
bool rt_has_range_states(uint64_t at, uint64_t n, uint32_t states, uint32_t none);
/* Puts the states of a large device object in huge pages, as kernels may access it in any order. */
void rt_use_huge_shadow_pages(uint64_t dev, uint64_t bytes);
/* Adds a shadow to a range of host memory. Returns false without memory. */
bool rt_add_shadow(uint64_t host, uint64_t n);

/* Returns where the content of an address is now. While a kernel uses declared variables, their host and device bytes
 * are swapped. */
extern atomic_bool rt_declared_swapped;
const void *rt_get_content_address(uint64_t at);

/* Stores a digest of a word's present bytes as its origin, unless a byte of the word is valid. */
void rt_store_digest(const struct rt_granule *granule);
/* True if the word's bytes still match the digest; also true if a byte of the word is valid, as there is no digest. */
bool rt_matches_digest(const struct rt_granule *granule);

/* Removes a range from the shadow. Digests of other bytes in the same words are kept correct. */
void rt_remove_shadow(uint64_t at, uint64_t n);

/* Creates the shadow; the functions become those of struct rt_shadow. Ends the program without memory. */
void rt_shadow_init(void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame));
void rt_shadow_free(void);

/* True if n bytes hold the value of device memory that was never written. access.c. */
bool rt_is_poison(uint64_t at, size_t n);

/* Mapping: a present object on both sides. */
struct rt_mapping {
    uint64_t host, dev, bytes;
    int device;
};
/* Find the mapping that contains a host address on a device, or a device address. Return false if there is none. */
bool rt_find_mapping(int device, uint64_t host, struct rt_mapping *mapping);
bool rt_find_device_mapping(uint64_t dev, struct rt_mapping *mapping);
/* Must be called when objects were mapped or unmapped. */
void rt_invalidate_mapping_cache(void);
/* Caches the mapping at `at` for the calling thread, which has written there. The thread then handles further first
 * writes to it alone, until rt_shadow.version changes. */
void rt_cache_mapping(const struct rt_mapping *mapping, uint64_t at);
/* Marks a mapping whose sides both count as valid though they differ, because a wrong read was reported. The mark is
 * one of its first device byte; it must be removed when the object is unmapped. */
void rt_mark_divergent(const struct rt_mapping *mapping);
bool rt_is_divergent(const struct rt_mapping *mapping);
void rt_unmark_divergent(const struct rt_mapping *mapping);
/* Returns the address of the same byte on the other side. */
static inline uint64_t rt_other_side(const struct rt_mapping *mapping, uint64_t at)
{
    return rt_is_in_device_space(at) ? at - mapping->dev + mapping->host : at - mapping->host + mapping->dev;
}
/* Makes a range, which was written, invalid on the other side. */
void rt_invalidate_other_side(const struct rt_mapping *mapping, uint64_t at, uint64_t n);

/* Reserves address space that uses memory only when it is written; NULL: none. */
void *rt_reserve_memory(uint64_t bytes);

/* device_races.c: access history of device memory, and races. */
void rt_history_init(void);
void rt_history_free(void);
/* Begin and end the recording of a kernel's accesses on its thread. */
void rt_history_begin_kernel(struct rt_check_thread *thread);
void rt_history_end_kernel(const struct rt_check_thread *thread);
/* Records and checks an access of the call under way; how: RT_ACCESS_READ, ... */
void rt_history_record_access(uint64_t at, uint64_t n, unsigned how);

/* unused.c: statistics of data without use. */
/* Records a transfer to the device, before states change. number: its statistics; redundant: the device has the bytes
 * already. */
void rt_unused_record_transfer(const accd_event *event, const struct rt_mapping *mapping, uint16_t number,
                               bool redundant);
/* Counts bytes without use of an object that is freed, or that a kernel overwrites, before their states change. */
void rt_unused_record_free(const struct rt_mapping *mapping);
void rt_unused_record_overwrite(const struct rt_granule *granule);
/* Reports data without use, at the end. */
void rt_report_unused_data(void);

/* uninstrumented.c: object files of the program that were not compiled for checking, and which of them have kernels. */
void rt_find_uninstrumented_objects(void);
bool rt_has_uninstrumented_objects(void);
bool rt_has_uninstrumented_kernels(void);
void rt_report_uninstrumented_objects(void);

/* pending_transfers.c: host memory that an asynchronous transfer reads or writes. */
struct rt_pending_transfer {
    struct rt_access_origin origin;
    bool writes, redundant; /* true if it writes what is there already */
    bool scalar;            /* true if a kernel may have a copy of its own: the program may write the variable, and does
                             * not read it */
    uint64_t host, bytes;
    uint64_t object, object_bytes; /* host address and size of its object */
    struct rt_display_name display;
};
bool rt_has_pending_transfers(void);
void rt_record_pending_transfer(const accd_event *event, const struct rt_mapping *mapping, bool redundant);
/* Records that a routine copies bytes to or from host memory. */
void rt_record_pending_copy(uint64_t host, uint64_t bytes, bool writes);
/* Restores the shadow of pending transfers after that of a range was cleared. */
void rt_restore_pending_shadow(uint64_t host, uint64_t bytes);

/* Access that the shadow does not allow at once. frame: that of the instrumented function, or NULL. */
struct rt_access {
    uint64_t at;
    size_t n;
    bool write;
    uintptr_t pc;
    const uintptr_t *frame;
};
extern const char rt_mpi_transfer[]; /* name of a message of MPI that is given device memory */
/* Returns the function of the program that makes an access, itself or by a header of the system. call.pc is 0 if it is
 * not known. */
struct rt_site rt_get_access_site(const struct rt_access *access, const char *what);
/* reports.c. The construct of the kernel that the thread runs, or NULL; the kernel's device. */
extern __thread const struct rt_site *rt_kernel_site;
extern __thread int rt_kernel_device;
void rt_report_uninitialized_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping);
/* Reports a race of an access, or of the call under way, with earlier work. written: that work wrote the byte; last: no
 * other work has written it since. */
void rt_report_race(const struct rt_access *access, bool frees, const struct rt_access_origin *earlier, bool written,
                    bool last);
void rt_report_missing_wait(const struct rt_access *access, bool frees, const struct rt_pending_transfer *transfer);
/* Reports a missing wait if an access of the host, or the end of its memory, races with a pending transfer.
 * pending_transfers.c. */
void rt_check_pending_transfers(const struct rt_access *access, bool frees);
/* Reports a read of old bytes. origin: of the last write on the other side. */
void rt_report_stale_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping,
                          uint32_t origin);
/* Reports a read of bytes whose newest value was on the device and was lost with its data. */
void rt_report_lost_change(const struct rt_access *access, uint64_t at);
/* Records data that are freed with changes of the device. origin: of the lost change; 0: it was never written. */
void rt_record_lost_change(const accd_event *event, uint32_t origin);
/* Report an access and end the program. */
_Noreturn void rt_report_access_out_of_bounds(const struct rt_access *access, uint64_t at);
_Noreturn void rt_report_access_to_host(const struct rt_access *access);
_Noreturn void rt_report_access_to_device(const struct rt_access *access);
/* Reports that a transfer overwrites a Modified byte of its target. at: the byte's address. */
void rt_report_overwritten_change(const struct rt_mapping *mapping, uint64_t at, uint32_t origin);

#endif
