/* The access history of device memory, in tiles and split tiles, against a list of the last access of each byte. */
#include "../tap.h"
#include "random.h"

#include <checked/access_history.h>

enum { BYTES = 8 * RT_TILE_BYTES, WORKS = 40, PHASES = 1500, ACCESSES = 40, LOW = 1 << 20 };

static struct rt_history_tile tiles[BYTES / RT_TILE_BYTES], split_tiles[BYTES / RT_TILE_UNITS];
static struct rt_last_access split_bytes[BYTES];
static struct rt_last_access model[BYTES];
static bool is_ordered[2 * WORKS]; /* true for half the id of a work that happens before the one that runs now */
static size_t races;

/* The ids from 2 * WORKS on stand for sets; the members do not matter here. */
static uint16_t find_successor(uint16_t from, uint16_t work)
{
    if (!from || from == work || is_ordered[from / 2])
        return work;
    return (uint16_t)(2 * WORKS + 2 * ((from * 7u + work) % WORKS));
}

static struct rt_last_access get_access_after_race(uint16_t work, unsigned access_flags)
{
    return access_flags & RT_ACCESS_MODIFY ? (struct rt_last_access){.write = work}
                                           : (struct rt_last_access){.read = work};
}

static struct rt_check_thread thread;

static void on_race(struct rt_last_access *last, uintptr_t at, unsigned access_flags, uintptr_t pc,
                    const uintptr_t *frame)
{
    (void)at, (void)pc, (void)frame;
    races++;
    *last = get_access_after_race(thread.work, access_flags);
}

static struct rt_shadow shadow = {.history_tiles = tiles,
                                  .split_tiles = split_tiles,
                                  .split_bytes = split_bytes,
                                  .low = LOW,
                                  .bytes = BYTES,
                                  .recording = 1,
                                  .find_successor = find_successor,
                                  .on_race = on_race};

/* Begins another work, before which some of the others happen. */
static void begin_work(void)
{
    static struct rt_history_change changes[RT_ACCESS_FREE][RT_CHANGE_CACHE];
    for (size_t i = 0; i < 2 * WORKS; i++)
        is_ordered[i] = pick(4) != 0;
    thread = (struct rt_check_thread){.work = (uint16_t)(2 + 2 * pick(WORKS - 1)), .changes = changes};
    memset(changes, 0xff, sizeof changes);
    thread.steps[0].to = thread.work;
}

/* Does to the model of one byte what an access does. Returns true if it is a race. */
static bool access_byte(struct rt_last_access *last, unsigned access_flags)
{
    const uint16_t work = thread.work, read = find_successor(last->read, work);
    const bool writes = access_flags & RT_ACCESS_MODIFY;
    if (find_successor(last->write, work) != work || (writes && read != work)) {
        *last = get_access_after_race(work, access_flags);
        return true;
    }
    *last = writes ? (struct rt_last_access){.write = work} : (struct rt_last_access){last->write, read};
    return false;
}

/* An access of a kernel's loop: aligned elements, most of which take the path of repeated accesses. */
static bool access_elements(size_t at, size_t count, size_t size, unsigned access_flags, size_t *repeated)
{
    bool is_race = false;
    for (size_t i = 0; i < count; i++) {
        const size_t k = (at / size + i) * size;
        if (k + size > BYTES)
            break;
        if (rt_record_repeated_access(&shadow, &thread, k, size, access_flags))
            ++*repeated;
        else
            rt_record_access_range(&shadow, &thread, LOW + k, size, access_flags, 1, NULL);
        for (size_t b = k; b < k + size; b++)
            is_race |= access_byte(&model[b], access_flags);
    }
    return is_race;
}

static bool access_range(size_t at, size_t n, unsigned access_flags)
{
    bool is_race = false;
    rt_record_access_range(&shadow, &thread, LOW + at, n, access_flags, 1, NULL);
    for (size_t b = at; b < at + n; b++)
        is_race |= access_byte(&model[b], access_flags);
    return is_race;
}

static void is_same_as_model(size_t phase)
{
    for (size_t k = 0; k < BYTES; k++) {
        uint32_t last;
        size_t unit;
        const struct rt_history_tile *tile = rt_find_history_tile(&shadow, k, &unit);
        last = tile ? tile->last[rt_get_tile_entry(tile, k / unit % RT_TILE_UNITS)]
                    : rt_pack_last_access(split_bytes[k]);
        must(last == rt_pack_last_access(model[k]), "phase %zu: the last access of byte %zu", phase, k);
        if (tap_failed)
            return;
    }
}

int main(void)
{
    size_t repeated = 0, accesses = 0, nraces = 0;
    for (size_t phase = 0; phase < PHASES && !tap_failed; phase++) {
        begin_work();
        for (size_t i = 0; i < 1 + pick(ACCESSES); i++, accesses++) {
            const unsigned access_flags = pick(2) ? RT_ACCESS_WRITE : RT_ACCESS_READ;
            const size_t at = pick(BYTES), rest = BYTES - at, before = races;
            const bool is_race = pick(2) ? access_elements(at, 1 + pick(100), (size_t)1 << pick(4), access_flags, &repeated)
                                         : access_range(at, 1 + pick(pick(2) ? rest : rest < 8 ? rest : 8), access_flags);
            must(is_race == (races != before), "phase %zu: a race is reported if one is there", phase);
            nraces += is_race;
        }
        if (!pick(20)) { /* data are freed */
            const size_t at = pick(BYTES), n = 1 + pick(BYTES - at);
            rt_set_last_access_range(&shadow, &thread, at, n, 0);
            memset(model + at, 0, n * sizeof *model);
        }
        if (!pick(200)) { /* the history is cleared, as when all work is complete */
            memset(tiles, 0, sizeof tiles);
            memset(split_tiles, 0, sizeof split_tiles);
            memset(split_bytes, 0, sizeof split_bytes);
            memset(model, 0, sizeof model);
        }
        is_same_as_model(phase);
    }
    ok(repeated > accesses && nraces > 100, "%zu accesses, %zu repeated ones, %zu with a race", accesses, repeated, nraces);
    ok(!tap_failed, "each byte has the last access of the model");
    return done();
}
