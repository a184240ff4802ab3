/* shadow.h - the shadow of both sides, and where data lie on the other one. All of it with the
 * lock: without it, accesses read states and write notes. */
#ifndef GOACC_SHADOW_H
#define GOACC_SHADOW_H

#include "abi/checked/checked.h"
#include "abi/program/strict/order.h"
#include "check.h"

/* Of the library that only programs compiled for checking have. */
#pragma weak goacc_checked
#pragma weak goacc_check_inside
#pragma weak goacc_check_block

/* The bytes of a range that lie in one word. */
struct goacc_part {
    uint32_t *states, *note; /* of the word; NULL: they have no shadow */
    uint64_t at;
    size_t n;
    uint32_t bytes; /* four bits each */
};
struct goacc_part goacc_part_of(uint64_t at, uint64_t n);
/* For each part of so many bytes. */
#define GOACC_EACH_PART(part, from, bytes_)                                                       \
    for (struct goacc_part part /* NOLINT: a name */ = goacc_part_of((from), (bytes_)); (part).n; \
         (part) = goacc_part_of((part).at + (part).n, (from) + (bytes_) - (part).at - (part).n))

static inline uint32_t goacc_states(const struct goacc_part *part)
{
    return part->states ? *part->states : 0;
}
/* The bytes of a part that have a state, with that bit. */
static inline uint32_t goacc_having(const struct goacc_part *part, uint32_t state)
{
    return goacc_states(part) & part->bytes & GOACC_IN_ALL(state);
}
/* Whether all bytes of a part have some states. */
static inline bool goacc_all_have(const struct goacc_part *part, uint32_t states)
{
    return goacc_having(part, states) == (part->bytes & GOACC_IN_ALL(states));
}
/* The bytes of a part of the host that are old, and whose newest value is lost, though they are mapped again: those
 * that are not valid, and "only" here. All bits of each. */
static inline uint32_t goacc_lost(const struct goacc_part *part)
{
    return (goacc_having(part, GOACC_ONLY) / GOACC_ONLY & ~(goacc_having(part, GOACC_VALID) / GOACC_VALID)) * 0xf;
}
/* The first byte of a part that has no such state; the part's end: all have it. */
static inline uint64_t goacc_first_without(const struct goacc_part *part, uint32_t state)
{
    const uint32_t without = part->bytes & GOACC_IN_ALL(state) & ~goacc_having(part, state);
    return without ? part->at - part->at % 8 + (uint64_t)__builtin_ctz(without) / 4 : part->at + part->n;
}
static inline bool goacc_on_device(uint64_t at)
{
    return at - goacc_checked.low < goacc_checked.bytes;
}
/* Bytes have changed their states: kernels have to ask for those that they read. */
static inline void goacc_forget_tiles(uint64_t at, uint64_t n)
{
    const uint64_t first = (at - goacc_checked.low) / GOACC_TILE;
    if (n && goacc_on_device(at))
        memset(&goacc_checked.tiles[first], 0, (at + n - 1 - goacc_checked.low) / GOACC_TILE + 1 - first);
}
static inline void goacc_change(const struct goacc_part *part, uint32_t clear, uint32_t set)
{
    if (part->states)
        __atomic_store_n(part->states,
                         (*part->states & ~(part->bytes & GOACC_IN_ALL(clear))) | (part->bytes & GOACC_IN_ALL(set)),
                         __ATOMIC_RELAXED);
    if (clear & ~(uint32_t)GOACC_ONLY)
        goacc_forget_tiles(part->at, part->n);
}
/* The words that lie whole in a range and one behind the other in its shadow, if the range begins with one. */
struct goacc_run {
    uint32_t *states, *notes;
    size_t n; /* 0: none */
};
struct goacc_run goacc_run_of(uint64_t at, uint64_t n);
/* How many words from the first on have some states in all bytes, and none of others in any. */
size_t goacc_run_having(const struct goacc_run *run, uint32_t states, uint32_t none);
/* The same for a range, and whether all bytes of a range have some states, and none of them others. */
void goacc_set(uint64_t at, uint64_t n, uint32_t clear, uint32_t set);
bool goacc_range_has(uint64_t at, uint64_t n, uint32_t states, uint32_t none);
/* The states of a large object of the device lie in large pages: kernels may use it in any order. */
void goacc_widen(uint64_t dev, uint64_t bytes);
/* Host memory gets a shadow. False: there is no memory. */
bool goacc_cover(uint64_t host, uint64_t n);

/* Where the byte of an address lies at the moment: while a kernel uses declared variables, they
 * have changed places. */
extern atomic_bool goacc_swapped;
const void *goacc_content(uint64_t at);

/* Keeps a digest of what a word's bytes are now, if none of them is valid. */
void goacc_digest(const struct goacc_part *part);
/* Whether they still are that. Where another byte of the word is valid that is not known, and taken
 * as true. */
bool goacc_unchanged(const struct goacc_part *part);

/* Bytes leave the shadow. A digest of what lies beside them in a word still holds. */
void goacc_forget(uint64_t at, uint64_t n);

/* Makes the shadow; the functions are those of struct goacc_checked. */
void goacc_shadow_open(void (*access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                       void (*message)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame),
                       void (*freed)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame),
                       void (*lent)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame));
void goacc_shadow_close(void);

/* Whether memory is as the device gives it. access.c. */
bool goacc_is_poison(uint64_t at, size_t n);

/* A present object on both sides. */
struct goacc_pair {
    uint64_t host, dev, bytes;
    int device;
};
/* The object at an address of the host, on a device, or at an address of a device; false: there is
 * none. */
bool goacc_pair_of(int device, uint64_t host, struct goacc_pair *pair);
bool goacc_pair_at(uint64_t dev, struct goacc_pair *pair);
/* Objects were mapped, or unmapped. */
void goacc_pairs_changed(void);
/* The calling thread has written to an object of a pair, on the side of an address: for what it writes next it need not
 * ask, until something changes. */
void goacc_pair_is_near(const struct goacc_pair *pair, uint64_t at);
/* Marks an object both of whose sides count as valid, though they differ: a wrong read was reported. The mark
 * is one of its first byte on the device. goacc_forget_uneven removes it, when the object is unmapped. */
void goacc_note_uneven(const struct goacc_pair *pair);
bool goacc_is_uneven(const struct goacc_pair *pair);
void goacc_forget_uneven(const struct goacc_pair *pair);
/* Where the bytes of an address lie on the other side. */
static inline uint64_t goacc_other(const struct goacc_pair *pair, uint64_t at)
{
    return goacc_on_device(at) ? at - pair->dev + pair->host : at - pair->host + pair->dev;
}
/* Bytes were written: they are not valid on the other side. */
void goacc_outdate(const struct goacc_pair *pair, uint64_t at, uint64_t n);

/* Memory that takes none before it is used; NULL: there is none. */
void *goacc_reserve(uint64_t bytes);

/* turns.c: uses of device memory, and what nothing orders. */
void goacc_turns_open(void);
void goacc_turns_close(void);
/* Around a kernel. */
void goacc_turns_enter(struct goacc_inside *inside);
void goacc_turns_leave(const struct goacc_inside *inside);
/* The call under way uses device memory: GOACC_READS, ... */
void goacc_turns_use(uint64_t at, uint64_t n, unsigned how);

/* unused.c: data that are moved to the device, before their states change (number: of their tally; idle: they are there
 * already); freed. Bytes that a kernel writes, before; what the end reports. */
void goacc_unused_moved(const accd_event *event, const struct goacc_pair *pair, uint16_t number, bool idle);
void goacc_unused_freed(const struct goacc_pair *pair);
void goacc_unused_overwritten(const struct goacc_part *part);
void goacc_unused_end(void);

/* objects.c: looks for object files of the program that were not compiled for checking; whether there are some, and some
 * with kernels; reports them. */
void goacc_objects_open(void);
bool goacc_objects_unchecked(void);
bool goacc_kernels_unchecked(void);
void goacc_objects_end(void);

/* waits.c: what an asynchronous transfer reads or writes on the host. */
struct goacc_transfer {
    struct goacc_used used;
    bool writes, idle; /* idle: what is there already */
    bool scalar;       /* a kernel may have it for itself: then the program may write it, and does not read it */
    uint64_t host, bytes;
    uint64_t object, object_bytes; /* that it is of */
    struct goacc_shown shown;
};
bool goacc_has_pending(void);
void goacc_note_pending(const accd_event *event, const struct goacc_pair *pair, bool idle);
/* A routine copies bytes of the host, to the device or from there. */
void goacc_note_pending_copy(uint64_t host, uint64_t bytes, bool writes);
/* The shadow of a range was cleared. */
void goacc_hold_pending(uint64_t host, uint64_t bytes);

/* An access that the shadow did not allow at once. */
struct goacc_access {
    uint64_t at;
    size_t n;
    bool write;
    uintptr_t pc;
    const uintptr_t *frame;
};
extern const char goacc_message[]; /* what MPI does with device memory */
/* The function of the program that makes an access, itself or by a header of the system; no call: it is not known. */
struct goacc_site goacc_site_of(const struct goacc_access *access, const char *what);
/* reports.c. site: of the kernel that the thread runs, or NULL. */
extern __thread const struct goacc_site *goacc_kernel_site;
extern __thread int goacc_kernel_device;
void goacc_report_unwritten(const struct goacc_access *access, uint64_t at, const struct goacc_pair *pair);
/* An access, or the call under way, uses device memory that other work wrote, or read, and nothing orders the two.
 * last: no work has written it since. */
void goacc_report_clash(const struct goacc_access *access, bool frees, const struct goacc_used *earlier, bool written,
                        bool last);
void goacc_report_unwaited(const struct goacc_access *access, bool frees, const struct goacc_transfer *transfer);
/* An access of the host, or the end of its memory: waits.c. */
void goacc_check_pending(const struct goacc_access *access, bool frees);
/* note: of the last write on the other side. */
void goacc_report_stale(const struct goacc_access *access, uint64_t at, const struct goacc_pair *pair,
                        uint32_t note);
/* The newest value was on the device, and went with its data. */
void goacc_report_lost(const struct goacc_access *access, uint64_t at);
void goacc_note_lost(const accd_event *event, uint32_t note);
_Noreturn void goacc_report_outside(const struct goacc_access *access, uint64_t at);
_Noreturn void goacc_report_on_host(const struct goacc_access *access);
_Noreturn void goacc_report_on_device(const struct goacc_access *access);
/* A transfer overwrites a byte, an address of its target, that is the newest. */
void goacc_report_overwritten(const struct goacc_pair *pair, uint64_t at, uint32_t note);

#endif
