/* idle.c - transfers that moved bytes that were the same on both sides: advice at the end. */
#include "abi/program/base/runtime.h"

#include <stdlib.h>
#include <string.h>

/* Transfers from one place in one direction. */
struct tally {
    uintptr_t pc;
    accd_op op;
    uint64_t all, idle, bytes;
    char name[160]; /* of the first range that moved in vain */
    bool others;    /* ranges of other names did, too */
};
static struct tally *tallies;
static size_t ntallies, tallies_room;

void goacc_idle_count(const accd_event *event, bool idle)
{
    const uintptr_t pc = goacc.site->call.pc;
    const accd_op op = event->op;
    char name[sizeof tallies->name];
    size_t i = 0;
    while (i < ntallies && (tallies[i].pc != pc || tallies[i].op != op))
        i++;
    if (i == ntallies) {
        if (ntallies == tallies_room) {
            size_t more = tallies_room ? 2 * tallies_room : 64;
            struct tally *grown = realloc(tallies, more * sizeof *grown);
            if (!grown)
                return;
            tallies = grown;
            tallies_room = more;
        }
        tallies[ntallies++] = (struct tally){.pc = pc, .op = op};
    }
    struct tally *tally = &tallies[i];
    tally->all++;
    if (!idle)
        return;
    goacc_spell(goacc.site, event->host, event->bytes, name, sizeof name);
    if (!tally->idle++)
        memcpy(tally->name, name, sizeof name);
    tally->others |= strcmp(tally->name, name) != 0;
    tally->bytes += event->bytes;
}

static int by_bytes(const void *a, const void *b)
{
    const struct tally *first = a, *second = b;
    return (first->bytes < second->bytes) - (first->bytes > second->bytes);
}

void goacc_idle_end(void)
{
    if (ntallies)
        qsort(tallies, ntallies, sizeof *tallies, by_bytes);
    for (size_t i = 0; i < ntallies && tallies[i].idle; i++) {
        const struct tally *tally = &tallies[i];
        goacc_find(
            &(struct goacc_finding){
                .level = "advice",
                .code = "idle-transfer",
                .pc = tally->pc,
                .object = tally->name,
                .bytes = tally->bytes,
                .times = tally->idle,
                .of = tally->all,
            },
            "%s%s: %llu of %llu transfers %s the device from here moved bytes that were equal on both sides: %llu "
            "bytes",
            tally->name, tally->others ? " and others" : "", (unsigned long long)tally->idle,
            (unsigned long long)tally->all, tally->op == ACCD_OP_H2D ? "to" : "from",
            (unsigned long long)tally->bytes);
    }
    ntallies = 0; /* acc_shutdown reports, and the end of the program does */
}
