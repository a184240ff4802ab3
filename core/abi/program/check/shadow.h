/* shadow.h - the shadow of both sides, and where data lie on the other one. All of it with the
 * lock: without it, accesses read states and write notes. */
#ifndef RT_SHADOW_H
#define RT_SHADOW_H

#include "abi/checked/checked.h"
#include "abi/program/strict/happens_before.h"
#include "check.h"

/* Of the library that only programs compiled for checking have. */
#pragma weak rt_shadow
#pragma weak rt_get_check_thread
#pragma weak rt_find_malloc_block

/* The bytes of a range that lie in one word. */
struct rt_granule {
    uint32_t *states, *origin; /* of the word; NULL: they have no shadow */
    uint64_t at;
    size_t n;
    uint32_t bytes; /* four bits each */
};
struct rt_granule rt_get_granule(uint64_t at, uint64_t n);
/* For each part of so many bytes. */
#define RT_FOR_EACH_GRANULE(granule, from, bytes_)                                                       \
    for (struct rt_granule granule /* NOLINT: a name */ = rt_get_granule((from), (bytes_)); (granule).n; \
         (granule) = rt_get_granule((granule).at + (granule).n, (from) + (bytes_) - (granule).at - (granule).n))

static inline uint32_t rt_get_granule_states(const struct rt_granule *granule)
{
    return granule->states ? *granule->states : 0;
}
/* The bytes of a part that have a state, with that bit. */
static inline uint32_t rt_get_bytes_with_state(const struct rt_granule *granule, uint32_t state)
{
    return rt_get_granule_states(granule) & granule->bytes & RT_ALL_BYTES(state);
}
/* Whether all bytes of a part have some states. */
static inline bool rt_have_all_bytes(const struct rt_granule *granule, uint32_t states)
{
    return rt_get_bytes_with_state(granule, states) == (granule->bytes & RT_ALL_BYTES(states));
}
/* The bytes of a part of the host that are old, and whose newest value is lost, though they are mapped again: those
 * that are not valid, and "only" here. All bits of each. */
static inline uint32_t rt_get_lost_bytes(const struct rt_granule *granule)
{
    return (rt_get_bytes_with_state(granule, RT_DIRTY) / RT_DIRTY &
            ~(rt_get_bytes_with_state(granule, RT_VALID) / RT_VALID)) *
           0xf;
}
/* The first byte of a part that has no such state; the part's end: all have it. */
static inline uint64_t rt_find_byte_without(const struct rt_granule *granule, uint32_t state)
{
    const uint32_t without = granule->bytes & RT_ALL_BYTES(state) & ~rt_get_bytes_with_state(granule, state);
    return without ? granule->at - granule->at % 8 + (uint64_t)__builtin_ctz(without) / 4 : granule->at + granule->n;
}
static inline bool rt_is_in_device_space(uint64_t at)
{
    return at - rt_shadow.low < rt_shadow.bytes;
}
/* Bytes have changed their states: kernels have to ask for those that they read. */
static inline void rt_invalidate_tiles(uint64_t at, uint64_t n)
{
    const uint64_t first = (at - rt_shadow.low) / RT_TILE_BYTES;
    if (n && rt_is_in_device_space(at))
        memset(&rt_shadow.tiles[first], 0, (at + n - 1 - rt_shadow.low) / RT_TILE_BYTES + 1 - first);
}
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
/* The words that lie whole in a range and one behind the other in its shadow, if the range begins with one. */
struct rt_word_run {
    uint32_t *states, *origins;
    size_t n; /* 0: none */
};
struct rt_word_run rt_get_word_run(uint64_t at, uint64_t n);
/* How many words from the first on have some states in all bytes, and none of others in any. */
size_t rt_count_words_with_state(const struct rt_word_run *run, uint32_t states, uint32_t none);
/* The same for a range, and whether all bytes of a range have some states, and none of them others. */
void rt_set_states(uint64_t at, uint64_t n, uint32_t clear, uint32_t set);
bool rt_has_range_states(uint64_t at, uint64_t n, uint32_t states, uint32_t none);
/* The states of a large object of the device lie in large pages: kernels may use it in any order. */
void rt_use_huge_shadow_pages(uint64_t dev, uint64_t bytes);
/* Host memory gets a shadow. False: there is no memory. */
bool rt_add_shadow(uint64_t host, uint64_t n);

/* Where the byte of an address lies at the moment: while a kernel uses declared variables, they
 * have changed places. */
extern atomic_bool rt_declared_swapped;
const void *rt_get_content_address(uint64_t at);

/* Keeps a digest of what a word's bytes are now, if none of them is valid. */
void rt_store_digest(const struct rt_granule *granule);
/* Whether they still are that. Where another byte of the word is valid that is not known, and taken
 * as true. */
bool rt_matches_digest(const struct rt_granule *granule);

/* Bytes leave the shadow. A digest of what lies beside them in a word still holds. */
void rt_remove_shadow(uint64_t at, uint64_t n);

/* Makes the shadow; the functions are those of struct rt_shadow. */
void rt_shadow_init(void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame));
void rt_shadow_free(void);

/* Whether memory is as the device gives it. access.c. */
bool rt_is_poison(uint64_t at, size_t n);

/* A present object on both sides. */
struct rt_mapping {
    uint64_t host, dev, bytes;
    int device;
};
/* The object at an address of the host, on a device, or at an address of a device; false: there is
 * none. */
bool rt_find_mapping(int device, uint64_t host, struct rt_mapping *mapping);
bool rt_find_device_mapping(uint64_t dev, struct rt_mapping *mapping);
/* Objects were mapped, or unmapped. */
void rt_invalidate_mapping_cache(void);
/* The calling thread has written to an object of a pair, on the side of an address: for what it writes next it need not
 * ask, until something changes. */
void rt_cache_mapping(const struct rt_mapping *mapping, uint64_t at);
/* Marks an object both of whose sides count as valid, though they differ: a wrong read was reported. The mark
 * is one of its first byte on the device. rt_unmark_divergent removes it, when the object is unmapped. */
void rt_mark_divergent(const struct rt_mapping *mapping);
bool rt_is_divergent(const struct rt_mapping *mapping);
void rt_unmark_divergent(const struct rt_mapping *mapping);
/* Where the bytes of an address lie on the other side. */
static inline uint64_t rt_other_side(const struct rt_mapping *mapping, uint64_t at)
{
    return rt_is_in_device_space(at) ? at - mapping->dev + mapping->host : at - mapping->host + mapping->dev;
}
/* Bytes were written: they are not valid on the other side. */
void rt_invalidate_other_side(const struct rt_mapping *mapping, uint64_t at, uint64_t n);

/* Memory that takes none before it is used; NULL: there is none. */
void *rt_reserve_memory(uint64_t bytes);

/* device_races.c: uses of device memory, and what nothing orders. */
void rt_history_init(void);
void rt_history_free(void);
/* Around a kernel. */
void rt_history_begin_kernel(struct rt_check_thread *thread);
void rt_history_end_kernel(const struct rt_check_thread *thread);
/* The call under way uses device memory: RT_ACCESS_READ, ... */
void rt_history_record_access(uint64_t at, uint64_t n, unsigned how);

/* unused.c: data that are moved to the device, before their states change (number: of their tally; idle: they are there
 * already); freed. Bytes that a kernel writes, before; what the end reports. */
void rt_unused_record_transfer(const accd_event *event, const struct rt_mapping *mapping, uint16_t number,
                               bool redundant);
void rt_unused_record_free(const struct rt_mapping *mapping);
void rt_unused_record_overwrite(const struct rt_granule *granule);
void rt_report_unused_data(void);

/* uninstrumented.c: looks for object files of the program that were not compiled for checking; whether there are some,
 * and some with kernels; reports them. */
void rt_find_uninstrumented_objects(void);
bool rt_has_uninstrumented_objects(void);
bool rt_has_uninstrumented_kernels(void);
void rt_report_uninstrumented_objects(void);

/* pending_transfers.c: what an asynchronous transfer reads or writes on the host. */
struct rt_pending_transfer {
    struct rt_access_origin origin;
    bool writes, redundant; /* idle: what is there already */
    bool scalar;            /* a kernel may have it for itself: then the program may write it, and does not read it */
    uint64_t host, bytes;
    uint64_t object, object_bytes; /* that it is of */
    struct rt_display_name display;
};
bool rt_has_pending_transfers(void);
void rt_record_pending_transfer(const accd_event *event, const struct rt_mapping *mapping, bool redundant);
/* A routine copies bytes of the host, to the device or from there. */
void rt_record_pending_copy(uint64_t host, uint64_t bytes, bool writes);
/* The shadow of a range was cleared. */
void rt_restore_pending_shadow(uint64_t host, uint64_t bytes);

/* An access that the shadow did not allow at once. */
struct rt_access {
    uint64_t at;
    size_t n;
    bool write;
    uintptr_t pc;
    const uintptr_t *frame;
};
extern const char rt_mpi_transfer[]; /* what MPI does with device memory */
/* The function of the program that makes an access, itself or by a header of the system; no call: it is not known. */
struct rt_site rt_get_access_site(const struct rt_access *access, const char *what);
/* reports.c. site: of the kernel that the thread runs, or NULL. */
extern __thread const struct rt_site *rt_kernel_site;
extern __thread int rt_kernel_device;
void rt_report_uninitialized_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping);
/* An access, or the call under way, uses device memory that other work wrote, or read, and nothing orders the two.
 * last: no work has written it since. */
void rt_report_race(const struct rt_access *access, bool frees, const struct rt_access_origin *earlier, bool written,
                    bool last);
void rt_report_missing_wait(const struct rt_access *access, bool frees, const struct rt_pending_transfer *transfer);
/* An access of the host, or the end of its memory: pending_transfers.c. */
void rt_check_pending_transfers(const struct rt_access *access, bool frees);
/* note: of the last write on the other side. */
void rt_report_stale_read(const struct rt_access *access, uint64_t at, const struct rt_mapping *mapping,
                          uint32_t origin);
/* The newest value was on the device, and went with its data. */
void rt_report_lost_change(const struct rt_access *access, uint64_t at);
void rt_record_lost_change(const accd_event *event, uint32_t origin);
_Noreturn void rt_report_access_out_of_bounds(const struct rt_access *access, uint64_t at);
_Noreturn void rt_report_access_to_host(const struct rt_access *access);
_Noreturn void rt_report_access_to_device(const struct rt_access *access);
/* A transfer overwrites a byte, an address of its target, that is the newest. */
void rt_report_overwritten_change(const struct rt_mapping *mapping, uint64_t at, uint32_t origin);

#endif
