/* checked.h - interface between programs compiled for checking (`accdeep cc`) and the runtime.
 *
 * The compiler puts a call before each load and store: those of its thread sanitizer. This folder is the library that
 * defines these functions. Without the runtime it does nothing, so that such a program also runs by itself. With the
 * runtime it gets shadow memory: states of each byte of mapped data. An access that the shadow allows returns at once
 * (fast_path.h); others take the slow path (slow_path.c), and then call the runtime (check/access.c).
 *
 *      program   load or store --> __tsan_read8(address)   tsan.c, coverage.c; of libraries: libc_calls.c, mpi.c, ...
 *                                       |
 *                                rt_check_fast_path        the states allow it: return
 *                                       |
 *                                slow path                 first access, parts of words: changes states, history
 *                                       |
 *      runtime                   rt_shadow.on_access       finds the mapping, changes states, reports
 *
 * Code here runs in accesses of the program, in its signal handlers, and before main. Its part of an
 * access takes no lock of the C library and allocates no memory. */
#ifndef RT_CHECKED_H
#define RT_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* States of a byte, four bits. VALID and DIRTY are an MSI protocol; shadow.h of the runtime has the table. A host byte
 * that is not PRESENT is free to use; such a device byte lies outside of all data. */
enum {
    RT_PRESENT = 1, /* mapped; on the host also: was mapped, and its newest value is lost */
    RT_VALID = 2,   /* this side has the newest value */
    RT_DIRTY = 4,   /* the other side does not have it; on the host without VALID: the lost value is of earlier data */
    RT_WAS_READ = 8 /* was read since a transfer moved it here */
};

/* Kind of an access, as a set of bits. */
enum {
    RT_ACCESS_READ = 0,
    RT_ACCESS_WRITE = 1,
    RT_ACCESS_ATOMIC = 2,
    RT_ACCESS_FREE = 4,
    RT_ACCESS_MODIFY = RT_ACCESS_WRITE | RT_ACCESS_FREE
};

#define RT_ALL_BYTES(states) ((uint32_t)(states)*0x11111111u) /* the states in each byte of a word */

/* Shadow of a word, 8 bytes at a multiple of 8: its states, byte 0 in the lowest bits, and its origin. The origin is
 * the low half of the return address of the last write. If no byte is valid, it is a digest of the bytes when they
 * became invalid. */
enum {
    RT_SHADOW_PAGE_BYTES = 1 << 21,              /* host bytes of a shadow page, which has their states, then their
                                                  * origins */
    RT_SHADOW_PAGES = 1 << 26,                   /* number of entries in the table of shadow pages */
    RT_SHADOW_ORIGINS = RT_SHADOW_PAGE_BYTES / 8 /* index of the first origin in a shadow page */
};

/* Tile: RT_TILE_BYTES bytes of device memory, with one byte of shadow. RT_TILE_READABLE: all of them are present,
 * valid, and count as read, so that kernels may read them. Otherwise: how much of them was accessed since they were
 * moved, in units of 4 bytes. */
enum { RT_TILE_BYTES = 512, RT_TILE_READABLE = 255 };

/* Returns the digest of a whole word. */
static inline uint32_t rt_digest_word(uint64_t value)
{
    return (uint32_t)(value * 0x9E3779B97F4A7C15u >> 32);
}

/* Returns the digest of the present bytes of a word. */
static inline uint32_t rt_digest_present_bytes(uint32_t states, uint64_t value)
{
    uint64_t used = states & RT_ALL_BYTES(RT_PRESENT);
    if (used == RT_ALL_BYTES(RT_PRESENT))
        return rt_digest_word(value);
    used = (used | used << 16) & 0x0000111100001111u;
    used = (used | used << 8) & 0x0011001100110011u;
    used = (used | used << 4) & 0x0101010101010101u;
    return rt_digest_word(value & used * 0xff);
}

/* Ids of the work of queues and tasks that wrote and read some bytes of device memory last. An even number is a work,
 * or a set of works without an order between them; a work's id plus one stands for its atomic operations. 0: work that
 * happens before everything now running. */
struct rt_last_access {
    uint16_t write, read;
};

/* Access history of one tile. Few different last accesses exist in a tile at a time. So it has a list of them, and for
 * each unit of 4 bytes an index of four bits in that list. A tile is split if parts of units are accessed, or if it has
 * too many different ones. Then each 128 bytes have a tile with units of one byte; if that is split, too, each byte has
 * an rt_last_access of its own. */
enum { RT_TILE_UNITS = 128, RT_TILE_ENTRIES = 16, RT_TILE_SPLIT = UINT16_MAX };
struct rt_history_tile {
    uint32_t last[RT_TILE_ENTRIES]; /* packed rt_last_access; [0]: 0, or RT_TILE_SPLIT; others: 0 if free */
    uint8_t of[RT_TILE_UNITS / 2];  /* index of each unit; the lower unit is in the lower bits */
};

/* State that the runtime sets and the program's accesses use. */
struct rt_shadow {
    uint32_t **shadow_pages;                    /* table of the host's shadow pages; NULL: nothing is checked */
    uint32_t *states, *origins;                 /* shadow of device memory [low, low + bytes) */
    uint8_t *tiles;                             /* tiles of [low, low + reach), which may contain the main thread's
                                                 * stack */
    struct rt_history_tile *uses, *split_tiles; /* access history of device memory: tiles, and those of split tiles */
    struct rt_last_access *split_bytes;         /* access history of each byte */
    const struct rt_check_thread *tile_owner;   /* spin lock: the thread that changes the history, or NULL */
    unsigned recording;                         /* number of running kernels whose accesses are recorded */
    uintptr_t low, bytes, reach;
    /* Returns the id that replaces `from` when `work` accesses the bytes: the work's own id if all of `from` happens
     * before it. */
    uint16_t (*find_successor)(uint16_t from, uint16_t work);
    /* Handles an access of device memory that does not happen after the last one, and changes *last. */
    void (*on_race)(struct rt_last_access *last, uintptr_t at, unsigned how, uintptr_t pc, const uintptr_t *frame);
    /* Handles an access that the shadow does not allow at once. frame: __builtin_frame_address of the function that the
     * compiler called, or NULL. */
    void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* Handles a message of MPI that reads or writes device memory. */
    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* Handles the end of a block of malloc, parts of which may have a shadow. */
    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    /* Handles a buffer that a library may write until it reports that by an access. */
    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    uint32_t transfer_ids; /* nonzero after a transfer whose bytes are counted when a kernel overwrites them */
    unsigned version;      /* changes when mappings or pending transfers change */
};
extern struct rt_shadow rt_shadow;

enum { RT_SUCCESSOR_CACHE = 16, RT_CHANGE_CACHE = 64, RT_LOOKUP_CACHE = 4 };
/* State of a thread: memory whose shadow the fast path may use. In a kernel, that is all device memory, or none if each
 * access is recorded. On the host, it is a part of an object that the thread has written. */
struct rt_check_thread {
    uintptr_t low, units[4]; /* first address; sizes from there in units of 1, 2, 4 and 8 bytes */
    uintptr_t reach[4];      /* size from `low` of what has tiles, in the same units */
    /* shadow from `low` on */
    uint32_t *states, *origins;
    const uint8_t *tiles;
    uintptr_t stack, stack_bytes; /* part of the stack that belongs to the kernel */
    uint8_t *stack_tiles;         /* readable tiles of the kernel's stack */
    size_t nstack_tiles;
    bool in_kernel;
    bool records_accesses; /* each access is recorded in the history */
    bool is_atomic;        /* loads and stores belong to an atomic operation */
    uint16_t work;         /* id of the kernel; 0: it happens before all that follows */
    unsigned version;      /* rt_shadow.version for which lookup_cache is valid */
    struct rt_lookup_entry {
        uintptr_t at, bytes, offset; /* whole words; offset: distance to the other side */
        uint32_t *states, *origins, *other_states, *other_origins;
    } lookup_cache[RT_LOOKUP_CACHE];    /* parts of present objects that were written last, on one side */
    uintptr_t declared, declared_bytes; /* declared variable that the kernel used last */
    uintptr_t offset;                   /* distance from the variable to its device bytes */
    struct {
        uint16_t from, to;
    } steps[RT_SUCCESSOR_CACHE]; /* cache of find_successor, by half of `from` */
    struct rt_history_change {
        uint32_t from, to;
        uint64_t entry;            /* index at which a tile may have it */
    } (*changes)[RT_CHANGE_CACHE]; /* cache of changes of the history, 4 rows by kind of access. It is allocated by the
                                    * runtime, because a library that is loaded late has little thread-local memory */
};
struct rt_check_thread *rt_get_check_thread(void); /* state of the calling thread */

/* Owner of a block of malloc. Of the host's blocks, only large ones are known. */
enum rt_block_owner { RT_OWNER_UNKNOWN, RT_OWNER_HOST, RT_OWNER_KERNEL };
/* Finds the block that contains an address, and writes its start and size; RT_OWNER_UNKNOWN: none. */
enum rt_block_owner rt_find_malloc_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p);
/* Returns the size that the program requested for the block of malloc at an address; 0: not known. */
size_t rt_get_requested_size(uintptr_t start);

#endif
