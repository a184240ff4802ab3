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
 * (exec/checked); a change that makes bytes unreadable also clears their tiles. */
#ifndef RT_SHADOW_H
#define RT_SHADOW_H

#include "checked/checked.h"
#include "diag/symbolize.h"
#include "check.h"
#include "happens_before.h"

/* Symbols of the library in exec/checked, which only programs compiled for checking contain; NULL in other
 * programs. */
#pragma weak rt_shadow
#pragma weak rt_get_check_thread
#pragma weak rt_end_kernel_loops
#pragma weak accdeep_compares
#pragma weak rt_find_iteration
#pragma weak rt_find_malloc_block

/* Granule: the bytes of a range that lie in one word (8 bytes at a multiple of 8). */
struct rt_granule {
    uint32_t *states, *origin; /* shadow of the word; both are NULL if the word has no shadow */
    uint64_t at;               /* address of the first byte */
    size_t n;                  /* number of bytes, 1 to 8; 0 for the empty granule, at which a loop ends */
    uint32_t bytes;            /* mask of the granule's bytes in `states`, four bits each */
};
/* Returns the granule at the beginning of a range of n bytes at `at`; n 0 gives an empty granule. */
struct rt_granule rt_get_granule(uint64_t at, uint64_t n);
/* Loop over the granules of the range of `bytes_` bytes at `from`; `granule` is the name of the loop's variable. */
#define RT_FOR_EACH_GRANULE(granule, from, bytes_)                                                       \
    for (struct rt_granule granule /* NOLINT: a name */ = rt_get_granule((from), (bytes_)); (granule).n; \
         (granule) = rt_get_granule((granule).at + (granule).n, (from) + (bytes_) - (granule).at - (granule).n))

/* Returns the states of the granule's whole word; 0 if the word has no shadow. */
static inline uint32_t rt_get_granule_states(const struct rt_granule *granule)
{
    return granule->states ? *granule->states : 0;
}
/* Returns which bytes of a granule have `state`, which is one bit: a mask with this bit set for each such byte. 0
 * without a shadow. */
static inline uint32_t rt_get_bytes_with_state(const struct rt_granule *granule, uint32_t state)
{
    return rt_get_granule_states(granule) & granule->bytes & RT_ALL_BYTES(state);
}
/* Returns true if all bytes of a granule have all of `states`. False without a shadow, except for an empty granule. */
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
    const uint32_t lacking_bytes = granule->bytes & RT_ALL_BYTES(state) & ~rt_get_bytes_with_state(granule, state);
    return lacking_bytes ? granule->at - granule->at % 8 + (uint64_t)__builtin_ctz(lacking_bytes) / 4
                         : granule->at + granule->n;
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
/* Whole words at the beginning of a range, as many as have a contiguous shadow. */
struct rt_word_run {
    uint32_t *states, *origins;
    size_t n; /* number of words; 0: the range does not begin with a whole word that has a shadow */
};
/* Returns the run of whole words at the beginning of the n bytes at `at`; an empty run if `at` is not a multiple of 8.
 */
struct rt_word_run rt_get_word_run(uint64_t at, uint64_t n);
/* Returns how many words at the beginning of a run have all of `states` and none of the states `none` in each byte. */
size_t rt_count_words_with_state(const struct rt_word_run *run, uint32_t states, uint32_t none);
/* Clears the states `clear` and sets the states `set` of n bytes; bytes without a shadow are skipped. Clears their
 * tiles, too, unless DIRTY is the only state that is cleared. */
void rt_set_states(uint64_t at, uint64_t n, uint32_t clear, uint32_t set);
/* Returns true if each of n bytes has all of `states` and none of the states `none`; also true if n is 0. */
bool rt_has_range_states(uint64_t at, uint64_t n, uint32_t states, uint32_t none);
/* Asks the kernel for huge pages for the states of a large device object, because programs may access the object in any
 * order. Does nothing for small objects; a refusal is ignored. */
void rt_use_huge_shadow_pages(uint64_t dev, uint64_t bytes);
/* Adds shadow pages for the n bytes at `host`; n must not be 0. Returns false without memory; pages added before stay.
 */
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

/* Clears all states of n bytes, which are not checked afterwards. Renews the digests of words of which only a part is
 * cleared, so that their other bytes still match. */
void rt_remove_shadow(uint64_t at, uint64_t n);

/* Allocates the shadow and stores the four functions in rt_shadow, whose fields describe them. Ends the program without
 * memory. */
void rt_shadow_init(void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame));
/* Frees the device's shadow and mappings; the host's shadow pages stay reserved but empty. */
void rt_shadow_free(void);

/* Returns true if n bytes hold poison, the value that the runtime gives device memory at its allocation (access.c). */
bool rt_is_poison(uint64_t at, size_t n);

/* Mapping: a present object, with its address on the host and on the device. */
struct rt_mapping {
    uint64_t host, dev, bytes;
    int device;
};
/* Stores in *mapping the mapping on `device` that contains the host address `host`. Returns false if there is none. */
bool rt_find_mapping(int device, uint64_t host, struct rt_mapping *mapping);
/* Stores in *mapping the mapping, on any device, that contains the device address `dev`. Returns false if there is
 * none. */
bool rt_find_device_mapping(uint64_t dev, struct rt_mapping *mapping);
/* Forgets cached mappings, those of the runtime and of all threads; must be called when objects were mapped or
 * unmapped. */
void rt_invalidate_mapping_cache(void);
/* Caches the mapping around `at`, where the calling thread has written. First writes to other bytes of this object then
 * need no call of the runtime, until rt_shadow.version changes. Does nothing with several devices, with declared
 * variables, or if the thread's accesses are recorded. */
void rt_cache_mapping(const struct rt_mapping *mapping, uint64_t at);
/* Marks a mapping whose sides both count as valid though they differ, after a wrong read: transfers of its bytes are
 * not redundant. The mark must be removed before the object is unmapped. Ends the program without memory. */
void rt_mark_divergent(const struct rt_mapping *mapping);
/* Returns true if the mapping is marked by rt_mark_divergent. */
bool rt_is_divergent(const struct rt_mapping *mapping);
/* Removes the mark of a mapping; does nothing if the mapping has none. */
void rt_unmark_divergent(const struct rt_mapping *mapping);
/* Returns the address, on the other side, of the byte of a mapping at `at`, which may be a host or a device address. */
static inline uint64_t rt_other_side(const struct rt_mapping *mapping, uint64_t at)
{
    return rt_is_in_device_space(at) ? at - mapping->dev + mapping->host : at - mapping->host + mapping->dev;
}
/* Makes the valid bytes on the other side of n bytes at `at`, which were written, Invalid, and stores digests of their
 * values. */
void rt_invalidate_other_side(const struct rt_mapping *mapping, uint64_t at, uint64_t n);

/* Returns `bytes` bytes of new address space, zeroed, which uses memory only where it is written; NULL on failure. */
void *rt_reserve_memory(uint64_t bytes);
/* Sets memory of rt_reserve_memory, whole pages, to 0, and returns its pages to the system. */
void rt_empty_memory(void *at, uint64_t bytes);

/* Allocates the access history of device memory, which finds races (device_races.c). Ends the program without memory.
 */
void rt_history_init(void);
/* Frees the access history; its ids begin again. */
void rt_history_free(void);
/* Begins a kernel on a thread. If other work may race with the kernel, each access is recorded; otherwise the fast path
 * may use all device memory. Ends the program without memory for the recording. */
void rt_history_begin_kernel(struct rt_check_thread *thread);
/* Ends the recording of the kernel's accesses on a thread; does nothing if they were not recorded. */
void rt_history_end_kernel(const struct rt_check_thread *thread);
/* Records an access of the call under way to n bytes of device memory at `at`, and reports a race with earlier work.
 * Does nothing for host memory, or if no asynchronous work is pending. access_flags: RT_ACCESS_READ, ... (checked.h) */
void rt_history_record_access(uint64_t at, uint64_t n, unsigned access_flags);

/* unused.c: statistics of data without use. */
/* Records the transfer to the device `event`, of an object with this mapping; called before states change. number:
 * index of the transfer's statistics, from rt_stats_record_transfer; redundant: the device has the newest bytes
 * already. */
void rt_unused_record_transfer(const accd_event *event, const struct rt_mapping *mapping, uint16_t number,
                               bool redundant);
/* Counts the bytes of an object being freed that a transfer moved to the device and that nothing read there (unread
 * bytes). Called before states change. */
void rt_unused_record_free(const struct rt_mapping *mapping);
/* Counts the unread bytes of a granule that is overwritten or freed; called before states change. */
void rt_unused_record_overwrite(const struct rt_granule *granule);
/* Reports transfers and allocations whose data no kernel used, at the end of the program. Reports nothing if an
 * uninstrumented file has kernels, because their accesses are not known. */
void rt_report_unused_data(void);

/* Finds object files of the program that were not compiled for checking, and which of them have kernels
 * (uninstrumented.c). Finds none if the program's file cannot be read. */
void rt_find_uninstrumented_objects(void);
/* Returns true if object files or libraries that were not compiled for checking are known. */
bool rt_has_uninstrumented_objects(void);
/* Returns true if an object file or library that was not compiled for checking may have kernels. */
bool rt_has_uninstrumented_kernels(void);
/* Reports the object files and libraries that were not compiled for checking, in one note; nothing if there are none.
 */
void rt_report_uninstrumented_objects(void);

/* Pending transfer: a queue or a task copies to or from host memory, and the host has not waited for it yet
 * (pending_transfers.c). */
struct rt_pending_transfer {
    struct rt_access_origin origin;
    /* writes: the transfer writes host memory, otherwise it reads it. redundant: it writes the bytes that the host has
     * already, so that reads of the host do not race with the transfer. */
    bool writes, redundant;
    /* True if a kernel may have a private copy of the variable. Then a write of the host to the variable is not a race.
     */
    bool scalar;
    uint64_t host, bytes;
    uint64_t object, object_bytes; /* host address and size of the object that the transfer belongs to */
    struct rt_display_name display;
};
/* Returns true if the list of pending transfers is not empty. The list may still contain transfers that the host has
 * waited for; they are removed when the next one is recorded. */
bool rt_has_pending_transfers(void);
/* Records a transfer between host and device, before states change, and reports its first race with a pending one.
 * redundant: the transfer writes the bytes that the host has already. A transfer is not recorded if the host waits for
 * it at once, or if the list is full, or without memory. */
void rt_record_pending_transfer(const accd_event *event, const struct rt_mapping *mapping, bool redundant);
/* Records that a routine of the call under way writes (`writes`) or reads host memory, and reports its first race with
 * a pending transfer. Does nothing without a call, or without memory for the shadow. */
void rt_record_pending_copy(uint64_t host, uint64_t bytes, bool writes);
/* Restores the shadow of the bytes of a host range that pending transfers use; called when the shadow of the range was
 * cleared, or made Modified for a new mapping. */
void rt_restore_pending_shadow(uint64_t host, uint64_t bytes);

/* Access of n bytes at `at` that the shadow does not allow at once. pc: its return address; frame: frame of the
 * instrumented function that makes it, NULL: not known. */
struct rt_access {
    uint64_t at;
    size_t n;
    bool write;
    uintptr_t pc;
    const uintptr_t *frame;
};
extern const char rt_mpi_transfer[]; /* name, in reports, of an MPI message that uses device memory */
/* Returns the site of an access, for reports: the innermost function of the program on the call stack, with the name
 * `construct_name`. The field call.pc is 0 if the access has no frame. */
struct rt_site rt_get_access_site(const struct rt_access *access, const char *construct_name);
/* Construct of the kernel that the thread runs; NULL: it runs no kernel. Defined in access.c. */
extern __thread const struct rt_site *rt_kernel_site;
/* Device of the kernel that the thread runs; defined only while rt_kernel_site is not NULL. */
extern __thread int rt_kernel_device;
/* reports.c: reports of wrong accesses. Except where the program ends, a function only writes a diagnostic, once for
 * equal accesses; the calling function changes the states. */
/* Reports a read of memory that was never written; at: address of the first such byte. mapping NULL: the memory is in
 * no present object. */
void rt_report_uninitialized_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping);
/* Reports a race of an access with earlier work. frees: the access frees the memory; earlier: the work; is_write: the
 * work wrote the byte, otherwise it read it. last: a single work wrote the byte last, so the byte's origin names the
 * line of that write. */
void rt_report_race(const struct rt_access *access, bool frees, const struct rt_access_origin *earlier, bool is_write,
                    bool last);
/* Reports that the host reads, writes or frees (`frees`) memory of a pending transfer, for which it has not waited. */
void rt_report_missing_wait(const struct rt_access *access, bool frees, const struct rt_pending_transfer *transfer);
/* Reports a missing wait if an access of the host races with a pending transfer (pending_transfers.c). frees: the
 * access frees the memory. Does nothing while the thread waits for a task group. */
void rt_check_pending_transfers(const struct rt_access *access, bool frees);
/* Reports a read, at byte `at`, of a value that is old because the other side has changed it. origin: low half of the
 * return address of the last write on the other side. Differences in padding are not reported. */
void rt_report_stale_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping,
                          uint32_t origin);
/* Reports a host read, at byte `at`, of a value that the device had changed. The change was lost, because the data were
 * unmapped without a transfer. Does nothing if no lost change of the byte is recorded. */
void rt_report_lost_change(const struct rt_access *access, uint64_t at);
/* Records that the data of a free event are freed while the device has newer values, for later rt_report_lost_change.
 * origin: of the lost change; 0: the device memory was never written. Records nothing without memory. */
void rt_record_lost_change(const accd_event *event, uint32_t origin);
/* Report an access and end the program. In this order: a kernel's access to the device address `at` outside of data, a
 * kernel's access to host memory, the host's access to device memory. */
_Noreturn void rt_report_access_out_of_bounds(const struct rt_access *access, uint64_t at);
_Noreturn void rt_report_access_to_host(const struct rt_access *access);
_Noreturn void rt_report_access_to_device(const struct rt_access *access);
/* Reports that the transfer under way overwrites a Modified byte of its target. at: address of the byte; origin: of the
 * overwritten change; rule: that of the transfer, NULL: none. */
void rt_report_overwritten_change(const struct rt_mapping *mapping, uint64_t at, uint32_t origin, const char *rule);

/* Returns the location of the access that `origin` (low half of its return address) stands for; `file` NULL: the line
 * is not known. */
struct rt_related_location rt_find_writer(uint32_t origin);
/* Returns the return address of an access in the program's own code, or that of the access itself if the function is
 * not known. */
uintptr_t rt_get_access_pc(const struct rt_access *access);
/* Counts a run of the construct whose call returns to `pc`; true: the iterations of its kernel are to be compared.
 * Needs the lock. */
bool rt_compares_iterations(uintptr_t pc);
/* Allocate and free the history of accesses by iteration (iteration_races.c). */
void rt_iteration_races_init(void);
void rt_iteration_races_free(void);

#endif
