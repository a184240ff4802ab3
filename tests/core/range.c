/* The ordered index against a sorted array, with every structure check after every step. */
#include "support.h"

#include <base/mem.h>
#include <base/btree.h>

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

static void oracle_add(struct oracle *o, uint64_t key)
{
    size_t i = lower(o, key);
    memmove(o->key + i + 1, o->key + i, (o->n - i) * sizeof o->key[0]);
    o->key[i] = key;
    o->n++;
}

static void oracle_remove(struct oracle *o, uint64_t key)
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

static void compare_at(struct accd__btree *index, const struct oracle *o, uint64_t p)
{
    void *after;
    struct accd__btree_cursor cursor;
    must(accd__btree_floor(index, p) == floor_of(o, p), "floor of %llu", (unsigned long long)p);
    must(accd__btree_floor_hinted(index, p) == floor_of(o, p), "floor of %llu, near", (unsigned long long)p);
    must(accd__btree_floor_and_next(index, p, &after) == floor_of(o, p), "around %llu: before", (unsigned long long)p);
    must(after == above(o, p), "around %llu: after", (unsigned long long)p);
    size_t i = lower(o, p);
    void *found = accd__btree_seek(index, p, &cursor);
    for (size_t steps = 0; steps < 6; steps++, i++) {
        must(found == (i < o->n ? record_of(o->key[i]) : NULL), "step %zu from %llu", steps, (unsigned long long)p);
        if (!found)
            break;
        found = accd__btree_next(&cursor);
    }
}

/* Random places one after the other, most of them far from the last one. */
static void compare_some(struct accd__btree *index, const struct oracle *o, uint64_t *state, uint64_t span)
{
    for (unsigned i = 0; i < 16; i++)
        compare_at(index, o, next_random(state) % span);
}

/* Random insertions and erasures that first grow, then shrink the index to nothing, several times.
 */
static void random_sequence(uint64_t seed, uint64_t span, size_t most, bool clustered)
{
    struct meter meter = {0};
    struct accd__mem mem;
    struct accd__btree index;
    static struct oracle o;
    uint64_t state = seed, near = 0;
    int failed = tap_failed;
    o.n = 0;
    accd__mem_init(&mem, meter_alloc, &meter);
    accd__btree_init(&index, &mem);
    bool growing = true;
    for (int step = 0; step < 6000; step++) {
        uint64_t key = next_random(&state) % span;
        if (clustered && next_random(&state) % 8) /* the finger's case */
            key = (near + next_random(&state) % 8) % span;
        near = key;
        bool insert = next_random(&state) % 4 ? growing : !growing;
        if (insert && !has(&o, key) && o.n < most) {
            must(accd__btree_insert(&index, key, record_of(key)), "insert");
            oracle_add(&o, key);
        } else if (!insert && o.n) {
            if (!has(&o, key))
                key = o.key[next_random(&state) % o.n];
            must(accd__btree_erase(&index, key) == record_of(key), "erase gives the record");
            oracle_remove(&o, key);
        }
        if (o.n >= most || !o.n)
            growing = !o.n;
        must(index.count == o.n, "count");
        if (step % 8 == 0 || o.n < 20) {
            const char *wrong = accd__btree_check(&index);
            must(!wrong, "step %d: %s", step, wrong);
        }
        compare_at(&index, &o, key);
        compare_at(&index, &o, next_random(&state) % span);
        if (step % 16 == 0)
            compare_some(&index, &o, &state, span);
        if (tap_failed > failed + 10)
            break;
    }
    compare_at(&index, &o, 0);
    compare_at(&index, &o, UINT64_MAX - 1);
    compare_at(&index, &o, UINT64_MAX);
    while (o.n) { /* from one end, so that whole nodes go */
        uint64_t key = seed % 2 ? o.key[0] : o.key[o.n - 1];
        must(accd__btree_erase(&index, key) == record_of(key), "erase from one end");
        oracle_remove(&o, key);
        const char *wrong = accd__btree_check(&index);
        must(!wrong, "shrinking: %s", wrong);
    }
    must(!accd__btree_floor(&index, span), "nothing is left");
    must(accd__btree_insert(&index, 7, record_of(7)) && accd__btree_floor(&index, 9) == record_of(7),
         "an emptied index serves again");
    accd__btree_clear(&index);
    ok(tap_failed == failed, "random sequence %llu over %llu keys", (unsigned long long)seed, (unsigned long long)span);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "memory is given back");
}

static void ends_of_the_key_space(void)
{
    struct accd__mem mem;
    struct accd__btree index;
    static struct oracle o;
    o.n = 0;
    accd__mem_init(&mem, NULL, NULL);
    accd__btree_init(&index, &mem);
    compare_at(&index, &o, 0);
    compare_at(&index, &o, UINT64_MAX);
    int failed = tap_failed;
    const uint64_t keys[] = {0, UINT64_MAX - 1, 1, UINT64_MAX / 2, UINT64_MAX - 2};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        accd__btree_insert(&index, keys[i], record_of(keys[i]));
        oracle_add(&o, keys[i]);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            compare_at(&index, &o, keys[k]);
            compare_at(&index, &o, keys[k] + 1);
        }
    }
    ok(tap_failed == failed && !accd__btree_check(&index), "the least and the greatest keys");
    accd__btree_clear(&index);
}

/* A run of up to most keys into the index and the oracle; what it takes is reserved, with room for others beside. */
static void insert_run(struct accd__btree *index, struct oracle *o, uint64_t first, uint64_t step, size_t most)
{
    static struct accd__pair run[MOST];
    static struct oracle merged;
    size_t n = 0, at = 0;
    uint64_t key = first;
    merged.n = 0;
    for (size_t i = 0; i < most; i++, key += step)
        if (!has(o, key))
            run[n++] = (struct accd__pair){key, (uintptr_t)record_of(key)};
    must(accd__btree_reserve_sorted(index, first, key, n, 0), "reserve a run");
    accd__btree_insert_sorted(index, run, n);
    for (size_t i = 0; i < n || at < o->n;)
        merged.key[merged.n++] = at == o->n || (i < n && run[i].key < o->key[at]) ? run[i++].key : o->key[at++];
    *o = merged;
}

static void erase_run(struct accd__btree *index, struct oracle *o, uint64_t low, uint64_t high)
{
    size_t from = lower(o, low), to = lower(o, high < low ? low : high);
    accd__btree_erase_range(index, low, high);
    memmove(o->key + from, o->key + to, (o->n - to) * sizeof o->key[0]);
    o->n -= to - from;
}

static void is_like(struct accd__btree *index, const struct oracle *o, const char *what, size_t n)
{
    struct accd__btree_cursor cursor;
    const char *wrong = accd__btree_check(index);
    size_t i = 0;
    must(!wrong, "%s %zu: %s", what, n, wrong);
    for (void *r = accd__btree_seek(index, 0, &cursor); r; r = accd__btree_next(&cursor), i++)
        must(i < o->n && r == record_of(o->key[i]), "%s %zu: record %zu", what, n, i);
    must(i == o->n && index->count == i, "%s %zu: all of them", what, n);
    for (uint64_t k = 0, low = 0, high = UINT64_MAX; k < 6; k++) {
        const size_t between = lower(o, high) - lower(o, low);
        must(accd__btree_count(index, low, high, SIZE_MAX / 2) == between, "%s %zu: counted", what, n);
        must(!between || accd__btree_count(index, low, high, between - 1) >= between, "%s %zu: more than asked for",
             what, n);
        low = o->n ? o->key[(n + 7 * k) % o->n] + k % 2 : n;
        high = o->n ? o->key[(n + 11 * k) % o->n] + k % 3 : n;
        high = high < low ? low : high;
    }
}

static void filling(void)
{
    static struct oracle o;
    int failed = tap_failed;
    for (size_t n = 0; n <= 300; n = n < 70 ? n + 1 : n + 23) {
        struct meter meter = {0};
        struct accd__mem mem;
        struct accd__btree index;
        accd__mem_init(&mem, meter_alloc, &meter);
        accd__btree_init(&index, &mem);
        o.n = 0;
        insert_run(&index, &o, 5, 3, n);
        is_like(&index, &o, "a run into an empty index", n);
        for (uint64_t p = 0; p < 3 * n + 10; p++)
            compare_at(&index, &o, p);
        for (size_t i = 0; i < n; i += 2) { /* full nodes must split and empty */
            const uint64_t key = 5 + 3 * i, gone = 5 + 3 * (n - 1 - i);
            must(accd__btree_insert(&index, key + 1, record_of(key + 1)), "insert");
            oracle_add(&o, key + 1);
            accd__btree_erase(&index, gone);
            oracle_remove(&o, gone);
            const char *wrong = accd__btree_check(&index);
            must(!wrong, "after a run: %s", wrong);
        }
        for (uint64_t p = 0; p < 3 * n + 10; p++)
            compare_at(&index, &o, p);
        accd__btree_clear(&index);
        accd__mem_drop_cache(&mem);
        must(meter.live == 0, "memory");
    }
    ok(tap_failed == failed, "runs of all small sizes into empty indices");
}

/* Runs of any length that come and go among single keys, with other keys between theirs or not. */
static void runs(uint64_t seed, uint64_t span, size_t most)
{
    struct meter meter = {0};
    struct accd__mem mem;
    struct accd__btree index;
    static struct oracle o;
    uint64_t state = seed;
    int failed = tap_failed;
    o.n = 0;
    accd__mem_init(&mem, meter_alloc, &meter);
    accd__btree_init(&index, &mem);
    for (size_t step = 0; step < 2500 && tap_failed < failed + 10; step++) {
        uint64_t key = next_random(&state) % span, what = next_random(&state) % 8;
        size_t n = next_random(&state) % (next_random(&state) % 4 ? 20 : most / 2);
        if (what < 3 && o.n + n <= most) {
            insert_run(&index, &o, key, 1 + next_random(&state) % 9, n);
        } else if (what < 6) {
            erase_run(&index, &o, key, next_random(&state) % 4 ? key + n : next_random(&state) % span);
        } else if (what < 7 && o.n) {
            key = o.key[key % o.n];
            must(accd__btree_erase(&index, key) == record_of(key), "erase");
            oracle_remove(&o, key);
        } else if (!has(&o, key) && o.n < most) {
            must(accd__btree_insert(&index, key, record_of(key)), "insert");
            oracle_add(&o, key);
        }
        is_like(&index, &o, "step", step);
        compare_at(&index, &o, key);
        compare_at(&index, &o, next_random(&state) % span);
    }
    insert_run(&index, &o, 0, 1, 100);
    insert_run(&index, &o, UINT64_MAX - 100, 1, 100);
    is_like(&index, &o, "both ends of the key space", 0);
    erase_run(&index, &o, 3, UINT64_MAX - 3);
    is_like(&index, &o, "all but the ends", 0);
    erase_run(&index, &o, 0, UINT64_MAX);
    is_like(&index, &o, "nothing", 0);
    insert_run(&index, &o, 7, 1, 1);
    compare_at(&index, &o, 9);
    accd__btree_clear(&index);
    accd__mem_drop_cache(&mem);
    ok(tap_failed == failed, "random runs %llu over %llu keys", (unsigned long long)seed, (unsigned long long)span);
    is_number(meter.live + meter.blocks + meter.wrong, 0, "memory is given back");
}

/* After a reservation no insertion may need memory, whatever the keys are. */
static void reservation(void)
{
    int failed = tap_failed;
    uint64_t state = 11;
    for (int round = 0; round < 300; round++) {
        struct meter meter = {0};
        struct accd__mem mem;
        struct accd__btree index;
        accd__mem_init(&mem, meter_alloc, &meter);
        accd__btree_init(&index, &mem);
        static struct oracle o;
        o.n = 0;
        size_t before = next_random(&state) % 200, more = 1 + next_random(&state) % 200;
        for (size_t i = 0; i < before; i++) {
            uint64_t key = round % 3 ? next_random(&state) % 100000 : 1000 + i;
            if (has(&o, key))
                continue;
            accd__btree_insert(&index, key, record_of(key));
            oracle_add(&o, key);
        }
        must(accd__btree_reserve(&index, more), "reserve");
        meter.fail_at = 1; /* the next request fails, and every one after it: */
        size_t live = meter.live;
        for (size_t i = 0; i < more;) {
            uint64_t key = round % 2 ? next_random(&state) % 100000 : 1100 + 7 * i + o.n;
            if (has(&o, key)) {
                i++;
                continue;
            }
            must(accd__btree_insert(&index, key, record_of(key)), "insertion %zu of %zu into %zu entries", i, more,
                 before);
            oracle_add(&o, key);
            i++;
        }
        must(meter.live == live && meter.fail_at == 1, "a reserved insertion asks for no memory");
        const char *wrong = accd__btree_check(&index);
        must(!wrong, "reserved: %s", wrong);
        meter.fail_at = 1;
        must(!accd__btree_reserve(&index, 100000), "a reservation that cannot be had fails");
        must(index.count == o.n && !accd__btree_check(&index), "and changes nothing");
        must(!accd__btree_reserve(&index, SIZE_MAX), "nor does an absurd one");
        accd__btree_clear(&index);
    }
    ok(tap_failed == failed, "reserved insertions cannot fail");
}

/* A reserved run asks for no memory, and leaves what was reserved beside it. */
static void reserved_runs(void)
{
    static struct accd__pair run[MOST];
    static struct oracle o;
    int failed = tap_failed;
    uint64_t state = 12;
    for (int round = 0; round < 400; round++) {
        struct meter meter = {0};
        struct accd__mem mem;
        struct accd__btree index;
        accd__mem_init(&mem, meter_alloc, &meter);
        accd__btree_init(&index, &mem);
        o.n = 0;
        size_t before = next_random(&state) % 300, most = 1 + next_random(&state) % 600, n = 0;
        size_t beside = next_random(&state) % 3 ? next_random(&state) % 100 : 0;
        uint64_t step = 1 + next_random(&state) % 40;
        for (size_t i = 0; i < before; i++) {
            uint64_t key = round % 3 ? next_random(&state) % 20000 : 1000 + 2 * i;
            if (!has(&o, key)) {
                accd__btree_insert(&index, key, record_of(key));
                oracle_add(&o, key);
            }
        }
        for (size_t i = 0; round % 4 == 0 && i < before; i += 2) /* separators that no key has */
            if (has(&o, 1000 + 2 * i)) {
                accd__btree_erase(&index, 1000 + 2 * i);
                oracle_remove(&o, 1000 + 2 * i);
            }
        const uint64_t first = next_random(&state) % 2000;
        for (size_t i = 0; i < most; i++)
            if (!has(&o, first + i * step))
                run[n++] = (struct accd__pair){first + i * step, (uintptr_t)record_of(first + i * step)};
        must(accd__btree_reserve_sorted(&index, first, first + most * step, n, beside), "reserve");
        const size_t live = meter.live;
        meter.fails_on = true;
        meter.fail_at = 1;
        accd__btree_insert_sorted(&index, run, n);
        for (size_t i = 0; i < n; i++)
            oracle_add(&o, run[i].key);
        for (size_t i = 0; i < beside; i++) {
            uint64_t key = round % 2 ? next_random(&state) % 30000 : first + most * step / 2 + i;
            if (!has(&o, key)) {
                must(accd__btree_insert(&index, key, record_of(key)), "an insertion beside");
                oracle_add(&o, key);
            }
        }
        must(meter.live == live && !meter.failed, "round %d: a reserved run asks for no memory", round);
        is_like(&index, &o, "round", (size_t)round);
        must(!accd__btree_reserve_sorted(&index, 0, UINT64_MAX - 1, 1000000, 0), "a run there is no memory for");
        is_like(&index, &o, "refused in round", (size_t)round);
        accd__btree_clear(&index);
        accd__mem_drop_cache(&mem);
    }
    ok(tap_failed == failed, "reserved runs cannot fail");
}

static void sorting_by_insertion_order(void)
{
    struct accd__mem mem;
    int failed = tap_failed;
    static struct oracle o;
    accd__mem_init(&mem, NULL, NULL);
    for (int order = 0; order < 3; order++) {
        struct accd__btree index;
        accd__btree_init(&index, &mem);
        o.n = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            uint64_t key = order == 0 ? i : order == 1 ? 999 - i : (i * 617) % 1000;
            accd__btree_insert(&index, key * 16, record_of(key * 16));
        }
        for (uint64_t i = 0; i < 1000; i++)
            o.key[o.n++] = i * 16;
        const char *wrong = accd__btree_check(&index);
        must(!wrong, "order %d: %s", order, wrong);
        struct accd__btree_cursor cursor;
        size_t n = 0;
        for (void *r = accd__btree_seek(&index, 0, &cursor); r; r = accd__btree_next(&cursor), n++)
            must(r == record_of(o.key[n]), "record %zu in order", n);
        must(n == 1000, "all of them");
        for (uint64_t p = 0; p < 16100; p += 5)
            compare_at(&index, &o, p);
        accd__btree_clear(&index);
    }
    ok(tap_failed == failed, "ascending, descending and scattered insertion");
}

/* A key behind all others that goes and comes again takes no node each time, however full the last one is. */
static void last_key(void)
{
    int failed = tap_failed;
    for (uint64_t n = 1; n <= 200; n++) {
        struct meter meter = {0};
        struct accd__mem mem;
        struct accd__btree index;
        accd__mem_init(&mem, meter_alloc, &meter);
        accd__btree_init(&index, &mem);
        for (uint64_t key = 1; key <= n; key++)
            must(accd__btree_insert(&index, key, record_of(key)), "ascending");
        size_t spare = 0;
        for (int time = 0; time < 3; time++) {
            must(accd__btree_insert(&index, n + 1, record_of(n + 1)), "the last one");
            must(!time || ACCD_BTREE_FANOUT < 32 || index.nodes.spare == spare, "%d: no node", (int)n);
            spare = index.nodes.spare;
            must(accd__btree_erase(&index, n + 1) == record_of(n + 1), "goes");
            must(ACCD_BTREE_FANOUT < 32 || index.nodes.spare == spare, "%d: none goes", (int)n);
            must(!accd__btree_check(&index), "structure");
        }
        accd__btree_clear(&index);
    }
    ok(tap_failed == failed, "a last key that goes and comes");
}

/* Keys in some order, as few or as many at a time as there are, go like one after the other. */
static void erase_all(void)
{
    enum { N = 400, TOGETHER = 8 };
    const int failed = tap_failed;
    for (int pattern = 0; pattern < 4; pattern++) {
        struct accd__mem mem;
        struct accd__btree index;
        uint64_t keys[TOGETHER];
        size_t n = 0, left = N;
        accd__mem_init(&mem, NULL, NULL);
        accd__btree_init(&index, &mem);
        for (uint64_t key = 1; key <= N; key++)
            must(accd__btree_insert(&index, key, record_of(key)), "ascending");
        for (uint64_t i = 0; i < N; i++) {
            const uint64_t orders[] = {i + 1, N - i, i * 7 % N + 1, i / 4 * 4 + (i + 2) % 4 + 1};
            keys[n++] = orders[pattern];
            if (n < 1 + i % TOGETHER && i + 1 < N)
                continue;
            accd__btree_erase_keys(&index, keys, n);
            left -= n;
            n = 0;
            must(index.count == left && !accd__btree_check(&index), "structure");
            must(!accd__btree_floor(&index, keys[0]) || accd__btree_floor(&index, keys[0]) != record_of(keys[0]),
                 "gone");
        }
        must(!left, "all have gone");
        accd__btree_clear(&index);
    }
    ok(tap_failed == failed, "several keys go at once");
}

int main(void)
{
    ends_of_the_key_space();
    sorting_by_insertion_order();
    filling();
    last_key();
    erase_all();
    reservation();
    reserved_runs();
    runs(1, 100, 60);
    runs(2, 5000, 1500);
    runs(3, 200000, 2000);
    random_sequence(1, 64, 40, false);
    random_sequence(2, 500, 300, false);
    random_sequence(3, 1000000, 1500, false);
    random_sequence(4, 4000, 1000, true);
    random_sequence(5, 1u << 30, 2000, true);
    return done();
}
