/* maps.h - the maps that clang passes for a directive, and the items they become.
 *
 * A directive arrives as columns: base addresses, addresses, sizes and types of its maps, their
 * names, and functions of mappers. What each type asks for are facts of that interface; names and
 * numbers are the compiler's. */
#ifndef RT_MAPS_H
#define RT_MAPS_H

#include "abi/program/run/items.h"

enum {
    TO = 0x1,
    FROM = 0x2,
    ALWAYS = 0x4,
    DELETE = 0x8,
    PTR_AND_OBJ = 0x10, /* base: the address of the pointer that points to the data */
    TARGET_PARAM = 0x20,
    RETURN_PARAM = 0x40, /* the program continues with the device's address */
    PRIVATE = 0x80,
    LITERAL = 0x100, /* the value itself stands for the address */
    IMPLICIT = 0x200,
    CLOSE = 0x400,
    PRESENT = 0x1000,
    HOLD = 0x2000,      /* until the region ends, whatever other directives say */
    ATTACH = 0x4000,    /* no more than the pointer, of a section that has a map of its own */
    FB_NULLIFY = 0x8000 /* of clang 23: with RETURN_PARAM, absent data have the address NULL */
};
static const uint64_t rt_non_contiguous = (uint64_t)1 << 44;
static inline unsigned rt_get_map_parent(uint64_t type) /* the number of the map it is part of, from 1; 0: none */
{
    return (unsigned)(type >> 48);
}

/* Whether all flags of a type are known. ATTACH of a private pointer, or in any case, is not. */
static inline bool rt_is_known_map_type(uint64_t type)
{
    const uint64_t flags = 0xf7ff, number = (uint64_t)0xffff << 48;
    return !(type & ~(flags | rt_non_contiguous | number)) && !(type & ATTACH && type & (ALWAYS | PRIVATE));
}

/* Where the compiler says that a call is, as ";FILE;FUNCTION;LINE;COLUMN;;". */
struct rt_source_ident {
    int32_t unused[4];
    const char *text;
};
static inline const char *rt_get_ident_text(const void *location)
{
    return location ? ((const struct rt_source_ident *)location)->text : NULL;
}

struct rt_map {
    void *base, *begin;
    int64_t size;
    uint64_t type;
    const char *name; /* ";NAME;FILE;LINE;COLUMN;;", or NULL */
};

/* As the compiler passes them. */
struct rt_map_columns {
    size_t n;
    void **base, **begin;
    const int64_t *size;
    const uint64_t *type;
    const char *const *name; /* NULL: there are no names */
    void *const *mapper;     /* functions, NULL: of none */
};
/* Without its name. */
static inline struct rt_map rt_get_map(const struct rt_map_columns *columns, size_t i)
{
    return (struct rt_map){columns->base[i], columns->begin[i], columns->size[i], columns->type[i], NULL};
}

/* Of a section with gaps. */
struct rt_dim_list {
    struct rt_dim_list *next;
    accd_stride at[ACCD_MAX_RANK];
};

/* The maps of a directive, with those that its mappers add. */
struct rt_maps {
    struct rt_map *at, few[16];
    size_t n, capacity;
    struct rt_dim_list *dims;
    uint64_t flags, taken; /* of the type of a map: items are made of those whose flags are these */
};
void rt_maps_init(struct rt_maps *maps, const struct rt_map_columns *columns);
void rt_maps_free(struct rt_maps *maps);

/* Of an entry to a data environment, an exit, an update. */
void rt_add_map_enter_items(struct rt_maps *maps, struct rt_items *items);
void rt_add_map_exit_items(struct rt_maps *maps, struct rt_items *items);
void rt_add_map_update_items(struct rt_maps *maps, struct rt_items *items);

/* After an entry: makes pointers to sections of no length null on the device where nothing is
 * present (OMP60-map-10). back: makes those that still are null what they are on the host, before
 * they are fetched. */
void rt_sync_null_map_pointers(const struct rt_thread *self, const struct rt_maps *maps, bool back);

/* Returns the device's address for the base of a map; NULL: its data are absent. A mapper maps what
 * it names of the data, which need not have the first byte. */
void *rt_find_map_base(const struct rt_thread *self, const struct rt_map *map, bool has_mapper);

/* What the program calls a range of a directive: for rt_site.name. */
bool rt_find_map_name(const void *maps, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);

#endif
