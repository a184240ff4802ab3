/* clang_maps.h - the maps that clang passes for a directive, and the items that they become. A map is what clang passes
 * for a clause or a part of one; an item is what the core gets: a host range with an action. Included by clang_maps.c,
 * clang_target.c and clang_tasks.c.
 *
 * A directive arrives as columns: base addresses, addresses, sizes and types of its maps, their names, and the
 * functions of mappers. A type is a set of flags (below) and, in its high 16 bits, the number of the enclosing map. */
#ifndef RT_MAPS_H
#define RT_MAPS_H

#include "rt/items.h"

#include <assert.h>

/* Flags of the type of a map, as clang defines them. */
enum {
    TO = 0x1,
    FROM = 0x2,
    ALWAYS = 0x4,
    DELETE = 0x8,
    PTR_AND_OBJ = 0x10,  /* data with their pointer: the base column has the address of the pointer */
    TARGET_PARAM = 0x20, /* argument of the target region */
    RETURN_PARAM = 0x40, /* use_device_ptr, use_device_addr: the base column gets the device address */
    PRIVATE = 0x80,      /* firstprivate or private variable */
    LITERAL = 0x100,     /* the base column has the value itself, as an argument; not data */
    IMPLICIT = 0x200,
    CLOSE = 0x400,
    PRESENT = 0x1000,
    HOLD = 0x2000,      /* clause ompx_hold: data stay present until the region ends, whatever else releases them */
    ATTACH = 0x4000,    /* pointer to attach, without data; its section has a map of its own */
    FB_NULLIFY = 0x8000 /* clang 23: with RETURN_PARAM, the address of absent data becomes NULL */
};
static const uint64_t rt_non_contiguous = (uint64_t)1 << 44; /* type flag: strided section, which has gaps */
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

/* Source location that the compiler passes to a call. `text`: ";FILE;FUNCTION;LINE;COLUMN;;". */
struct rt_source_ident {
    int32_t unused[4];
    const char *text;
};
/* Returns the text of a location; NULL if `location` is NULL. */
static inline const char *rt_get_ident_text(const void *location)
{
    return location ? ((const struct rt_source_ident *)location)->text : NULL;
}

/* Map of a directive. begin, size: the data. base: start of the variable that contains them, or, with PTR_AND_OBJ,
 * address of the pointer to them. type: flags (TO, FROM, ...). */
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

/* Dimensions of one strided section, in the list of all that a directive has. */
struct rt_dim_list {
    struct rt_dim_list *next;
    accd_stride at[ACCD_MAX_RANK];
};

/* Maps of a directive, including maps that mappers add. `at` is the array of n maps: `inline_maps`, or memory of
 * malloc. `dims`: list of the dimensions of strided sections, which rt_maps_free frees. */
struct rt_maps {
    struct rt_map *at, inline_maps[16];
    size_t n, capacity;
    struct rt_dim_list *dims;
    uint64_t flag_mask, flag_value; /* filter: only maps with (type & flag_mask) == flag_value become items */
};
/* Collects the maps of the columns in *maps; a map with a mapper function is replaced by the maps that this function
 * adds. The lock must not be held, because mappers are code of the program. Ends the program without memory. */
void rt_maps_init(struct rt_maps *maps, const struct rt_map_columns *columns);
/* Frees the maps, and the dimensions that items refer to. */
void rt_maps_free(struct rt_maps *maps);

/* Appends the items of a directive that begins a construct or enters data. The lock must be held. */
void rt_add_map_enter_items(struct rt_maps *maps, struct rt_items *items);
/* Appends the items of a directive that exits data. The lock must be held. */
void rt_add_map_exit_items(struct rt_maps *maps, struct rt_items *items);
/* Appends the items of an update; maps without data to transfer make no item. The lock must be held. */
void rt_add_map_update_items(struct rt_maps *maps, struct rt_items *items);

/* Returns the device address for the base of a map, which a target region gets as its argument; NULL: the data are
 * absent. has_mapper: a mapper may have mapped only parts of the data, without the first byte. For a zero-length
 * section at which nothing is present, returns the image's function if the address is a function's placeholder.
 * Otherwise returns the host base if rt.options.null_unmatched, for code, and for device memory if rt.device_pointers;
 * else NULL. The lock must be held. */
void *rt_find_map_base(const struct rt_thread *self, const struct rt_map *map, bool has_mapper);

/* Callback of rt_site.name: stores in *name_p the program's name of the `bytes` bytes at `host`, which one of the maps
 * (struct rt_maps) describes; `bytes` 0: of any size. Returns false if no map with a name has this range. */
bool rt_find_map_name(const void *maps, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);

#endif
