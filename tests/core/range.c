/* The ordered index against a sorted array, with every structure check after every step. */
#include "support.h"

#include <base/mem.h>
#include <base/index.h>

enum { MOST = 4096 };

/* The oracle: ascending keys; a record is the address of its key's twin. */
struct oracle {
    uint64_t key[MOST];
    size_t n;
};

static void *record_of(uint64_t key)
{
    return (void *)(uintptr_t)(key * 2 + 1);
}

static size_t lower(const struct oracle *o, uint64_t p) /* first key >= p */
{
    size_t i = 0;
    while (i < o->n && o->key[i] < p)
        i++;
    return i;
}

static bool has(const struct oracle *o, uint64_t key)
{
    size_t i = lower(o, key);
    return i < o->n && o->key[i] == key;
}

static void add(struct oracle *o, uint64_t key)
{
    size_t i = lower(o, key);
    memmove(o->key + i + 1, o->key + i, (o->n - i) * sizeof o->key[0]);
    o->key[i] = key;
    o->n++;
}

static void drop(struct oracle *o, uint64_t key)
{
    size_t i = lower(o, key);
    memmove(o->key + i, o->key + i + 1, (o->n - i - 1) * sizeof o->key[0]);
    o->n--;
}

static void *floor_of(const struct oracle *o, uint64_t p)
{
    size_t i = lower(o, p);
    if (i < o->n && o->key[i] == p)
        return record_of(p);
    return i ? record_of(o->key[i - 1]) : NULL;
}

static void *above(const struct oracle *o, uint64_t p) /* least key > p */
{
    size_t i = p == UINT64_MAX ? o->n : lower(o, p + 1);
    return i < o->n ? record_of(o->key[i]) : NULL;
}

static void compare_at(struct accd_range *index, const struct oracle *o, uint64_t p)
{
    void *after;
    struct accd_range_cursor cursor;
    must(accd_range_floor(index, p) == floor_of(o, p), "floor of %llu", (unsigned long long)p);
    must(accd_range_around(index, p, &after) == floor_of(o, p), "around %llu: before",
         (unsigned long long)p);
    must(after == above(o, p), "around %llu: after", (unsigned long long)p);
    size_t i = lower(o, p);
    void *found = accd_range_seek(index, p, &cursor);
    for (size_t steps = 0; steps < 6; steps++, i++) {
        must(found == (i < o->n ? record_of(o->key[i]) : NULL), "step %zu from %llu", steps,
             (unsigned long long)p);
        if (!found)
            break;
        found = accd_range_next(&cursor);
    }
}

static void compare_batch(struct accd_range *index, const struct oracle *o, uint64_t *state,
                          uint64_t span)
{
    uint64_t p[ACCD_RANGE_BATCH];
    void *found[ACCD_RANGE_BATCH];
    unsigned n = 1 + next_random(state) % ACCD_RANGE_BATCH;
    for (unsigned i = 0; i < n; i++)
        p[i] = next_random(state) % span;
    accd_range_floor_batch(index, p, found, n);
    for (unsigned i = 0; i < n; i++)
        must(found[i] == floor_of(o, p[i]), "batch of %u, search %u", n, i);
}

/* Random insertions and erasures that first grow, then shrink the index to nothing, several times.
 */
static void random_sequence(uint64_t seed, uint64_t span, size_t most, bool clustered)
{
    struct meter meter = {0};
    struct accd_mem mem;
    struct accd_range index;
    static struct oracle o;
    uint64_t state = seed, near = 0;
    int failed = tap_failed;
    o.n = 0;
    accd_mem_init(&mem, meter_alloc, &meter);
    accd_range_init(&index, &mem);
    bool growing = true;
    for (int step = 0; step < 6000; step++) {
        uint64_t key = next_random(&state) % span;
        if (clustered && next_random(&state) % 8) /* the finger's case */
            key = (near + next_random(&state) % 8) % span;
        near = key;
        bool insert = next_random(&state) % 4 ? growing : !growing;
        if (insert && !has(&o, key) && o.n < most) {
            must(accd_range_insert(&index, key, record_of(key)), "insert");
            add(&o, key);
        } else if (!insert && o.n) {
            if (!has(&o, key))
                key = o.key[next_random(&state) % o.n];
            must(accd_range_erase(&index, key) == record_of(key), "erase gives the record");
            drop(&o, key);
        }
        if (o.n >= most || !o.n)
            growing = !o.n;
        must(index.count == o.n, "count");
        if (step % 8 == 0 || o.n < 20) {
            const char *wrong = accd_range_check(&index);
            must(!wrong, "step %d: %s", step, wrong);
        }
        compare_at(&index, &o, key);
        compare_at(&index, &o, next_random(&state) % span);
        if (step % 16 == 0)
            compare_batch(&index, &o, &state, span);
        if (tap_failed > failed + 10)
            break;
    }
    compare_at(&index, &o, 0);
    compare_at(&index, &o, UINT64_MAX - 1);
    compare_at(&index, &o, UINT64_MAX);
    while (o.n) { /* from one end, so that whole nodes go */
        uint64_t key = seed % 2 ? o.key[0] : o.key[o.n - 1];
        must(accd_range_erase(&index, key) == record_of(key), "erase from one end");
        drop(&o, key);
        const char *wrong = accd_range_check(&index);
        must(!wrong, "shrinking: %s", wrong);
    }
    must(!accd_range_floor(&index, span), "nothing is left");
    must(accd_range_insert(&index, 7, record_of(7)) && accd_range_floor(&index, 9) == record_of(7),
         "an emptied index serves again");
    accd_range_close(&index);
    ok(tap_failed == failed, "random sequence %llu over %llu keys", (unsigned long long)seed,
       (unsigned long long)span);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "memory is given back");
}

static void ends_of_the_key_space(void)
{
    struct accd_mem mem;
    struct accd_range index;
    static struct oracle o;
    o.n = 0;
    accd_mem_init(&mem, NULL, NULL);
    accd_range_init(&index, &mem);
    compare_at(&index, &o, 0);
    compare_at(&index, &o, UINT64_MAX);
    int failed = tap_failed;
    const uint64_t keys[] = {0, UINT64_MAX - 1, 1, UINT64_MAX / 2, UINT64_MAX - 2};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        accd_range_insert(&index, keys[i], record_of(keys[i]));
        add(&o, keys[i]);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            compare_at(&index, &o, keys[k]);
            compare_at(&index, &o, keys[k] + 1);
        }
    }
    uint64_t p = UINT64_MAX;
    void *found;
    accd_range_floor_batch(&index, &p, &found, 1);
    ok(found == floor_of(&o, p), "a batch may ask for the greatest number");
    ok(tap_failed == failed && !accd_range_check(&index), "the least and the greatest keys");
    accd_range_close(&index);
}

static void filling(void)
{
    static uint64_t keys[MOST];
    static void *records[MOST];
    static struct oracle o;
    int failed = tap_failed;
    for (size_t n = 0; n <= 300; n = n < 70 ? n + 1 : n + 23) {
        struct meter meter = {0};
        struct accd_mem mem;
        struct accd_range index;
        accd_mem_init(&mem, meter_alloc, &meter);
        accd_range_init(&index, &mem);
        o.n = 0;
        for (size_t i = 0; i < n; i++) {
            keys[i] = 5 + 3 * i;
            records[i] = record_of(keys[i]);
            o.key[o.n++] = keys[i];
        }
        must(accd_range_fill(&index, keys, records, n), "fill %zu", n);
        const char *wrong = accd_range_check(&index);
        must(!wrong, "filled with %zu: %s", n, wrong);
        for (uint64_t p = 0; p < 3 * n + 10; p++)
            compare_at(&index, &o, p);
        for (size_t i = 0; i < n; i += 2) { /* full nodes must split and empty */
            must(accd_range_insert(&index, keys[i] + 1, record_of(keys[i] + 1)), "insert");
            add(&o, keys[i] + 1);
            accd_range_erase(&index, keys[n - 1 - i]);
            drop(&o, keys[n - 1 - i]);
            wrong = accd_range_check(&index);
            must(!wrong, "after a fill: %s", wrong);
        }
        for (uint64_t p = 0; p < 3 * n + 10; p++)
            compare_at(&index, &o, p);
        accd_range_close(&index);
        must(meter.live == 0, "memory");
    }
    ok(tap_failed == failed, "filled indices of all small sizes");
}

/* After a reservation no insertion may need memory, whatever the keys are. */
static void reservation(void)
{
    int failed = tap_failed;
    uint64_t state = 11;
    for (int round = 0; round < 300; round++) {
        struct meter meter = {0};
        struct accd_mem mem;
        struct accd_range index;
        accd_mem_init(&mem, meter_alloc, &meter);
        accd_range_init(&index, &mem);
        static struct oracle o;
        o.n = 0;
        size_t before = next_random(&state) % 200, more = 1 + next_random(&state) % 200;
        for (size_t i = 0; i < before; i++) {
            uint64_t key = round % 3 ? next_random(&state) % 100000 : 1000 + i;
            if (has(&o, key))
                continue;
            accd_range_insert(&index, key, record_of(key));
            add(&o, key);
        }
        must(accd_range_reserve(&index, more), "reserve");
        meter.fail_at = 1; /* the next request fails, and every one after it: */
        size_t live = meter.live;
        for (size_t i = 0; i < more;) {
            uint64_t key = round % 2 ? next_random(&state) % 100000 : 1100 + 7 * i + o.n;
            if (has(&o, key)) {
                i++;
                continue;
            }
            must(accd_range_insert(&index, key, record_of(key)),
                 "insertion %zu of %zu into %zu entries", i, more, before);
            add(&o, key);
            i++;
        }
        must(meter.live == live && meter.fail_at == 1, "a reserved insertion asks for no memory");
        const char *wrong = accd_range_check(&index);
        must(!wrong, "reserved: %s", wrong);
        meter.fail_at = 1;
        must(!accd_range_reserve(&index, 100000), "a reservation that cannot be had fails");
        must(index.count == o.n && !accd_range_check(&index), "and changes nothing");
        must(!accd_range_reserve(&index, SIZE_MAX), "nor does an absurd one");
        accd_range_close(&index);
    }
    ok(tap_failed == failed, "reserved insertions cannot fail");
}

static void sorting_by_insertion_order(void)
{
    struct accd_mem mem;
    int failed = tap_failed;
    static struct oracle o;
    accd_mem_init(&mem, NULL, NULL);
    for (int order = 0; order < 3; order++) {
        struct accd_range index;
        accd_range_init(&index, &mem);
        o.n = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t key = order == 0 ? i : order == 1 ? 999 - i : (i * 617) % 1000;
            accd_range_insert(&index, key * 16, record_of(key * 16));
        }
        for (uint64_t i = 0; i < 1000; i++)
            o.key[o.n++] = i * 16;
        const char *wrong = accd_range_check(&index);
        must(!wrong, "order %d: %s", order, wrong);
        struct accd_range_cursor cursor;
        size_t n = 0;
        for (void *r = accd_range_seek(&index, 0, &cursor); r; r = accd_range_next(&cursor), n++)
            must(r == record_of(o.key[n]), "record %zu in order", n);
        must(n == 1000, "all of them");
        for (uint64_t p = 0; p < 16100; p += 5)
            compare_at(&index, &o, p);
        accd_range_close(&index);
    }
    ok(tap_failed == failed, "ascending, descending and scattered insertion");
}

int main(void)
{
    ends_of_the_key_space();
    sorting_by_insertion_order();
    filling();
    reservation();
    random_sequence(1, 64, 40, false);
    random_sequence(2, 500, 300, false);
    random_sequence(3, 1000000, 1500, false);
    random_sequence(4, 4000, 1000, true);
    random_sequence(5, 1u << 30, 2000, true);
    return done();
}
