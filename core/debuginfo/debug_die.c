/* debug_die.c - memory of debug information, hash tables, and attributes of its entries (DIEs). */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <assert.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------ memory -- */

enum { CHUNK = 64 << 10 };

/* Block of memory. Blocks form a list, of which the newest has free space. */
struct accd__debug_chunk {
    struct accd__debug_chunk *older;
    _Alignas(16) char space[];
};

/* Returns zeroed memory from the newest chunk or a new one; NULL: no memory. */
void *accd__debug_alloc(struct accd__debug_info *debug, size_t bytes)
{
    assert(bytes > 0);
    bytes = (bytes + 15) & ~(size_t)15;
    size_t capacity = bytes > CHUNK ? bytes : CHUNK;
    if (!debug->chunks || CHUNK - debug->chunk_used < bytes) {
        struct accd__debug_chunk *chunk = calloc(1, sizeof *chunk + capacity);
        if (!chunk)
            return NULL;
        chunk->older = debug->chunks;
        debug->chunks = chunk;
        debug->chunk_used = 0;
    }
    void *space = debug->chunks->space + debug->chunk_used;
    debug->chunk_used += bytes < CHUNK ? bytes : CHUNK;
    return space;
}

/* Frees all chunks. */
void accd__debug_free_memory(struct accd__debug_info *debug)
{
    while (debug->chunks) {
        struct accd__debug_chunk *chunk = debug->chunks;
        debug->chunks = chunk->older;
        free(chunk);
    }
}

/* Returns the entry of `key` or, if the table does not have the key, the empty entry where it belongs. Requires that
 * the table has empty entries. */
static struct accd__pointer_table_entry *find_entry(const struct accd__pointer_table *table, uintptr_t key)
{
    assert(table->capacity && !(table->capacity & (table->capacity - 1)));
    size_t i = (key * 0x9E3779B97F4A7C15u) >> 20;
    for (;; i++) {
        struct accd__pointer_table_entry *at = &table->at[i & (table->capacity - 1)];
        if (!at->key || at->key == key)
            return at;
    }
}

/* Returns the value of a key; NULL: the table does not have it. */
void *accd__pointer_table_find(const struct accd__pointer_table *table, uintptr_t key)
{
    return table->capacity ? find_entry(table, key)->value : NULL;
}

/* Sets the value of a key; doubles the table if it is half full. Returns false without memory. */
bool accd__pointer_table_add(struct accd__pointer_table *table, uintptr_t key, void *value)
{
    assert(key);
    if (table->used * 2 >= table->capacity) {
        struct accd__pointer_table more = {.capacity = table->capacity ? 2 * table->capacity : 64};
        more.at = calloc(more.capacity, sizeof *more.at);
        if (!more.at)
            return false;
        for (size_t i = 0; i < table->capacity; i++)
            if (table->at[i].key)
                *find_entry(&more, table->at[i].key) = table->at[i];
        more.used = table->used;
        free(table->at);
        *table = more;
    }
    struct accd__pointer_table_entry *entry = find_entry(table, key);
    table->used += !entry->key;
    *entry = (struct accd__pointer_table_entry){key, value};
    return true;
}

/* ----------------------------------------------------------------------------------- entries -- */

/* Returns the expression in an attribute; n = 0: none. */
struct accd__debug_expr accd__get_expression(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name)
{
    struct accd__debug_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation(&expr.from, &expr.ops, &expr.n) != 0)
        expr.n = 0;
    return expr;
}

/* Returns the location in an attribute that is valid at an address; n = 0: none. */
struct accd__debug_expr accd__get_location(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name,
                                           Dwarf_Addr pc)
{
    struct accd__debug_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr_integrate(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation_addr(&expr.from, pc, &expr.ops, &expr.n, 1) != 1)
        expr.n = 0;
    return expr;
}

/* Sets *to to the address operand of an operation; returns false if there is none. */
bool accd__dwarf_op_address(const struct accd__debug_info *debug, const struct accd__debug_expr *expr,
                            const Dwarf_Op *op, uint64_t *to)
{
    Dwarf_Attribute from = expr->from, attribute;
    *to = op->number;
    return op->atom == DW_OP_addr || ((op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) &&
                                      debug->dw.dwarf_getlocation_attr(&from, op, &attribute) == 0 &&
                                      debug->dw.dwarf_formaddr(&attribute, to) == 0);
}

#endif
