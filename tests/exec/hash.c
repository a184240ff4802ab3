/* Hash tables against a model: random adding, removing and clearing; an array by key has what each entry must hold. */
#include "../tap.h"

#include <lib/hash.h>

enum { KEYS = 3000, STEPS = 400000 };

struct entry {
    uint64_t key;
    unsigned value;
};

static uint64_t state = 20240229;

static size_t pick(size_t n) /* less than n */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % n;
}

static size_t allocated; /* bytes that the table has allocated */
static bool is_exhausted;

static void *count_bytes(void *ud, void *ptr, size_t old, size_t n)
{
    if (n && is_exhausted)
        return NULL;
    allocated = allocated - old + n;
    return rt_heap_realloc(ud, ptr, old, n);
}

static struct rt_hash table = RT_HASH_TABLE(count_bytes, struct entry);
static unsigned values[KEYS]; /* the model: value of key number i; 0: no entry */
static size_t nvalues;

/* Keys of data on 3 devices, 8 bytes apart; and consecutive numbers. */
static uint64_t key_of(size_t i)
{
    return i < KEYS / 2 ? rt_data_key((int)(i % 3), 0x7f0000000000 + i / 3 * 8) : i;
}

static void is_same_as_model(void)
{
    size_t n = 0;
    for (struct entry *entry = NULL; (entry = rt_hash_next(&table, entry)); n++)
        must(rt_hash_find(&table, entry->key) == entry, "an entry is found by its key");
    must(n == nvalues && table.n == n, "%zu entries of %zu are visited", n, nvalues);
    must(2 * n <= table.capacity || !n, "half of the slots are free");
    for (size_t i = 0; i < KEYS; i++) {
        const struct entry *entry = rt_hash_find(&table, key_of(i));
        must(entry ? entry->value == values[i] && values[i] : !values[i], "value of key %zu", i);
    }
}

static void step(void)
{
    const size_t i = pick(KEYS), before = table.n;
    if (pick(3)) {
        struct entry *entry = rt_hash_add(&table, key_of(i));
        must(entry->key == key_of(i) && entry->value == values[i], "a new entry is zero, an old one has its value");
        nvalues += !values[i];
        entry->value = values[i] = 1 + (unsigned)pick(1000);
    } else {
        must(rt_hash_remove(&table, key_of(i)) == (values[i] != 0), "what is there can be removed");
        nvalues -= values[i] != 0;
        values[i] = 0;
    }
    must(table.n == nvalues, "%zu entries after %zu", table.n, before);
}

int main(void)
{
    ok(!rt_hash_find(&table, 1) && !rt_hash_next(&table, NULL) && !rt_hash_remove(&table, 1) && !table.slots,
       "an empty table has no entries and no memory");
    is_exhausted = true;
    ok(!rt_hash_add(&table, 1) && !table.n, "without memory nothing is added");
    is_exhausted = false;
    for (size_t i = 0; i < STEPS; i++) {
        step();
        if (i % 20000 == 0)
            is_same_as_model();
    }
    is_same_as_model();
    ok(true, "%d random operations on %d keys", STEPS, KEYS);

    for (size_t i = 0; 2 * table.n < table.capacity; i++)
        rt_hash_add(&table, KEYS + i);
    const struct rt_hash before = table;
    is_exhausted = true;
    ok(!rt_hash_add(&table, UINT64_MAX) && table.slots == before.slots && table.n == before.n,
       "a full table without memory stays as it was");
    rt_hash_clear(&table);
    ok(!allocated && !table.n && !rt_hash_find(&table, KEYS), "a cleared table has no memory");
    return done();
}
