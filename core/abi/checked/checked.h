/* checked.h - what programs compiled for checking (`accdeep cc`) and the runtime share.
 *
 * The compiler puts a call in front of each load and store: those of its thread sanitizer. This
 * folder is the library that defines them. Alone it does nothing, so that such a program also runs
 * by itself. The runtime, if it is there, gives it shadow memory: what holds of each byte of mapped
 * data. What the shadow allows returns at once; all else is a question for the runtime. */
#ifndef GOACC_CHECKED_H
#define GOACC_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a byte, in four bits. On the host a byte without PRESENT is free to use. On the device it lies
 * outside of all data. */
enum {
    GOACC_PRESENT = 1, /* mapped; on the host also: was mapped, and its newest value is lost */
    GOACC_VALID = 2,   /* this side has the newest value */
    GOACC_ONLY = 4,    /* the other side does not have it */
    GOACC_READ = 8     /* was read since it was moved here */
};

/* How memory is used. */
enum { GOACC_READS = 0, GOACC_WRITES = 1, GOACC_ATOMIC = 2, GOACC_FREES = 4, GOACC_CHANGES = GOACC_WRITES | GOACC_FREES };

#define GOACC_IN_ALL(states) ((uint32_t)(states)*0x11111111u) /* of a word's bytes */

/* Of 8 bytes at a multiple of 8. */
struct goacc_shadow {
    uint32_t states; /* of byte 0 in the lowest bits */
    uint32_t note;   /* the low half of the return address of the last write; if no byte is valid: a
                        digest of   what the bytes were when they became so */
};

enum { GOACC_LEAF = 1 << 21, GOACC_LEAVES = 1 << 26 }; /* bytes of the host that a leaf is for; leaves */

/* Which work of queues and tasks wrote and read some bytes of device memory last: numbers of works, even ones, or of
 * sets of works that nothing orders. The number of a work plus one stands for its atomic operations. 0: work that
 * comes before all that is under way. */
struct goacc_last {
    uint16_t write, read;
};
enum {
    GOACC_GRAIN = 4,         /* bytes for which there is one */
    GOACC_APART = UINT16_MAX /* write: each of the bytes has its own */
};

/* What the runtime sets. */
struct goacc_checked {
    struct goacc_shadow **leaves; /* of the host, by address; NULL: nothing is checked */
    struct goacc_shadow *device;  /* of [low, low + bytes) */
    struct goacc_last *grains, *apart; /* of the same; apart: of each byte */
    uintptr_t low, bytes;
    /* Where a number is left, and a work uses the bytes: the number that takes its place. That of the work itself: what
     * was there comes before it. */
    uint16_t (*step)(uint16_t from, uint16_t work);
    /* Work uses device memory whose last use does not come before it. */
    void (*clash)(struct goacc_last *last, uintptr_t at, unsigned how, uintptr_t pc, const uintptr_t *frame);
    /* An access that the shadow does not allow at once. frame: of the function that was called for it, as
     * __builtin_frame_address has it, or NULL. */
    void (*access)(uintptr_t at, size_t n, bool write, uintptr_t pc, const uintptr_t *frame);
    /* A block of malloc, parts of which may have a shadow, is freed. */
    void (*freed)(uintptr_t at, size_t n);
};
extern struct goacc_checked goacc_checked;

enum { GOACC_STEPS = 16 };
/* Of a thread that runs a kernel: the kernel's part of the stack; 0 bytes: it runs none. The shadow of the device, or
 * zeros, where each use is noted. And the variable of a declare directive that it used last: its bytes have changed
 * places with those of the device, which lie offset further on. */
struct goacc_inside {
    uintptr_t low, bytes;
    struct goacc_shadow *device;
    uintptr_t declared, declared_bytes, offset;
    bool notes;    /* uses are noted */
    uint16_t work; /* the kernel's number; 0: it comes before all that follows */
    struct {
        uint16_t from, to;
    } steps[GOACC_STEPS]; /* the last ones, by half of from */
    struct goacc_change {
        uint64_t from, to;
    } changes[2][GOACC_STEPS]; /* of the numbers of 8 bytes by a read and by a write, the last ones */
};
struct goacc_inside *goacc_check_inside(void); /* the calling thread's */

/* Whose memory an address of a block of malloc is. Of the host's, large blocks alone are known. */
enum goacc_owner { GOACC_UNKNOWN, GOACC_OF_HOST, GOACC_OF_KERNEL };
enum goacc_owner goacc_check_block(uintptr_t at, uintptr_t *start_p, size_t *bytes_p);

#endif
