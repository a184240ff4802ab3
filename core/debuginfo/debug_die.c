/* debug_die.c - helpers of the files in this folder: memory that lives as long as the reader (accd__debug_info), hash
 * tables, and expressions in attributes of entries. An entry (DIE) is libdw's record of a function, variable or type.
 */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <assert.h>
#include <stdlib.h>

/* ------------------------------------------------------------------------------------ memory -- */

enum { CHUNK = 64 << 10 }; /* bytes of a chunk; a larger request gets a chunk of its own size */

/* Block of memory that is handed out in pieces. Chunks form a list, newest first; only the newest has free space. */
struct accd__debug_chunk {
    struct accd__debug_chunk *older;
    _Alignas(16) char space[];
};

/* Returns `bytes` zeroed bytes, aligned to 16, from the newest chunk or a new one; NULL: no memory. */
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

/* Frees all chunks, and thus all memory that accd__debug_alloc has returned. */
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

/* Returns the value of `key`; NULL: the table does not have the key. */
void *accd__pointer_table_find(const struct accd__pointer_table *table, uintptr_t key)
{
    return table->capacity ? find_entry(table, key)->value : NULL;
}

/* Sets the value of `key`, in place of an earlier one; doubles the table if it is half full. Returns false, without a
 * change, if there is no memory. */
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

/* Returns the expression in the attribute `name` of `die`; n = 0: the attribute does not exist, or is no expression. */
struct accd__debug_expr accd__get_expression(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name)
{
    struct accd__debug_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation(&expr.from, &expr.ops, &expr.n) != 0)
        expr.n = 0;
    return expr;
}

/* Returns the location expression that is valid at address `pc`, from the attribute `name` of `die` or of its abstract
 * origin (the entry of which it is an instance). n is 0 if none is valid. */
struct accd__debug_expr accd__get_location(const struct accd__debug_info *debug, Dwarf_Die *die, unsigned name,
                                           Dwarf_Addr pc)
{
    struct accd__debug_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr_integrate(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation_addr(&expr.from, pc, &expr.ops, &expr.n, 1) != 1)
        expr.n = 0;
    return expr;
}

/* Sets *to to the address operand of the operation `op`: a direct one, or one from the address table of the file.
 * Returns false, with *to undefined, if `op` has none or it cannot be read. */
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
