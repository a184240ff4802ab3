/* gcc_iterators.c - expands entries with iterators, as gcc 16 passes them for map and update clauses of OpenMP. Called
 * by gcc_omp.c.
 *
 *      entry:  host -> | count | address, size | address, size | ...      size: ITERATED
 *      after:  one entry of the same kind for each address */
#include "diag/errors.h"
#include "gcc_entries.h"

#include <assert.h>
#include <stdlib.h>

/* Returns true if entry i has an iterator. gcc computes the size of an absent optional array from its unset descriptor.
 * That size may equal ITERATED by chance, but the address is NULL then. */
static bool is_iterated(const struct entries *map, size_t i)
{
    return map->size[i] == (size_t)ITERATED && map->host[i];
}

/* Returns the number of values of entry i, which must have an iterator. */
static size_t values_of(const struct entries *map, size_t i)
{
    assert(is_iterated(map, i));
    return *(const size_t *)map->host[i];
}

/* Returns the number of entries that replace entry i: one for each value of its iterator; 1 if the iterator has no
 * values, or if the entry has no iterator. */
static size_t count_of(const struct entries *map, size_t i)
{
    return is_iterated(map, i) && values_of(map, i) ? values_of(map, i) : 1;
}

/* Returns true if at least one of the entries has an iterator. */
bool rt_has_iterators(const struct entries *map)
{
    for (size_t i = 0; i < map->n; i++)
        if (is_iterated(map, i))
            return true;
    return false;
}

/* Returns entries in which each one with an iterator is replaced by an entry for each of its values; an iterator
 * without values becomes one entry with a NULL address. At least one entry must have an iterator. The caller must free
 * `host` of the result. Ends the program without memory. */
struct entries rt_expand_iterators(const struct entries *map)
{
    assert(rt_has_iterators(map) && !map->argument);
    struct entries result = *map;
    size_t n = 0;
    for (size_t i = 0; i < map->n; i++)
        n += count_of(map, i);
    void **host = malloc(n * (sizeof *host + sizeof(size_t) + sizeof *map->kind) + map->n * sizeof(size_t));
    if (!host)
        rt_fatal("out-of-memory", "no memory for a directive with %zu entries", n);
    size_t *argument = (size_t *)(void *)(host + n), *size = argument + map->n, k = 0;
    unsigned short *kind = (unsigned short *)(void *)(size + n);
    for (size_t i = 0; i < map->n; i++) {
        const bool has_iterator = is_iterated(map, i), has_values = has_iterator && values_of(map, i);
        const size_t *next = has_values ? (const size_t *)map->host[i] + 1 : NULL;
        argument[i] = k;
        for (size_t end = k + count_of(map, i); k < end; k++) {
            host[k] = has_values ? (void *)*next++ : has_iterator ? NULL : map->host[i];
            size[k] = has_values ? *next++ : has_iterator ? 0 : map->size[i];
            kind[k] = map->kind[i];
        }
        if (!is_iterated(map, i) && rt_get_entry_kind(map, i) == STRUCT) {
            size_t members = 0;
            for (size_t m = i + 1; m <= i + map->size[i] && m < map->n; m++)
                members += count_of(map, m);
            size[argument[i]] = members;
        }
    }
    result.n = n;
    result.host = host;
    result.size = size;
    result.kind = kind;
    result.argument = argument;
    result.arguments = map->n;
    return result;
}
