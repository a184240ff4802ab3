/* Arrays that grow: on the heap and in the arena, and without memory. */
#include "../tap.h"

#include <lib/arena.h>
#include <lib/vector.h>

#include <stdbool.h>

enum { ELEMENTS = 100000 };

static void *refuse(void *ud, void *ptr, size_t old, size_t n)
{
    (void)ud, (void)ptr, (void)old, (void)n;
    return NULL;
}

static void check(rt_allocator *allocate, const char *name)
{
    size_t *array = NULL, n = 0, capacity = 0, moves = 0;
    for (; n < ELEMENTS; array[n] = n * n, n++) {
        const size_t before = capacity;
        must(RT_RESERVE(allocate, array, n, capacity) && n < capacity, "place for element %zu", n);
        moves += capacity != before;
    }
    for (size_t i = 0; i < n; i++)
        must(array[i] == i * i, "element %zu", i);
    ok(moves < 20, "%s: %d elements, %zu times longer", name, ELEMENTS, moves);
    size_t *const before = array, size = capacity;
    must(RT_RESERVE(refuse, array, n, capacity), "place that is there needs no memory");
    ok(!RT_RESERVE(refuse, array, capacity, capacity) && array == before && capacity == size,
       "%s: without memory the array is as it was", name);
    must(!allocate(NULL, array, capacity * sizeof *array, 0), "the array is freed");
}

static void check_search(void)
{
    struct {
        uint64_t start, end;
    } ranges[100];
    for (size_t n = 0; n <= sizeof ranges / sizeof *ranges; n++) {
        for (uint64_t value = 0; value < 400; value++) {
            size_t count = 0; /* result of a scan */
            while (count < n && ranges[count].start <= value)
                count++;
            must(rt_count_up_to(ranges, n, sizeof *ranges, value) == count, "%zu of %zu are up to %d", count, n,
                 (int)value);
        }
        if (n < sizeof ranges / sizeof *ranges)
            ranges[n].start = ranges[n].end = n * 3 + n % 2 + 1;
    }
    ok(true, "binary search finds what a scan finds");
}

int main(void)
{
    check(rt_heap_realloc, "heap");
    check(rt_arena_realloc, "arena");
    check_search();
    return done();
}
