/* checked.h - interface between programs compiled for checking (`accdeep cc`) and the runtime.
 *
 * The compiler puts a call before each load and store: those of its thread sanitizer. This folder is the
 * library that defines these functions. Without the runtime it does nothing, so that such a program also runs
 * without `accdeep exec`. With the runtime, it gets shadow memory: states of each byte of mapped data. The check of an
 * access that the shadow allows returns at once (fast_path.h). Other accesses take the slow path
 * (slow_path.c), which calls the runtime (coherence/access.c) if the shadow does not allow the access there
 * either.
 *
 *      program   load or store --> __tsan_read8(address)   tsan.c, coverage.c; of libraries: libc_calls.c, mpi.c, ...
 *                                       |
 *                                rt_check_fast_path        the states allow it: return
 *                                       |
 *                                slow path                 first access, parts of words: changes states, history
 *                                       |
 *      runtime                   rt_shadow.on_access       finds the mapping, changes states, reports
 *
 * Code of this folder runs in accesses of the program, in its signal handlers, and before main. Therefore it
 * takes no lock of the C library and allocates no memory during an access. */
#ifndef RT_CHECKED_H
#define RT_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* States of a byte, four bits. VALID and DIRTY are an MSI protocol; coherence/shadow.h has the table. A host byte
 * that is not PRESENT may be used freely; a device byte that is not PRESENT lies outside of all data. */
enum {
    RT_PRESENT = 1, /* the byte is mapped; on the host also: it was mapped earlier, and its newest value is lost */
    RT_VALID = 2,   /* this side (host or device) has the newest value */
    /* If the byte is VALID, too: only this side has the newest value. On the host without VALID: the newest value was
     * lost with an earlier mapping. */
    RT_DIRTY = 4,
    RT_WAS_READ = 8 /* this side has read the byte since a transfer moved it there */
};

/* Kind of an access, as a set of bits (`access_flags`). READ: no other bit is set. ATOMIC: the access belongs
 * to an atomic operation. FREE: the memory is freed. MODIFY: not a kind, but the mask of the bits that
 * conflict with reads. */
enum {
    RT_ACCESS_READ = 0,
    RT_ACCESS_WRITE = 1,
    RT_ACCESS_ATOMIC = 2,
    RT_ACCESS_FREE = 4,
    RT_ACCESS_MODIFY = RT_ACCESS_WRITE | RT_ACCESS_FREE
};

#define RT_ALL_BYTES(states) ((uint32_t)(states)*0x11111111u) /* word of shadow whose 8 bytes all have `states` */

/* Shadow of a word (8 bytes at a multiple of 8): the states of its bytes, byte 0 in the lowest bits, and an origin. The
 * origin is the low half of the return address of the last write. If no byte of the word is VALID, the origin is a
 * digest of the values that the bytes had when they became invalid. */
enum {
    /* number of host bytes that a shadow page describes: the page has their states, then the origins of their words */
    RT_SHADOW_PAGE_BYTES = 1 << 21,
    RT_SHADOW_PAGES = 1 << 26,                   /* number of entries in the table of shadow pages */
    RT_SHADOW_ORIGINS = RT_SHADOW_PAGE_BYTES / 8 /* index of the first origin in a shadow page */
};

/* Tile: RT_TILE_BYTES bytes of device memory, with one byte of shadow. The value RT_TILE_READABLE means that
 * all bytes of the tile are present, valid, and count as read, so that kernels may read them. A smaller value
 * counts the units of 4 bytes of the tile that were accessed for the first time since they were moved. */
enum { RT_TILE_BYTES = 512, RT_TILE_READABLE = 255 };

/* Returns the digest (a hash of 32 bits) of the word `value`, all of whose bytes count. */
static inline uint32_t rt_digest_word(uint64_t value)
{
    return (uint32_t)(value * 0x9E3779B97F4A7C15u >> 32);
}

/* Returns the digest of the bytes of `value` whose entry in `states` is PRESENT; the other bytes count as 0. */
static inline uint32_t rt_digest_present_bytes(uint32_t states, uint64_t value)
{
    uint64_t present_bits = states & RT_ALL_BYTES(RT_PRESENT);
    if (present_bits == RT_ALL_BYTES(RT_PRESENT))
        return rt_digest_word(value);
    present_bits = (present_bits | present_bits << 16) & 0x0000111100001111u;
    present_bits = (present_bits | present_bits << 8) & 0x0011001100110011u;
    present_bits = (present_bits | present_bits << 4) & 0x0101010101010101u;
    return rt_digest_word(value & present_bits * 0xff);
}

/* Last access of some bytes of device memory: ids of the works that wrote and read the bytes last. A work is
 * an operation of a queue, or a task. An even id names one work, or a set of works without an order between
 * them. An even id plus one stands for the atomic operations of these works. The id 0 stands for all work
 * that happens before everything that runs now. */
struct rt_last_access {
    uint16_t write, read;
};

/* Access history of one tile. Few different last accesses exist in a tile at a time. So the tile has a list
 * of them (`last`), and for each unit of 4 bytes an index of four bits in that list. A tile is split if parts
 * of units are accessed, or if it has more different last accesses than list entries. Then each 128 bytes of
 * it have a split tile with units of one byte. If a split tile is split again, each of its bytes has an
 * rt_last_access of its own. */
enum { RT_TILE_UNITS = 128, RT_TILE_ENTRIES = 16, RT_TILE_SPLIT = UINT16_MAX };
struct rt_history_tile {
    /* List of packed rt_last_access values (both ids in one word). Entry 0 is 0, or RT_TILE_SPLIT if the tile
     * is split. Of the entries from 1 on, a free one is 0. */
    uint32_t last[RT_TILE_ENTRIES];
    /* index in `last` for each unit, two units in a byte; the unit at the lower address is in the lower bits */
    uint8_t indices[RT_TILE_UNITS / 2];
};

struct rt_access_cell;
struct rt_iteration_conflict;

/* State that the runtime sets and that the checks of the program's accesses use. The process has one:
 * rt_shadow. */
struct rt_shadow {
    /* table of the host's shadow pages by address; an entry NULL: no byte is mapped. shadow_pages NULL: no checks */
    uint32_t **shadow_pages;
    uint32_t *states, *origins; /* states and origins of device memory [low, low + bytes) */
    /* Bytes of shadow of the tiles (see RT_TILE_BYTES) at [low, low + reach). The range begins with device
     * memory and may reach to the end of the main thread's stack. */
    uint8_t *tiles;
    struct rt_history_tile *history_tiles;    /* access history of device memory: a tile for each 512 bytes */
    struct rt_history_tile *split_tiles;      /* access history: a tile for each 128 bytes of split tiles */
    struct rt_last_access *split_bytes;       /* access history of each byte whose split tile is split again */
    const struct rt_check_thread *tile_owner; /* spin lock: the thread that changes the history, or NULL */
    unsigned recording;                       /* number of running kernels whose accesses are recorded */
    /* History of accesses by iteration (loops.h): cells for each 8 bytes, each 4 bytes and each byte of device memory.
     * A tile uses those of its unit, in bytes; 0: it was not accessed yet. readers: return address of a read of each
     * word, low half. wide_cells NULL: iterations are not compared. */
    struct rt_access_cell *wide_cells, *cells, *byte_cells;
    uint8_t *cell_units;
    uint32_t *readers;
    /* Empties the history of iterations, whose times begin again. */
    void (*on_history_full)(void);
    /* Counts a kernel with marked loops. is_compared: its iterations are compared. */
    void (*on_kernel_loops)(bool is_compared);
    /* Notes the names and the location of an access that conflicts with one of another iteration; called during the
     * access. on_conflict then reports it, when the iteration ends. */
    void (*on_conflicting_access)(const struct rt_iteration_conflict *conflict);
    void (*on_conflict)(const struct rt_iteration_conflict *conflict);
    /* start and size of the address space of device memory; number of bytes from `low` on that have tiles */
    uintptr_t low, bytes, reach;
    /* Returns the id that replaces `from` as last access when `work` accesses the bytes. That is `work` itself if all
     * works of `from` happen before it, otherwise a set that contains `work`. */
    uint16_t (*find_successor)(uint16_t from, uint16_t work);
    /* Reports that an access of device memory at `at` does not happen after the access *last, and replaces *last by the
     * new access. Atomic operations do not race with each other. access_flags: RT_ACCESS_READ, ... */
    void (*on_race)(struct rt_last_access *last, uintptr_t at, unsigned access_flags, uintptr_t pc,
                    const uintptr_t *frame);
    /* Handles an access of n bytes at `at` that the shadow does not allow at once: changes states, and reports. pc:
     * return address of the access. frame: __builtin_frame_address of the function that the compiler called; NULL: not
     * known. */
    void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* Handles an MPI message that reads or writes n bytes of device memory at `at`: checks it as an access of the
     * device. */
    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* Handles that the block of malloc of n bytes at `at` is about to be freed; clears the shadow of its
     * bytes. */
    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    /* Handles a host buffer that MPI may write from now on: reports pending transfers that use the buffer. The write
     * itself is reported by on_access when it is complete. */
    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    /* nonzero after a transfer whose unread bytes must be counted when a kernel overwrites them */
    uint32_t transfer_ids;
    unsigned version; /* changes when mappings or pending transfers change */
};
extern struct rt_shadow rt_shadow;

enum { RT_SUCCESSOR_CACHE = 16, RT_CHANGE_CACHE = 64, RT_LOOKUP_CACHE = 4 };
/* State of a thread for the checks. The fast path may use the shadow of a part of memory, which begins at
 * `low` and has the sizes `units`. In a kernel, that part is all device memory, or empty if each access is
 * recorded. In host code, it is a part of an object that the thread has written. */
struct rt_check_thread {
    uintptr_t low, units[4]; /* first address of that part; its size in units of 1, 2, 4 and 8 bytes */
    /* size of the memory from `low` on that has tiles (RT_TILE_BYTES), in units of 1, 2, 4 and 8 bytes */
    uintptr_t reach[4];
    /* shadow of the memory from `low` on */
    uint32_t *states, *origins;
    const uint8_t *tiles;
    /* start and size of the part of the thread's stack that the kernel may use; stack_bytes 0: no kernel */
    uintptr_t stack, all_stack_bytes;
    uintptr_t stack_bytes;   /* the same size, or 0 if accesses to the stack are recorded */
    uintptr_t history_bytes; /* size of device memory if accesses are recorded in the access history alone; or 0 */
    uint8_t *stack_tiles;    /* first tile of the kernel's stack whose shadow was set to RT_TILE_READABLE */
    size_t nstack_tiles;     /* number of these tiles */
    bool in_kernel;          /* the thread runs a kernel, which may use device memory only */
    bool records;            /* each access takes the slow path, because it is recorded in one of two histories: */
    bool records_accesses;   /* each access is recorded in the access history (access_history.h) */
    bool has_loops;          /* the kernel has begun an iteration of a marked loop (loops.h) */
    bool skips_iterations;   /* the iterations of the kernel are not compared */
    bool records_iterations; /* each access is recorded in the history of iterations (loops.h) */
    bool is_atomic;          /* loads and stores belong to an atomic operation */
    /* id of the running kernel's work (see rt_last_access); 0: everything that follows happens after the kernel */
    uint16_t work;
    unsigned version; /* rt_shadow.version for which lookup_cache is valid */
    /* parts of present objects that the thread wrote last, on the side of the writes */
    struct rt_lookup_entry {
        /* address and size of the part, in whole words (8 bytes); offset: distance from a byte of the part to the
         * same byte on the other side */
        uintptr_t at, bytes, offset;
        /* shadow of these words, and of the same words on the other side */
        uint32_t *states, *origins, *other_states, *other_origins;
    } lookup_cache[RT_LOOKUP_CACHE];
    /* host address and size of the declared variable (of a declare directive) that the kernel used last;
     * declared_bytes 0: none */
    uintptr_t declared, declared_bytes;
    /* distance from a byte of that variable to the same byte on the device */
    uintptr_t offset;
    /* cache of the results `to` of rt_shadow.find_successor(from, work), at index from / 2 % RT_SUCCESSOR_CACHE */
    struct {
        uint16_t from, to;
    } steps[RT_SUCCESSOR_CACHE];
    /* Cache of how last accesses change (from, to), one row for each of 4 kinds of access. The runtime allocates
     * it, because a library that is loaded late has little thread-local memory. */
    struct rt_history_change {
        uint32_t from, to; /* packed last accesses of some bytes, before and after an access by this thread's work */
        uint64_t entry;    /* index in rt_history_tile.last at which a tile may have `to` */
    } (*changes)[RT_CHANGE_CACHE];
};
void rt_end_kernel_loops(void); /* loops.c: ends the loops of the thread's kernel */
/* Number of running kernels whose iterations are to be compared. Units that gcc compiles test it before their calls. */
extern int accdeep_compares;
struct rt_check_thread *rt_get_check_thread(void); /* returns the state of the calling thread */

/* Owner of a block of malloc: host code, or a kernel that allocated it. Of the blocks of host code, only
 * large ones are recorded; all others are RT_OWNER_UNKNOWN. */
enum rt_block_owner { RT_OWNER_UNKNOWN, RT_OWNER_HOST, RT_OWNER_KERNEL };
/* Returns the owner of the recorded block that contains the address `at`, and writes the block's start to
 * *start_p and its size to *bytes_p. Returns RT_OWNER_UNKNOWN if no recorded block contains the address. */
enum rt_block_owner rt_find_malloc_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p);
/* Returns the size that the program requested for the block of malloc that starts at `start`; 0: the size is not known.
 */
size_t rt_get_requested_size(uintptr_t start);

#endif
