/* checked.h - what programs compiled for checking (`accdeep cc`) and the runtime share.
 *
 * The compiler puts a call in front of each load and store: those of its thread sanitizer. This
 * folder is the library that defines them. Alone it does nothing, so that such a program also runs
 * by itself. The runtime, if it is there, gives it shadow memory: what holds of each byte of mapped
 * data. What the shadow allows returns at once; all else is a question for the runtime. */
#ifndef RT_CHECKED_H
#define RT_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a byte, in four bits. On the host a byte without PRESENT is free to use. On the device it lies
 * outside of all data. */
enum {
    RT_PRESENT = 1, /* mapped; on the host also: was mapped, and its newest value is lost */
    RT_VALID = 2,   /* this side has the newest value */
    RT_DIRTY = 4,   /* the other side does not have it; on the host, if not valid: what is lost is of earlier data */
    RT_WAS_READ = 8 /* was read since it was moved here */
};

/* How memory is used. */
enum {
    RT_ACCESS_READ = 0,
    RT_ACCESS_WRITE = 1,
    RT_ACCESS_ATOMIC = 2,
    RT_ACCESS_FREE = 4,
    RT_ACCESS_MODIFY = RT_ACCESS_WRITE | RT_ACCESS_FREE
};

#define RT_ALL_BYTES(states) ((uint32_t)(states)*0x11111111u) /* of a word's bytes */

/* 8 bytes at a multiple of 8 have two words of shadow. Their states: of byte 0 in the lowest bits. And a note: the low
 * half of the return address of the last write; if no byte is valid: a digest of what the bytes were when they became
 * so. */
enum {
    RT_SHADOW_PAGE_BYTES = 1 << 21,              /* bytes of the host that a leaf is for: states, then notes */
    RT_SHADOW_PAGES = 1 << 26,                   /* leaves */
    RT_SHADOW_ORIGINS = RT_SHADOW_PAGE_BYTES / 8 /* where a leaf's notes begin */
};

/* Of so many bytes of the device, a tile: RT_TILE_READABLE, if all of them are present, valid, and count as read:
 * kernels may read them. Otherwise how much of them was used since they were moved, in units of 4 bytes. */
enum { RT_TILE_BYTES = 512, RT_TILE_READABLE = 255 };

static inline uint32_t rt_digest_word(uint64_t value)
{
    return (uint32_t)(value * 0x9E3779B97F4A7C15u >> 32);
}

/* Of the bytes of a word that are present. */
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

/* Which work of queues and tasks wrote and read some bytes of device memory last: numbers of works, even ones, or of
 * sets of works that nothing orders. The number of a work plus one stands for its atomic operations. 0: work that
 * comes before all that is under way. */
struct rt_last_access {
    uint16_t write, read;
};

/* Few of them are in use in a tile at a time: it has a list, and for each of its units four bits, a place in the list.
 * Units are 4 bytes. A tile whose bytes are used one by one, or that has too many, is apart: 128 bytes are a tile of
 * their own then, with units of one byte; and if that is apart, too, each byte has its own numbers. */
enum { RT_TILE_UNITS = 128, RT_TILE_ENTRIES = 16, RT_TILE_SPLIT = UINT16_MAX };
struct rt_history_tile {
    uint32_t last[RT_TILE_ENTRIES]; /* read and write; the first: 0, or RT_TILE_SPLIT; others: 0, if they are free */
    uint8_t of[RT_TILE_UNITS / 2];  /* of two units, the lower one in the lower bits */
};

/* What the runtime sets. */
struct rt_shadow {
    uint32_t **shadow_pages;                    /* of the host, by address; NULL: nothing is checked */
    uint32_t *states, *origins;                 /* of [low, low + bytes), the device's memory */
    uint8_t *tiles;                             /* of [low, low + reach): the main thread's stack lies there, too */
    struct rt_history_tile *uses, *split_tiles; /* of the device's memory: tiles; and those of tiles that are apart */
    struct rt_last_access *split_bytes;         /* of each byte */
    const struct rt_check_thread *tile_owner;   /* who changes them, if someone does */
    unsigned recording;                         /* kernels under way whose uses are noted */
    uintptr_t low, bytes, reach;
    /* Where a number is left, and a work uses the bytes: the number that takes its place. That of the work itself: what
     * was there comes before it. */
    uint16_t (*find_successor)(uint16_t from, uint16_t work);
    /* Work uses device memory whose last use does not come before it. */
    void (*on_race)(struct rt_last_access *last, uintptr_t at, unsigned how, uintptr_t pc, const uintptr_t *frame);
    /* An access that the shadow does not allow at once. frame: of the function that was called for it, as
     * __builtin_frame_address has it, or NULL. */
    void (*on_access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* A message reads or writes device memory. */
    void (*on_mpi_transfer)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* A block of malloc, parts of which may have a shadow, is freed. */
    void (*on_free)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    /* A library may write from now on, until it says so by an access. */
    void (*on_async_buffer)(uintptr_t at, size_t n, uintptr_t pc, const uintptr_t *frame);
    uint32_t transfer_ids; /* of transfers: 0: there was none whose bytes are counted where a kernel overwrites them */
    unsigned version;      /* of what is present, and of what is pending */
};
extern struct rt_shadow rt_shadow;

enum { RT_SUCCESSOR_CACHE = 16, RT_CHANGE_CACHE = 64, RT_LOOKUP_CACHE = 4 };
/* Of a thread. Memory, and its shadow, that it may use at once where the shadow allows so: in a kernel all of the
 * device, but none if each use is noted; on the host a part of an object that the thread has written. A kernel's part
 * of the stack. And the variable of a declare directive that a kernel used last: its bytes have changed places with
 * those of the device, offset further on. */
struct rt_check_thread {
    uintptr_t low, units[4]; /* of 1, 2, 4 and 8 bytes */
    uintptr_t reach[4];      /* the same, of what has tiles */
    uint32_t *states, *origins;
    const uint8_t *tiles;
    uintptr_t stack, stack_bytes;
    uint8_t *stack_tiles; /* those that are open: where the kernel's frames are */
    size_t nstack_tiles;
    bool in_kernel;        /* a kernel */
    bool records_accesses; /* each use is noted */
    bool is_atomic;        /* loads and stores belong to an atomic operation */
    uint16_t work;         /* the kernel's number; 0: it comes before all that follows */
    unsigned version;      /* of near */
    struct rt_lookup_entry {
        uintptr_t at, bytes, offset; /* whole words; offset: of the other side */
        uint32_t *states, *origins, *other_states, *other_origins;
    } lookup_cache[RT_LOOKUP_CACHE]; /* parts of present objects, on one side, that were written last */
    uintptr_t declared, declared_bytes, offset;
    struct {
        uint16_t from, to;
    } steps[RT_SUCCESSOR_CACHE]; /* the last ones, by half of from */
    struct rt_history_change {
        uint32_t from, to;
        uint64_t entry;            /* where a tile may have it */
    } (*changes)[RT_CHANGE_CACHE]; /* of numbers, by how memory is used, in 4 rows: the last ones. They are the
                                 runtime's: a library that is loaded late has little memory for each thread */
};
struct rt_check_thread *rt_get_check_thread(void); /* the calling thread's */

/* Whose memory an address of a block of malloc is. Of the host's, large blocks alone are known. */
enum rt_block_owner { RT_OWNER_UNKNOWN, RT_OWNER_HOST, RT_OWNER_KERNEL };
enum rt_block_owner rt_find_malloc_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p);
/* How many bytes the program asked for in a block of malloc that begins at an address; 0: it is not known. */
size_t rt_get_requested_size(uintptr_t start);

#endif
