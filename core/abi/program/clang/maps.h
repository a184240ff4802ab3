/* maps.h - the maps that clang passes for a directive, and the items that they become. Included by target.c and
 * tasks.c.
 *
 * A directive arrives as columns: base addresses, addresses, sizes and types of its maps, their names, and the
 * functions of mappers. Names and numbers of types are the compiler's; their meaning is defined by that interface. */
#ifndef RT_MAPS_H
#define RT_MAPS_H

#include "abi/program/run/items.h"

#include <assert.h>

/* Flags of the type of a map, as clang defines them. */
enum {
    TO = 0x1,
    FROM = 0x2,
    ALWAYS = 0x4,
    DELETE = 0x8,
    PTR_AND_OBJ = 0x10, /* base: address of the pointer to the data */
    TARGET_PARAM = 0x20,
    RETURN_PARAM = 0x40, /* the program continues with the device address */
    PRIVATE = 0x80,
    LITERAL = 0x100, /* the base column has the value itself, as an argument; not data */
    IMPLICIT = 0x200,
    CLOSE = 0x400,
    PRESENT = 0x1000,
    HOLD = 0x2000,      /* data stay present until the region ends, whatever other directives release */
    ATTACH = 0x4000,    /* pointer only; its section has a map of its own */
    FB_NULLIFY = 0x8000 /* clang 23: with RETURN_PARAM, the address of absent data becomes NULL */
};
static const uint64_t rt_non_contiguous = (uint64_t)1 << 44; /* type flag: section with gaps */
static inline unsigned rt_get_map_parent(uint64_t type) /* returns the number of the enclosing map, from 1; 0: none */
{
    return (unsigned)(type >> 48);
}

/* Returns true if all flags of a type are known. ATTACH with PRIVATE (a private pointer), or with ALWAYS, is not known.
 */
static inline bool rt_is_known_map_type(uint64_t type)
{
    const uint64_t flags = 0xf7ff, number = (uint64_t)0xffff << 48;
    return !(type & ~(flags | rt_non_contiguous | number)) && !(type & ATTACH && type & (ALWAYS | PRIVATE));
}

/* Location of a call from the compiler: ";FILE;FUNCTION;LINE;COLUMN;;". */
struct rt_source_ident {
    int32_t unused[4];
    const char *text;
};
/* Returns the text of a location; NULL if `location` is NULL. */
static inline const char *rt_get_ident_text(const void *location)
{
    return location ? ((const struct rt_source_ident *)location)->text : NULL;
}

/* Map of a directive: base address, begin and size of the data, type flags. */
struct rt_map {
    void *base, *begin;
    int64_t size;
    uint64_t type;
    const char *name; /* ";NAME;FILE;LINE;COLUMN;;", or NULL */
};

/* Columns of a directive, as the compiler passes them: base address, begin, size and type of each of n maps. */
struct rt_map_columns {
    size_t n;
    void **base, **begin;
    const int64_t *size;
    const uint64_t *type;
    const char *const *name; /* name of each map; NULL: the directive has no names */
    void *const *mapper;     /* mapper function of each map, or NULL; column NULL: no mappers */
};
/* Returns map i, with `name` NULL. */
static inline struct rt_map rt_get_map(const struct rt_map_columns *columns, size_t i)
{
    assert(i < columns->n);
    return (struct rt_map){columns->base[i], columns->begin[i], columns->size[i], columns->type[i], NULL};
}

/* List of dimensions of sections with gaps. */
struct rt_dim_list {
    struct rt_dim_list *next;
    accd_stride at[ACCD_MAX_RANK];
};

/* Maps of a directive, including maps that mappers add. `at` is the array: `inline_maps`, or memory of malloc. `dims`:
 * dimensions of sections with gaps, for rt_maps_free. */
struct rt_maps {
    struct rt_map *at, inline_maps[16];
    size_t n, capacity;
    struct rt_dim_list *dims;
    uint64_t flag_mask, flag_value; /* filter: only maps with (type & flag_mask) == flag_value become items */
};
/* Collects the maps of a directive and calls its mappers. Ends the program without memory. */
void rt_maps_init(struct rt_maps *maps, const struct rt_map_columns *columns);
/* Frees the maps, and the dimensions that items refer to. */
void rt_maps_free(struct rt_maps *maps);

/* Appends the items of a directive that begins a construct or enters data. The lock must be held, here and below. */
void rt_add_map_enter_items(struct rt_maps *maps, struct rt_items *items);
/* Appends the items of a directive that exits data. */
void rt_add_map_exit_items(struct rt_maps *maps, struct rt_items *items);
/* Appends the items of an update. Maps without data to transfer make no item. */
void rt_add_map_update_items(struct rt_maps *maps, struct rt_items *items);

/* Makes device pointers to absent zero-length sections null, after an entry (OMP60-map-10). `restore`: before the
 * pointers are copied back, gives those that are still null their host value again. */
void rt_sync_null_map_pointers(const struct rt_thread *self, const struct rt_maps *maps, bool restore);

/* Returns the device address for the base of a map; NULL: its data are absent. For a zero-length section of absent
 * data, returns the function of the device's image at its address, or NULL. Returns the host base instead for code and
 * memory of the device, or if rt.options.null_unmatched. `has_mapper`: a mapper may have mapped only parts of the data,
 * without the first byte. */
void *rt_find_map_base(const struct rt_thread *self, const struct rt_map *map, bool has_mapper);

/* Callback of rt_site.name: stores in *name_p the program's name of a range among the maps (struct rt_maps). Returns
 * false if no map with a name has this range. */
bool rt_find_map_name(const void *maps, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);

#endif
