/* Shadow memory against a list of the states of each byte: ranges, granules and runs of words on the host and the device,
 * tiles and digests. */
#include "../tap.h"
#include "random.h"

#include <coherence/shadow.h>
#include <diag/errors.h>
#include <image/declared.h>

#include <sys/mman.h>

enum { BYTES = 4096, STEPS = 30000, CHECKED_STEPS = 64 };

/* Needed by the tested file. */
struct rt_shadow rt_shadow;
struct rt_check_thread *rt_get_check_thread(void)
{
    static struct rt_check_thread thread;
    return &thread;
}
bool rt_is_declared(const void *host)
{
    (void)host;
    return false;
}
void rt_fatal(const char *code, const char *format, ...)
{
    printf("Bail out! %s: %s\n", code, format);
    exit(1);
}

/* A part of memory: the states of each byte, whether its tile may be read, and the value of each word at its last
 * digest, with 0 for bytes that were not present. */
struct part {
    uint64_t at;
    uint8_t *content;
    uint8_t states[BYTES];
    uint8_t tiles[BYTES / RT_TILE_BYTES];
    uint64_t digested[BYTES / 8];
};
/* The host's part lies on both sides of the border of two shadow pages. */
static struct part host, device;

static bool have_states(const struct part *part, size_t k, size_t n, unsigned states, unsigned none)
{
    for (size_t i = k; i < k + n; i++)
        if ((part->states[i] & states) != states || part->states[i] & none)
            return false;
    return true;
}

static void change_states(struct part *part, size_t k, size_t n, unsigned clear, unsigned set)
{
    for (size_t i = k; i < k + n; i++) {
        part->states[i] = (uint8_t)((part->states[i] & ~clear) | set);
        if (clear & ~(unsigned)RT_DIRTY)
            part->tiles[i / RT_TILE_BYTES] = 0;
    }
}

/* The values of the bytes of a word that are present. */
static uint64_t get_present_value(const struct part *part, size_t word)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++)
        if (part->states[8 * word + i] & RT_PRESENT)
            value |= (uint64_t)part->content[8 * word + i] << 8 * i;
    return value;
}

static bool has_valid_byte(const struct part *part, size_t word)
{
    return !have_states(part, 8 * word, 8, 0, RT_VALID);
}

static size_t ndigests[2]; /* numbers of digests that did not match, and that did */

/* Compares what a granule says of the bytes k to k + n - 1, which lie in one word. */
static void check_granule(const struct part *part, size_t k, size_t n)
{
    const struct rt_granule granule = rt_get_granule(part->at + k, n);
    uint32_t with_state = 0, lost = 0;
    const unsigned one = 1u << pick(4), several = (unsigned)pick(16);
    size_t first_without = n;
    for (size_t i = n; i-- > 0;) {
        const uint8_t states = part->states[k + i];
        const unsigned shift = (unsigned)(4 * ((k + i) % 8));
        with_state |= (states & one) << shift;
        lost |= (states & RT_DIRTY && !(states & RT_VALID) ? 0xfu : 0) << shift;
        if (!(states & one))
            first_without = i;
    }
    must(granule.n == n && granule.at == part->at + k, "granule of %zu bytes at %zu", n, k);
    must(rt_get_bytes_with_state(&granule, one) == with_state, "bytes with state %u at %zu", one, k);
    must(rt_get_lost_bytes(&granule) == lost, "lost bytes at %zu", k);
    must(rt_have_all_bytes(&granule, several) == have_states(part, k, n, several, 0), "states %u at %zu", several, k);
    must(rt_find_byte_without(&granule, one) == part->at + k + first_without, "first byte without %u at %zu", one, k);
    if (!has_valid_byte(part, k / 8)) {
        const bool same = part->digested[k / 8] == get_present_value(part, k / 8);
        must(rt_matches_digest(&granule) == same, "the digest of word %zu", k / 8);
        ndigests[same]++;
    }
}

/* Compares what ranges and runs of words say of n bytes from k on. */
static void check_range(const struct part *part, size_t k, size_t n)
{
    const unsigned states = (unsigned)pick(16), none = (unsigned)pick(16) & ~states;
    must(rt_has_range_states(part->at + k, n, states, none) == have_states(part, k, n, states, none),
         "%zu bytes at %zu have %u, not %u", n, k, states, none);
    const struct rt_word_run run = rt_get_word_run(part->at + k, n);
    size_t count = 0;
    must(run.n <= n / 8 && (run.n || k % 8 || n < 8), "a run of %zu words in %zu bytes", run.n, n);
    while (count < run.n && have_states(part, k + 8 * count, 8, states, none))
        count++;
    must(rt_count_words_with_state(&run, states, none) == count, "words at %zu with %u, not %u", k, states, none);
}

/* Changes the states of a range as a whole, by granules, or to those of a part that is not mapped. */
static void change_range(struct part *part, size_t k, size_t n)
{
    const unsigned clear = (unsigned)pick(16), set = (unsigned)pick(16);
    const size_t choice = pick(8);
    if (choice < 4) {
        rt_set_states(part->at + k, n, clear, set);
        change_states(part, k, n, clear, set);
    } else if (choice < 7) {
        size_t covered = 0;
        RT_FOR_EACH_GRANULE(granule, part->at + k, n)
        {
            rt_change_states(&granule, clear, set);
            covered += granule.n;
        }
        must(covered == n, "granules cover %zu bytes", n);
        change_states(part, k, n, clear, set);
    } else {
        for (size_t word = k / 8; word <= (k + n - 1) / 8; word++) {
            const size_t low = 8 * word > k ? 8 * word : k, high = 8 * word + 8 < k + n ? 8 * word + 8 : k + n;
            const bool same = has_valid_byte(part, word) || part->digested[word] == get_present_value(part, word);
            change_states(part, low, high - low, 0xf, 0);
            if (!has_valid_byte(part, word) && same)
                part->digested[word] = get_present_value(part, word);
        }
        rt_remove_shadow(part->at + k, n);
    }
}

/* Stores digests of the words of a range, and changes values. */
static void store_digests(struct part *part, size_t k, size_t n)
{
    RT_FOR_EACH_GRANULE(granule, part->at + k, n)
    rt_store_digest(&granule);
    for (size_t word = k / 8; word <= (k + n - 1) / 8; word++)
        if (!has_valid_byte(part, word))
            part->digested[word] = get_present_value(part, word);
    part->content[k + pick(n)] = (uint8_t)(1 + pick(3));
}

int main(void)
{
    const uint64_t bytes = 2 * (uint64_t)RT_SHADOW_PAGE_BYTES;
    uint8_t *memory = rt_reserve_memory(2 * bytes);
    const uint64_t border = ((uintptr_t)memory / RT_SHADOW_PAGE_BYTES + 1) * RT_SHADOW_PAGE_BYTES;
    host.at = border - BYTES / 2;
    device.at = border + 2 * (uint64_t)RT_SHADOW_PAGE_BYTES;
    host.content = memory + (host.at - (uintptr_t)memory);
    device.content = memory + (device.at - (uintptr_t)memory);
    rt.device_low = device.at;
    rt.device_high = device.at + BYTES;
    void *const any = (void *)(uintptr_t)1; /* callbacks of accesses, which no test makes */
    rt_shadow_init((void (*)(uintptr_t, size_t, bool, uintptr_t, const uintptr_t *))any,
                   (void (*)(uintptr_t, size_t, bool, uintptr_t, const uintptr_t *))any,
                   (void (*)(uintptr_t, size_t, uintptr_t, const uintptr_t *))any,
                   (void (*)(uintptr_t, size_t, uintptr_t, const uintptr_t *))any);
    const struct rt_granule absent = rt_get_granule(host.at, 8);
    ok(!absent.states && !rt_get_granule_states(&absent) && rt_matches_digest(&absent), "without a shadow, no state");
    ok(rt_add_shadow(host.at, BYTES), "a shadow is added on both sides of a border");
    for (size_t i = 0; i < STEPS && !tap_failed; i++) {
        struct part *part = pick(2) ? &host : &device;
        const size_t k = pick(8) ? pick(BYTES) : BYTES / 2 - pick(16), n = 1 + pick(pick(2) ? BYTES - k : 8 > BYTES - k ? BYTES - k : 8);
        if (part == &device && !pick(4)) {
            memset(rt_shadow.tiles, RT_TILE_READABLE, BYTES / RT_TILE_BYTES);
            memset(device.tiles, RT_TILE_READABLE, BYTES / RT_TILE_BYTES);
        }
        if (pick(3))
            change_range(part, k, n);
        else
            store_digests(part, k, n);
        must(!memcmp(rt_shadow.tiles, device.tiles, BYTES / RT_TILE_BYTES), "step %zu: tiles", i);
        for (size_t c = 0; c < CHECKED_STEPS; c++) {
            const size_t at = pick(BYTES), rest = 8 - at % 8;
            check_granule(part, at, 1 + pick(rest));
            check_range(part, at, 1 + pick(BYTES - at));
        }
    }
    ok(ndigests[false] > 1000 && ndigests[true] > 1000, "%zu digests match, %zu do not", ndigests[true],
       ndigests[false]);
    ok(!tap_failed, "%d changes leave the states of the model", STEPS);
    rt_shadow_free();
    return done();
}
