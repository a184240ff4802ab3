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
 * Code of this folder runs in accesses of the program, in its signal handlers, and before main. Therefore it takes no
 * lock of the C library and allocates no memory during an access. */
#ifndef RT_CHECKED_H
#define RT_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* States of a byte, four bits. VALID and DIRTY are an MSI protocol; program/check/shadow.h has the table. A host byte
 * that is not PRESENT may be used freely; a device byte that is not PRESENT lies outside of all data. */
enum {
    RT_PRESENT = 1, /* mapped; on the host also: was mapped earlier, and the newest value of the byte is lost */
    RT_VALID = 2,   /* this side has the newest value */
    RT_DIRTY = 4, /* if VALID, too: only this side has the newest value. On the host without VALID: the newest value was
                     lost with an earlier mapping */
    RT_WAS_READ = 8 /* was read since a transfer moved the byte to this side */
};

/* Kind of an access, as a set of bits (`access_flags`). ATOMIC: the access belongs to an atomic operation. FREE: the
 * memory is freed. MODIFY: mask of the bits that conflict with reads. */
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
    RT_SHADOW_PAGE_BYTES = 1 << 21,              /* host bytes of a shadow page: first their states, then the origins */
    RT_SHADOW_PAGES = 1 << 26,                   /* number of entries in the table of shadow pages */
    RT_SHADOW_ORIGINS = RT_SHADOW_PAGE_BYTES / 8 /* index of the first origin in a shadow page */
};

/* Tile: RT_TILE_BYTES bytes of device memory, with one byte of shadow. The value RT_TILE_READABLE means that all bytes
 * of the tile are present, valid, and count as read, so that kernels may read them. A smaller value is the part of the
 * tile that was accessed since its bytes were moved, in units of 4 bytes. */
enum { RT_TILE_BYTES = 512, RT_TILE_READABLE = 255 };

/* Returns the digest of the word `value`, all of whose bytes count. */
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

/* Last access of some bytes of device memory: ids of the works that wrote and read the bytes last. A work is an
 * operation of a queue, or a task. An even id names one work, or a set of works without an order between them. The id
 * of a work plus one stands for the atomic operations of that work. The id 0 stands for all work that happens before
 * everything now running. */
struct rt_last_access {
    uint16_t write, read;
};

/* Access history of one tile. Few different last accesses exist in a tile at a time. So the tile has a list of them,
 * and for each unit of 4 bytes an index of four bits in that list. A tile is split if parts of units are accessed, or
 * if it has more different last accesses than list entries. Then each 128 bytes of it have a split tile with units of
 * one byte. If a split tile is split again, each of its bytes has an rt_last_access of its own. */
enum { RT_TILE_UNITS = 128, RT_TILE_ENTRIES = 16, RT_TILE_SPLIT = UINT16_MAX };
struct rt_history_tile {
    uint32_t last[RT_TILE_ENTRIES]; /* list of packed rt_last_access values. Entry 0 is 0, or RT_TILE_SPLIT if the tile
                                     * is split; a free entry from 1 on is 0 */
    uint8_t indices[RT_TILE_UNITS / 2]; /* index in `last` for each unit, two units in a byte; the unit at the lower
                                         * address is in the lower bits */
};

/* State that the runtime sets and that the checks of the program's accesses use; one for the process, rt_shadow. */
struct rt_shadow {
    uint32_t **shadow_pages;    /* table of the host's shadow pages; shadow_pages NULL: nothing is checked */
    uint32_t *states, *origins; /* shadow of device memory [low, low + bytes) */
    uint8_t *tiles; /* tiles of the addresses [low, low + reach). The range begins with device memory and may reach to
                     * the end of the main thread's stack */
    struct rt_history_tile *history_tiles;    /* access history of device memory: a tile for each 512 bytes */
    struct rt_history_tile *split_tiles;      /* access history: a tile for each 128 bytes of split tiles */
    struct rt_last_access *split_bytes;       /* access history of each byte whose split tile is split again */
    const struct rt_check_thread *tile_owner; /* spin lock: the thread that changes the history, or NULL */
    unsigned recording;                       /* number of running kernels whose accesses are recorded */
    uintptr_t low, bytes,
        reach; /* start and size of the address space of device memory; bytes from `low` on with tiles */
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
    /* Handles that a block of malloc is about to be freed; clears the shadow that parts of it may have. */
    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    /* Handles a host buffer that MPI may write from now on: reports pending transfers that use the buffer. The write
     * itself is reported by on_access when it is complete. */
    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    uint32_t
        transfer_ids; /* nonzero after a transfer whose unread bytes must be counted when a kernel overwrites them */
    unsigned version; /* changes when mappings or pending transfers change */
};
extern struct rt_shadow rt_shadow;

enum { RT_SUCCESSOR_CACHE = 16, RT_CHANGE_CACHE = 64, RT_LOOKUP_CACHE = 4 };
/* State of a thread for the checks. The fast path may use the shadow of the memory from `low` on, of the sizes `units`.
 * In a kernel, that memory is all device memory, or none if each access is recorded. In host code, it is a part of an
 * object that the thread has written. */
struct rt_check_thread {
    uintptr_t low, units[4]; /* first address; size of the memory in units of 1, 2, 4 and 8 bytes */
    uintptr_t reach[4];      /* size of the memory from `low` on that has tiles, in units of 1, 2, 4 and 8 bytes */
    /* shadow of the memory from `low` on */
    uint32_t *states, *origins;
    const uint8_t *tiles;
    uintptr_t stack, stack_bytes; /* part of the stack that the kernel may use; stack_bytes 0: no kernel */
    uint8_t *stack_tiles;         /* first tile of the kernel's stack that was made readable */
    size_t nstack_tiles;          /* number of these tiles */
    bool in_kernel;               /* the thread runs a kernel, which may use device memory only */
    bool records_accesses;        /* each access is recorded in the history */
    bool is_atomic;               /* loads and stores belong to an atomic operation */
    uint16_t work;    /* work id of the running kernel; 0: everything that follows happens after the kernel */
    unsigned version; /* rt_shadow.version for which lookup_cache is valid */
    struct rt_lookup_entry {
        uintptr_t at, bytes, offset; /* address and size, whole words; offset: what is added to an address to get the
                                        same byte on the other side */
        uint32_t *states, *origins, *other_states,
            *other_origins;          /* shadow of these words, and of those on the other side */
    } lookup_cache[RT_LOOKUP_CACHE]; /* parts of present objects that the thread wrote last, on the side of the writes
                                      */
    uintptr_t declared, declared_bytes; /* host address and size of the declared variable that the kernel used last;
                                         * declared_bytes 0: none */
    uintptr_t offset;                   /* distance from the variable to its device bytes */
    struct {
        uint16_t from, to;
    } steps[RT_SUCCESSOR_CACHE]; /* cache of results (to) of find_successor(from, work), at index from / 2 %
                                    RT_SUCCESSOR_CACHE */
    struct rt_history_change {
        uint32_t from, to;         /* packed last accesses, before and after an access of this thread's work */
        uint64_t entry;            /* list index at which a tile may hold the value `to` */
    } (*changes)[RT_CHANGE_CACHE]; /* cache of how last accesses change (from, to), one row for each of 4 kinds of
                                    * access. The runtime allocates it, because a library that is loaded late has little
                                    * thread-local memory */
};
struct rt_check_thread *rt_get_check_thread(void); /* returns the state of the calling thread */

/* Owner of a block of malloc: host code, or a kernel that allocated it. Only large blocks of host code are recorded;
 * all other ones are RT_OWNER_UNKNOWN. */
enum rt_block_owner { RT_OWNER_UNKNOWN, RT_OWNER_HOST, RT_OWNER_KERNEL };
/* Returns the owner of the recorded block that contains the address `at`, and writes the start and size of the block.
 * Returns RT_OWNER_UNKNOWN if no recorded block contains the address. */
enum rt_block_owner rt_find_malloc_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p);
/* Returns the size that the program requested for the block of malloc that starts at `start`; 0: the size is not known.
 */
size_t rt_get_requested_size(uintptr_t start);

#endif
