/* map_entry.h - what an entry of a directive means, whichever compiler passes it. A decoder for each compiler
 * (gcc_entries.c, clang_maps.c) turns the raw arguments of a call into such entries; lower.c turns these into items of
 * the core and into arguments of kernels. A new version of a compiler is a change of its decoder only.
 *
 *      columns of gcc  --> gcc_entries.c --+
 *                                          +--> struct map_entry --> lower.c --> items, arguments of kernels
 *      columns of clang --> clang_maps.c --+ */
#ifndef RT_MAP_ENTRY_H
#define RT_MAP_ENTRY_H

#include "rt/items.h"

/* Kind of an entry. */
enum map_entry_kind {
    MAP_DATA,          /* the `bytes` bytes at `host` */
    MAP_EMPTY_SECTION, /* a section of zero length at `host`: stands for the present object there (OMP60-map-10) */
    MAP_POINTER        /* the pointer at `slot` without data; its section begins at `host` */
};

/* Entry of a directive. The action is what the directive requests: in a directive that begins a construct, of mapping;
 * in one that exits data, of unmapping; in an update, of a transfer. A field that is 0 does not apply. */
struct map_entry {
    enum map_entry_kind kind;
    uint8_t action;    /* MAP_POINTER: attach, detach, or ACCD_ACTION_INHERIT (no item for the pointer alone) */
    uint8_t ndims;     /* number of `dims` */
    uint16_t flags;    /* ACCD_ITEM_x of the item */
    bool needs_whole;  /* data: the entry is ignored if the data are partly present (OMP60-map-12) */
    bool is_empty;     /* pointer: its section has zero length, so that it is null on the device without an object */
    const void *host;  /* first byte of the data or section */
    uint64_t bytes;    /* size of the data */
    const void *slot;  /* address of the pointer to the data; NULL: no pointer is attached */
    const void *base;  /* data: start of the variable or array with the data; NULL: not known */
    const void *frame; /* data: structure whose members keep their distances on the device; NULL: none */
    uint64_t frame_bytes;
    accd_program *program;   /* data: mapping program of a structure's named members; NULL: all bytes are mapped */
    const accd_stride *dims; /* data: strides of a section with gaps, whose runs have `run` bytes; NULL: no gaps */
    uint64_t run;
};

#endif
