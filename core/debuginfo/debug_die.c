/* debug_die.c - memory that lives as long as what was read, and the entries of debug information. */
#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------------------ memory -- */

enum { CHUNK = 64 << 10 };

struct goacc_chunk {
    struct goacc_chunk *older;
    _Alignas(16) char space[];
};

void *goacc_take(struct goacc_debug *debug, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    size_t room = bytes > CHUNK ? bytes : CHUNK;
    if (!debug->chunks || CHUNK - debug->chunk_used < bytes) {
        struct goacc_chunk *chunk = calloc(1, sizeof *chunk + room);
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

void goacc_give_back(struct goacc_debug *debug)
{
    while (debug->chunks) {
        struct goacc_chunk *chunk = debug->chunks;
        debug->chunks = chunk->older;
        free(chunk);
    }
}

static struct goacc_table_entry *entry_of(const struct goacc_table *table, uintptr_t key)
{
    size_t i = (key * 0x9E3779B97F4A7C15u) >> 20;
    for (;; i++) {
        struct goacc_table_entry *at = &table->at[i & (table->room - 1)];
        if (!at->key || at->key == key)
            return at;
    }
}

void *goacc_table_find(const struct goacc_table *table, uintptr_t key)
{
    return table->room ? entry_of(table, key)->value : NULL;
}

bool goacc_table_add(struct goacc_table *table, uintptr_t key, void *value)
{
    if (table->used * 2 >= table->room) {
        struct goacc_table more = {.room = table->room ? 2 * table->room : 64};
        more.at = calloc(more.room, sizeof *more.at);
        if (!more.at)
            return false;
        for (size_t i = 0; i < table->room; i++)
            if (table->at[i].key)
                *entry_of(&more, table->at[i].key) = table->at[i];
        more.used = table->used;
        free(table->at);
        *table = more;
    }
    struct goacc_table_entry *entry = entry_of(table, key);
    table->used += !entry->key;
    *entry = (struct goacc_table_entry){key, value};
    return true;
}

/* ----------------------------------------------------------------------------------- entries -- */

struct goacc_expr goacc_expression(const struct goacc_debug *debug, Dwarf_Die *die, unsigned name)
{
    struct goacc_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation(&expr.from, &expr.ops, &expr.n) != 0)
        expr.n = 0;
    return expr;
}

struct goacc_expr goacc_location(const struct goacc_debug *debug, Dwarf_Die *die, unsigned name,
                                 Dwarf_Addr pc)
{
    struct goacc_expr expr = {.n = 0};
    if (!debug->dw.dwarf_attr_integrate(die, name, &expr.from) ||
        debug->dw.dwarf_getlocation_addr(&expr.from, pc, &expr.ops, &expr.n, 1) != 1)
        expr.n = 0;
    return expr;
}

bool goacc_address_of(const struct goacc_debug *debug, const struct goacc_expr *expr, const Dwarf_Op *op,
                      uint64_t *to)
{
    Dwarf_Attribute from = expr->from, attribute;
    *to = op->number;
    return op->atom == DW_OP_addr || ((op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) &&
                                      debug->dw.dwarf_getlocation_attr(&from, op, &attribute) == 0 &&
                                      debug->dw.dwarf_formaddr(&attribute, to) == 0);
}

#endif
