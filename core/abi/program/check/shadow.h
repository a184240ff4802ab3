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

/* Granule: the bytes of a range that lie in one word (8 bytes at a multiple of 8). */
struct rt_granule {
    uint32_t *states, *origin; /* shadow of the word; both are NULL if the word has no shadow */
    uint64_t at;               /* address of the first byte */
    size_t n;                  /* number of bytes, 0 to 8 */
    uint32_t bytes;            /* mask of the granule's bytes in `states`, four bits each */
};
/* Returns the granule at the beginning of a range of n bytes; n 0 gives an empty one. */
struct rt_granule rt_get_granule(uint64_t at, uint64_t n);
/* Iterates over the granules of a range. */
#define RT_FOR_EACH_GRANULE(granule, from, bytes_)                                                       \
    for (struct rt_granule granule /* NOLINT: a name */ = rt_get_granule((from), (bytes_)); (granule).n; \
         (granule) = rt_get_granule((granule).at + (granule).n, (from) + (bytes_) - (granule).at - (granule).n))

/* Returns the states of the granule's whole word; 0 if the word has no shadow. */
static inline uint32_t rt_get_granule_states(const struct rt_granule *granule)
{
    return granule->states ? *granule->states : 0;
}
/* Returns the bytes of a granule that have `state` (one bit), as a mask with this bit set for each such byte. */
static inline uint32_t rt_get_bytes_with_state(const struct rt_granule *granule, uint32_t state)
{
    return rt_get_granule_states(granule) & granule->bytes & RT_ALL_BYTES(state);
}
/* True if all bytes of a granule have all of the states. */
static inline bool rt_have_all_bytes(const struct rt_granule *granule, uint32_t states)
{
    return rt_get_bytes_with_state(granule, states) == (granule->bytes & RT_ALL_BYTES(states));
}
/* Returns the mask of the host bytes of a granule that are old and whose newest value is lost (DIRTY, but not VALID),
 * though they are mapped again. The mask has all four bits of each such byte. */
static inline uint32_t rt_get_lost_bytes(const struct rt_granule *granule)
{
    return (rt_get_bytes_with_state(granule, RT_DIRTY) / RT_DIRTY &
            ~(rt_get_bytes_with_state(granule, RT_VALID) / RT_VALID)) *
           0xf;
}
/* Returns the address of the first byte of a granule that does not have `state`; the end of the granule if all bytes
 * have it. */
static inline uint64_t rt_find_byte_without(const struct rt_granule *granule, uint32_t state)
{
    const uint32_t without = granule->bytes & RT_ALL_BYTES(state) & ~rt_get_bytes_with_state(granule, state);
    return without ? granule->at - granule->at % 8 + (uint64_t)__builtin_ctz(without) / 4 : granule->at + granule->n;
}
/* Returns true if an address lies in the address space of device memory, allocated or not. */
static inline bool rt_is_in_device_space(uint64_t at)
{
    return at - rt_shadow.low < rt_shadow.bytes;
}
/* Clears the tiles of a range of device memory, so that kernels check their reads of the range again. Does nothing for
 * host memory. */
static inline void rt_invalidate_tiles(uint64_t at, uint64_t n)
{
    const uint64_t first = (at - rt_shadow.low) / RT_TILE_BYTES;
    if (n && rt_is_in_device_space(at))
        memset(&rt_shadow.tiles[first], 0, (at + n - 1 - rt_shadow.low) / RT_TILE_BYTES + 1 - first);
}
/* Clears the states `clear` and sets the states `set` of all bytes of a granule. Clears the tiles of the bytes, too,
 * unless DIRTY is the only state that is cleared. Does nothing without a shadow. */
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
    size_t n; /* number of words; 0: the range does not begin with a whole word that has a shadow */
};
struct rt_word_run rt_get_word_run(uint64_t at, uint64_t n);
/* Returns how many words at the beginning of a run have all of `states` and none of the states `none` in each byte. */
size_t rt_count_words_with_state(const struct rt_word_run *run, uint32_t states, uint32_t none);
/* Clears the states `clear` and sets the states `set` of n bytes; bytes without a shadow are skipped. */
void rt_set_states(uint64_t at, uint64_t n, uint32_t clear, uint32_t set);
/* Returns true if each of n bytes has all of `states` and none of the states `none`. */
bool rt_has_range_states(uint64_t at, uint64_t n, uint32_t states, uint32_t none);
/* Asks for huge pages for the states of a large device object, because kernels may access the object in any order. */
void rt_use_huge_shadow_pages(uint64_t dev, uint64_t bytes);
/* Adds shadow pages for a range of host memory of n bytes, not 0. Returns false without memory. */
bool rt_add_shadow(uint64_t host, uint64_t n);

/* True while a kernel uses declared variables: then the host and device bytes of these variables are swapped. */
extern atomic_bool rt_declared_swapped;
/* Returns the address where the bytes that belong to the address `at` are now; differs from `at` while declared
 * variables are swapped. */
const void *rt_get_content_address(uint64_t at);

/* Stores a digest of the present bytes of the granule's word as the origin of the word. Does nothing if a byte of the
 * word is valid, or without a shadow. */
void rt_store_digest(const struct rt_granule *granule);
/* Returns true if the present bytes of the granule's word still match the digest. Also true if the word has no digest,
 * because a byte of it is valid or it has no shadow. */
bool rt_matches_digest(const struct rt_granule *granule);

/* Removes a range from the shadow. Digests of other bytes in the same words are kept correct. */
void rt_remove_shadow(uint64_t at, uint64_t n);

/* Allocates the shadow and stores the four functions in rt_shadow, whose fields describe them. Ends the program without
 * memory. */
void rt_shadow_init(void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame));
/* Frees the device's shadow and mappings; the host's shadow pages stay reserved but empty. */
void rt_shadow_free(void);

/* access.c: returns true if n bytes hold poison, the value that the runtime gives device memory at its allocation. */
bool rt_is_poison(uint64_t at, size_t n);

/* Mapping: a present object, with its address on the host and on the device. */
struct rt_mapping {
    uint64_t host, dev, bytes;
    int device;
};
/* Finds the mapping on `device` that contains the host address `host`. Returns false if there is none. */
bool rt_find_mapping(int device, uint64_t host, struct rt_mapping *mapping);
/* Finds the mapping that contains the device address `dev`, of any device. Returns false if there is none. */
bool rt_find_device_mapping(uint64_t dev, struct rt_mapping *mapping);
/* Forgets cached mappings, also those of all threads; must be called when objects were mapped or unmapped. */
void rt_invalidate_mapping_cache(void);
/* Caches the mapping around `at`, where the calling thread has written. The thread then handles further first writes to
 * this object without the runtime, until rt_shadow.version changes. Does nothing with several devices or declared
 * variables. */
void rt_cache_mapping(const struct rt_mapping *mapping, uint64_t at);
/* Marks a mapping whose sides both count as valid though they differ, after a wrong read. The mark belongs to the first
 * device byte of the object, and must be removed when the object is unmapped. Ends the program without memory. */
void rt_mark_divergent(const struct rt_mapping *mapping);
bool rt_is_divergent(const struct rt_mapping *mapping);
void rt_unmark_divergent(const struct rt_mapping *mapping);
/* Returns the address, on the other side, of the byte of a mapping at `at`, which may be a host or a device address. */
static inline uint64_t rt_other_side(const struct rt_mapping *mapping, uint64_t at)
{
    return rt_is_in_device_space(at) ? at - mapping->dev + mapping->host : at - mapping->host + mapping->dev;
}
/* Makes the other side of n bytes at `at`, which were written, Invalid, and stores digests of the old values. */
void rt_invalidate_other_side(const struct rt_mapping *mapping, uint64_t at, uint64_t n);

/* Returns `bytes` bytes of new address space, zeroed, which uses memory only where it is written; NULL on failure. */
void *rt_reserve_memory(uint64_t bytes);

/* device_races.c: access history of device memory, and races. rt_history_init ends the program without memory. */
void rt_history_init(void);
void rt_history_free(void);
/* Begins a kernel on a thread: the fast path may use all device memory, or each access is recorded if other work may
 * race with the kernel. */
void rt_history_begin_kernel(struct rt_check_thread *thread);
/* Ends the recording of the kernel's accesses on a thread; does nothing if they were not recorded. */
void rt_history_end_kernel(const struct rt_check_thread *thread);
/* Records an access of the call under way to n bytes of device memory, and reports a race. Does nothing for host
 * memory. how: RT_ACCESS_READ, ... */
void rt_history_record_access(uint64_t at, uint64_t n, unsigned how);

/* unused.c: statistics of data without use. */
/* Records a transfer to the device; called before states change. number: of its statistics, from
 * rt_stats_record_transfer; redundant: the device has the newest bytes already. */
void rt_unused_record_transfer(const accd_event *event, const struct rt_mapping *mapping, uint16_t number,
                               bool redundant);
/* Counts the unread bytes of an object that is freed; called before states change. */
void rt_unused_record_free(const struct rt_mapping *mapping);
/* Counts the unread bytes of a granule that a kernel overwrites; called before states change. */
void rt_unused_record_overwrite(const struct rt_granule *granule);
/* Reports transfers and allocations whose data no kernel used, at the end of the program. */
void rt_report_unused_data(void);

/* uninstrumented.c: object files of the program that were not compiled for checking, and which of them have kernels. */
void rt_find_uninstrumented_objects(void);
bool rt_has_uninstrumented_objects(void);
bool rt_has_uninstrumented_kernels(void);
void rt_report_uninstrumented_objects(void);

/* pending_transfers.c: host memory that an asynchronous transfer reads or writes. */
struct rt_pending_transfer {
    struct rt_access_origin origin;
    bool writes, redundant; /* writes: the transfer writes host memory, otherwise it reads it; redundant: it writes the
                             * bytes that the host has already */
    bool scalar; /* true if a kernel may have a private copy of the variable, so that a write of the host to it is no
                  * race */
    uint64_t host, bytes;
    uint64_t object, object_bytes; /* host address and size of the object that the transfer belongs to */
    struct rt_display_name display;
};
/* Returns true if transfers are recorded that the host had not waited for when the list was last cleaned. */
bool rt_has_pending_transfers(void);
/* Records a transfer between host and device, before states change, and reports its first race with a pending one.
 * redundant: it writes the bytes that the host has already. */
void rt_record_pending_transfer(const accd_event *event, const struct rt_mapping *mapping, bool redundant);
/* Records that a routine of the call under way writes (`writes`) or reads host memory, and reports its first race with
 * a pending transfer. */
void rt_record_pending_copy(uint64_t host, uint64_t bytes, bool writes);
/* Restores the shadow of all pending transfers that overlap a host range; called when the shadow of the range was
 * cleared. */
void rt_restore_pending_shadow(uint64_t host, uint64_t bytes);

/* Access of n bytes at `at` that the shadow does not allow at once. pc: its return address; frame: of the instrumented
 * function, NULL if it is not known. */
struct rt_access {
    uint64_t at;
    size_t n;
    bool write;
    uintptr_t pc;
    const uintptr_t *frame;
};
extern const char rt_mpi_transfer[]; /* name of a message of MPI that is given device memory */
/* Returns the site of an access, for reports: the innermost function of the program on the call stack, with the name
 * `what`. The field call.pc is 0 if the access has no frame. */
struct rt_site rt_get_access_site(const struct rt_access *access, const char *what);
/* Construct of the kernel that the thread runs; NULL: it runs no kernel. Defined in access.c. */
extern __thread const struct rt_site *rt_kernel_site;
/* Device of that kernel. */
extern __thread int rt_kernel_device;
/* reports.c: reports of wrong accesses. They only write a diagnostic, once for equal accesses; the caller changes
 * states. */
/* Reports a read, at byte `at`, of memory that was never written; mapping NULL: the memory is in no present object. */
void rt_report_uninitialized_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping);
/* Reports a race of an access with earlier work. frees: the access frees the memory; written: the earlier work wrote
 * the byte, otherwise it read it; last: no other work has written the byte since. */
void rt_report_race(const struct rt_access *access, bool frees, const struct rt_access_origin *earlier, bool written,
                    bool last);
/* Reports that the host reads, writes or frees (`frees`) memory of a transfer that it has not waited for. */
void rt_report_missing_wait(const struct rt_access *access, bool frees, const struct rt_pending_transfer *transfer);
/* pending_transfers.c: reports a missing wait if an access of the host races with a pending transfer. frees: the access
 * frees the memory. */
void rt_check_pending_transfers(const struct rt_access *access, bool frees);
/* Reports a read, at byte `at`, of a value that is old because the other side has changed it. origin: of the last write
 * on the other side (low half of its return address). */
void rt_report_stale_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping,
                          uint32_t origin);
/* Reports a host read, at byte `at`, of a value that the device had changed; the change was lost when the data were
 * unmapped. Does nothing if no lost change of the byte is recorded. */
void rt_report_lost_change(const struct rt_access *access, uint64_t at);
/* Records that the data of a free event are freed with changes of the device, for later rt_report_lost_change. origin:
 * of the lost change; 0: the device memory was never written. */
void rt_record_lost_change(const accd_event *event, uint32_t origin);
/* Report an access and end the program: of a kernel to the device address `at` outside of data, of a kernel to host
 * memory, of the host to device memory. */
_Noreturn void rt_report_access_out_of_bounds(const struct rt_access *access, uint64_t at);
_Noreturn void rt_report_access_to_host(const struct rt_access *access);
_Noreturn void rt_report_access_to_device(const struct rt_access *access);
/* Reports that the transfer under way overwrites a Modified byte of its target. at: address of the byte; origin: of the
 * overwritten change. */
void rt_report_overwritten_change(const struct rt_mapping *mapping, uint64_t at, uint32_t origin);

#endif
