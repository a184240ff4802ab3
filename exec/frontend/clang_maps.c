/* clang_maps.c - decodes the maps of a clang directive. Called by clang_target.c; except for rt_maps_init and
 * rt_maps_free, the lock must be held.
 *
 * A map with PTR_AND_OBJ has data and their pointer. The pointer has an entry of its own, too, unless it is a member of
 * a structure. A structure is one map, followed by the maps of its members:
 *
 *      maps:   s, size of its mapped part | MEMBER_OF(1) s.n | MEMBER_OF(1) PTR_AND_OBJ base &s.p, begin p
 *      items:  s, aligned by its frame    | s.n              | p[0:n], slot &s.p */
#include "clang_maps.h"

#include "diag/errors.h"
#include "image/malloc_blocks.h"
#include "lower.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- maps --
 */

/* Appends a copy of `map` to `maps`. Ends the program without memory. */
static void add_map(struct rt_maps *maps, const struct rt_map *map)
{
    assert(maps->n <= maps->capacity);
    if (maps->n == maps->capacity) {
        struct rt_map *new_maps = malloc(2 * maps->capacity * sizeof *new_maps);
        if (!new_maps)
            rt_fatal("out-of-memory", "no memory for a directive with %zu maps", maps->n);
        memcpy(new_maps, maps->at, maps->n * sizeof *new_maps);
        if (maps->at != maps->inline_maps)
            free(maps->at);
        maps->at = new_maps;
        maps->capacity *= 2;
    }
    maps->at[maps->n++] = *map;
}

/* Handle that a mapper function gets: the list of maps, and the index of the first map that the mapper adds. */
struct mapping {
    struct rt_maps *maps;
    size_t first;
};

/* Returns how many maps a mapper function has added so far; called by mapper functions. */
int64_t __tgt_mapper_num_components(void *mapping);
int64_t __tgt_mapper_num_components(void *mapping)
{
    const struct mapping *mapper_state = mapping;
    assert(mapper_state->maps->n >= mapper_state->first);
    return (int64_t)(mapper_state->maps->n - mapper_state->first);
}

/* Adds a map with these columns to the list of `mapping`; called by mapper functions. Ends the program without memory.
 */
void __tgt_push_mapper_component(void *mapping, void *base, void *begin, int64_t size, uint64_t type, const char *name);
void __tgt_push_mapper_component(void *mapping, void *base, void *begin, int64_t size, uint64_t type, const char *name)
{
    add_map(((struct mapping *)mapping)->maps, &(struct rt_map){base, begin, size, type, name});
}

/* Collects the maps of the columns in *maps; a map with a mapper function is replaced by the maps that this function
 * adds. Ends the program without memory. */
void rt_maps_init(struct rt_maps *maps, const struct rt_map_columns *columns)
{
    assert(columns->base || !columns->n);
    typedef void mapper(void *mapping, void *base, void *begin, int64_t size, uint64_t type, const char *name);
    maps->at = maps->inline_maps;
    maps->n = 0;
    maps->dims = NULL;
    maps->flag_mask = maps->flag_value = 0;
    maps->capacity = sizeof maps->inline_maps / sizeof maps->inline_maps[0];
    for (size_t i = 0; i < columns->n; i++) {
        const struct rt_map map = {columns->base[i], columns->begin[i], columns->size[i], columns->type[i],
                                   columns->name ? columns->name[i] : NULL};
        void *function = columns->mapper ? columns->mapper[i] : NULL;
        if (!function) {
            add_map(maps, &map);
            continue;
        }
        struct mapping mapping = {maps, maps->n};
        mapper *call;
        *(void **)&call = function;
        call(&mapping, map.base, map.begin, map.size, map.type, map.name);
    }
}

/* Frees the list of maps, and the dimensions that items refer to. */
void rt_maps_free(struct rt_maps *maps)
{
    if (maps->at != maps->inline_maps)
        free(maps->at);
    for (struct rt_dim_list *dims; (dims = maps->dims);) {
        maps->dims = dims->next;
        free(dims);
    }
}

/* --------------------------------------------------------------------------------------- items --
 */

/* Returns true if a map attaches a pointer: data with their pointer (PTR_AND_OBJ), or only a pointer (ATTACH). */
static bool is_pointer_map(const struct rt_map *map)
{
    return map->type & (PTR_AND_OBJ | ATTACH);
}

/* Returns true if a map may become an item: it has an address, is neither a value (LITERAL) nor a private variable, and
 * passes the filter of `maps` (flag_mask, flag_value). */
static bool is_data_map(const struct rt_maps *maps, const struct rt_map *map)
{
    return !(map->type & (LITERAL | PRIVATE)) && map->begin && (map->type & maps->flag_mask) == maps->flag_value;
}

/* Returns the item flags for the modifiers `always` and `present` of a map's type; 0: the map has neither. */
static uint16_t get_item_flags(uint64_t type)
{
    const uint16_t always = (type & TO ? ACCD_ITEM_ALWAYS_IN : 0) | (type & FROM ? ACCD_ITEM_ALWAYS_OUT : 0);
    return (type & ALWAYS ? always : 0) | (type & PRESENT ? ACCD_ITEM_REQUIRE_PRESENT : 0);
}

/* Returns ACCD_ITEM_UNCOUNTED (the item changes no reference count) for a structure's member that is no pointer, if the
 * rules' knob `counting` is ACCD_COUNT_ITEMS. The map of the structure is then counted already. Returns 0 for other
 * maps. */
static uint16_t uncounted(const struct rt_map *map)
{
    const bool items = rt.options.rules->counting == ACCD_COUNT_ITEMS;
    return items && rt_get_map_parent(map->type) && !is_pointer_map(map) ? ACCD_ITEM_UNCOUNTED : 0;
}

/* Returns the base address of a map's data on the host: with PTR_AND_OBJ, the value of the pointer; otherwise the base
 * column. */
static const void *get_pointer_base(const struct rt_map *map)
{
    assert(map->base || !(map->type & PTR_AND_OBJ));
    return map->type & PTR_AND_OBJ ? (const void *)rt_load_word(map->base) : map->base;
}

/* Returns true if map i is that of a structure, whose members' maps follow. Such a map moves no data itself, and the
 * next map has an enclosing map and lies in its range. */
static bool has_members(const struct rt_maps *maps, size_t i)
{
    const struct rt_map *map = &maps->at[i];
    return i + 1 < maps->n && !is_pointer_map(map) && !(map->type & (TO | FROM)) && rt_get_map_parent(map[1].type) &&
           (uintptr_t)(is_pointer_map(&map[1]) ? map[1].base : map[1].begin) - (uintptr_t)map->begin <
               (uint64_t)map->size;
}

/* Sets the frame (host range for which the device gets one block of memory) of a structure. The frame begins at a
 * multiple of 16 bytes, so that the members are aligned on the device as on the host. It begins later, at a multiple
 * of a smaller power of two, if other data right before the members are present. */
static void align_frame(struct map_entry *entry)
{
    assert(entry->bytes > 0);
    const uintptr_t host = (uintptr_t)entry->host;
    for (uintptr_t to = RT_BLOCK_ALIGNMENT; to; to /= 2) {
        const uintptr_t offset = host % to;
        if (offset && accd_get_presence(rt.context, rt_this_thread.device, (const void *)(host - offset), offset) !=
                          ACCD_PRESENCE_NONE)
            continue;
        entry->frame = offset ? (const void *)(host - offset) : NULL;
        entry->frame_bytes = offset + entry->bytes;
        return;
    }
}

/* Lowers the map or the unmap (`action`) of the pointer of `map` with PTR_AND_OBJ, unless it is a structure's member.
 */
static void lower_base_pointer(struct rt_items *items, accd_action action, const struct rt_map *map)
{
    if (map->type & PTR_AND_OBJ && !rt_get_map_parent(map->type))
        rt_lower_data(items, action, map->base, sizeof(void *), ACCD_ITEM_BASE_POINTER);
}

/* Lowers the zero-length section `map`; `flags`: ACCD_ITEM_x. A member of a structure that is no pointer has no entry.
 */
static void lower_empty_section(struct rt_items *items, accd_action action, const struct rt_map *map, unsigned flags)
{
    if (!rt_get_map_parent(map->type) || is_pointer_map(map))
        rt_lower_empty_section(items, action, map->begin,
                               (uint16_t)(flags | (map->type & PRESENT ? ACCD_ITEM_REQUIRE_PRESENT : 0)));
}

/* Appends the items of a directive that begins a construct or enters data: one for each map of data, and those that map
 * or attach pointers. An implicit map of data that are partly present gets no item. */
void rt_add_map_enter_items(struct rt_maps *maps, struct rt_items *items)
{
    assert(rt.site && rt.context);
    static const accd_action actions[] = {ACCD_ACTION_CREATE, ACCD_ACTION_COPYIN, ACCD_ACTION_COPYOUT,
                                          ACCD_ACTION_COPY};
    for (size_t i = 0; i < maps->n; i++) {
        const struct rt_map *map = &maps->at[i];
        if (!is_data_map(maps, map))
            continue;
        lower_base_pointer(items, ACCD_ACTION_CREATE, map);
        if (map->size && !(map->type & ATTACH)) {
            const accd_action action = actions[map->type & (TO | FROM)];
            struct map_entry entry = {.kind = MAP_DATA,
                                      .action = (uint8_t)rt_get_entry_action(action, map->begin),
                                      .flags = get_item_flags(map->type) | uncounted(map),
                                      .needs_whole = map->type & IMPLICIT,
                                      .host = map->begin,
                                      .bytes = (uint64_t)map->size,
                                      .slot = is_pointer_map(map) ? map->base : NULL,
                                      .base = get_pointer_base(map)};
            if (has_members(maps, i))
                align_frame(&entry);
            rt_lower_entry(items, &entry);
            continue;
        }
        if (!(map->type & ATTACH))
            lower_empty_section(items, ACCD_ACTION_CREATE, map, 0);
        if (is_pointer_map(map))
            rt_lower_pointer(items, ACCD_ACTION_ATTACH, map->base, map->begin, !(map->type & ATTACH),
                             ACCD_ITEM_IF_PRESENT);
    }
}

/* Appends the items of a directive that exits data: each unmaps its data, or copies them back (FROM) before. A
 * structure that is only partly present gets no item. */
void rt_add_map_exit_items(struct rt_maps *maps, struct rt_items *items)
{
    assert(rt.site && rt.context);
    for (size_t i = 0; i < maps->n; i++) {
        const struct rt_map *map = &maps->at[i];
        const unsigned final = map->type & DELETE ? ACCD_ITEM_FINALIZE : 0;
        if (!is_data_map(maps, map) || map->type & ATTACH)
            continue;
        if (!map->size)
            lower_empty_section(items, ACCD_ACTION_DELETE, map, final);
        else
            rt_lower_entry(items,
                           &(struct map_entry){
                               .kind = MAP_DATA,
                               .action = map->type & FROM ? ACCD_ACTION_COPYOUT : ACCD_ACTION_DELETE,
                               .flags = (uint16_t)(final | get_item_flags(map->type & ~(uint64_t)TO) | uncounted(map)),
                               .needs_whole = has_members(maps, i),
                               .host = map->begin,
                               .bytes = (uint64_t)map->size,
                               .slot = is_pointer_map(map) ? map->base : NULL});
        lower_base_pointer(items, ACCD_ACTION_DELETE, map);
    }
}

/* Dimension of a strided section, as clang passes it: an array of all dimensions, outermost first, and one more for the
 * bytes of an element. offset: index of the first element; count: number of elements; stride: bytes between elements.
 */
struct dimension {
    uint64_t offset, count, stride;
};

/* Appends the item of an update for the strided section `map`, as contiguous runs with strides. Its dimensions are kept
 * in `maps`. An empty section adds no item. Ends the program without memory, or with more than ACCD_MAX_RANK
 * dimensions.
 */
static void add_runs(struct rt_maps *maps, struct rt_items *items, accd_action action, const struct rt_map *map,
                     uint16_t flags)
{
    assert(map->size > 0 && map->begin);
    const struct dimension *dimension = map->begin;
    const size_t n = (size_t)map->size - 1;
    if (n > ACCD_MAX_RANK)
        rt_fatal("unsupported", "a section of %zu dimensions is updated; the most are %d", n, ACCD_MAX_RANK);
    struct rt_dim_list *dims = malloc(sizeof *dims);
    if (!dims)
        rt_fatal("out-of-memory", "no memory for a section of %zu dimensions", n);
    dims->next = maps->dims;
    maps->dims = dims;
    const uint64_t run = dimension[n].count * dimension[n].stride;
    const char *host = map->type & PTR_AND_OBJ ? (char *)rt_load_word(map->base) : map->base;
    uint64_t bytes = run;
    host += dimension[n].offset * dimension[n].stride;
    for (size_t i = 0; i < n; i++) {
        if (!dimension[i].count)
            return;
        dims->at[i] = (accd_stride){dimension[i].count, dimension[i].stride};
        host += dimension[i].offset * dimension[i].stride;
        bytes += (dimension[i].count - 1) * dimension[i].stride;
    }
    rt_lower_entry(items, &(struct map_entry){.kind = MAP_DATA,
                                              .action = (uint8_t)action,
                                              .flags = flags,
                                              .host = host,
                                              .bytes = bytes,
                                              .dims = dims->at,
                                              .ndims = (uint8_t)n,
                                              .run = run});
}

/* Appends the items of an update: one for each map with bytes to transfer (TO or FROM). */
void rt_add_map_update_items(struct rt_maps *maps, struct rt_items *items)
{
    assert(rt.site && rt.context);
    for (size_t i = 0; i < maps->n; i++) {
        const struct rt_map *map = &maps->at[i];
        const uint16_t flags = map->type & PRESENT ? ACCD_ITEM_REQUIRE_PRESENT : ACCD_ITEM_IF_PRESENT;
        const accd_action action = map->type & TO ? ACCD_ACTION_UPDATE_DEVICE : ACCD_ACTION_UPDATE_SELF;
        if (!is_data_map(maps, map) || !(map->type & (TO | FROM)) || !map->size)
            continue;
        if (map->type & rt_non_contiguous)
            add_runs(maps, items, action, map, flags);
        else
            rt_lower_data(items, action, map->begin, (uint64_t)map->size, flags);
    }
}

/* ----------------------------------------------------------------------------------- addresses --
 */

/* Returns the device address of a map's base. NULL: the data are absent. For an empty section without present data, may
 * also return the address of a function in the image, or the host base, see clang_maps.h. */
void *rt_find_map_base(const struct rt_thread *self, const struct rt_map *map, bool has_mapper)
{
    const void *base = get_pointer_base(map);
    return map->size
               ? rt_find_data_argument(self, map->begin, (uint64_t)map->size, map->type & IMPLICIT || has_mapper, base)
               : rt_find_section_argument(self, map->begin, base);
}

/* --------------------------------------------------------------------------------------- names --
 */

/* Stores in *name_p the name of a map that begins at `host` and has `bytes` bytes (0: any size), or whose pointer has
 * this address and size. Only the variable's name is stored, because the compiler passes bounds as plain text. Returns
 * false if no map with a name has this range. */
bool rt_find_map_name(const void *maps, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p)
{
    const struct rt_maps *list = maps;
    for (size_t i = 0; i < list->n; i++) {
        const struct rt_map *map = &list->at[i];
        const bool pointer = is_pointer_map(map) && (uintptr_t)map->base == host && bytes == sizeof(void *);
        const bool data = (uintptr_t)map->begin == host && (!bytes || (uint64_t)map->size == bytes);
        if (!map->name || map->name[0] != ';' || !strncmp(map->name, ";unknown;", 9) || (!pointer && !data))
            continue;
        const char *name = map->name + 1;
        *name_p = (struct accd__debug_name){0};
        snprintf(name_p->name, sizeof name_p->name, "%.*s", (int)strcspn(name, ";["), name);
        return true;
    }
    return false;
}
