/* Entries with iterators against a model: random entries, expanded one by one. */
#include "../tap.h"
#include "random.h"

#include <diag/errors.h>
#include <frontend/gcc_entries.h>

enum { ROUNDS = 2000, ENTRIES = 8, VALUES = 5 };

_Noreturn void rt_fatal(const char *code, const char *format, ...) /* the tested file calls it without memory */
{
    printf("Bail out! %s: %s\n", code, format);
    exit(1);
}

int main(void)
{
    static char data[1 << 12];
    size_t iterated = 0, wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t lists[ENTRIES][1 + 2 * VALUES], size[ENTRIES], want_size[ENTRIES * VALUES], first[ENTRIES], n = 0;
        void *host[ENTRIES], *want_host[ENTRIES * VALUES];
        unsigned short kind[ENTRIES], want_kind[ENTRIES * VALUES];
        const size_t entries = 1 + pick(ENTRIES);
        bool any = false;
        for (size_t i = 0; i < entries; i++) {
            const size_t values = pick(VALUES + 1);
            const bool is_absent = !pick(6), has_iterator = pick(2) && !is_absent;
            any |= has_iterator;
            kind[i] = (unsigned short)(pick(2) ? TO : FROM);
            /* an absent array may have the size that marks an iterator */
            size[i] = has_iterator || (is_absent && pick(2)) ? (size_t)ITERATED : pick(100);
            host[i] = is_absent ? NULL : has_iterator ? (void *)lists[i] : &data[pick(sizeof data)];
            lists[i][0] = values;
            first[i] = n;
            for (size_t k = 0; k < values; k++) {
                lists[i][1 + 2 * k] = (size_t)&data[pick(sizeof data)];
                lists[i][2 + 2 * k] = pick(100);
            }
            for (size_t k = 0; k < (has_iterator && values ? values : 1); k++) {
                want_host[n] = !has_iterator ? host[i] : values ? (void *)lists[i][1 + 2 * k] : NULL;
                want_size[n] = !has_iterator ? size[i] : values ? lists[i][2 + 2 * k] : 0;
                want_kind[n++] = kind[i];
            }
        }
        const struct entries map = {.n = entries, .host = host, .size = size, .kind = kind, .target = true};
        wrong += rt_has_iterators(&map) != any;
        if (!any)
            continue;
        iterated++;
        struct entries found = rt_expand_iterators(&map);
        wrong += found.n != n || found.arguments != entries || !found.target;
        for (size_t i = 0; i < n && found.n == n; i++)
            wrong += found.host[i] != want_host[i] || found.size[i] != want_size[i] || found.kind[i] != want_kind[i];
        for (size_t i = 0; i < entries; i++)
            wrong += found.argument[i] != first[i];
        free(found.host);
    }
    ok(iterated > ROUNDS / 2, "most lists have an iterator");
    is_number(wrong, 0, "entries, their order, and the first entry of each argument are right");

    /* An aggregate counts its members after the expansion. */
    size_t list[] = {3, (size_t)&data[0], 1, (size_t)&data[8], 2, (size_t)&data[16], 3};
    void *host[] = {data, list, &data[32]};
    const size_t size[] = {2, (size_t)ITERATED, 4};
    const unsigned short kind[] = {STRUCT, TO, TO};
    struct entries found =
        rt_expand_iterators(&(struct entries){.n = 3, .host = host, .size = size, .kind = kind, .target = true});
    is_number(found.n, 5, "an aggregate with two members, one of them iterated");
    is_number(found.size[0], 4, "has as many members as entries follow");
    free(found.host);
    return done();
}
