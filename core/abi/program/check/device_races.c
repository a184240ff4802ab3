/* device_races.c - uses of device memory that nothing orders: missing waits, and races of queues and tasks.
 *
 * Work of queues and tasks is done at once, in program order. Each operation of a queue, and each task, has a number.
 * A few bytes of device memory have the numbers of the works that wrote and read them last; several works that read
 * them without an order have a number together. Work that uses memory looks whether those come before, by the clocks
 * of happens_before.c. As long as the host has waited for all work, nothing is noted and nothing is asked. */
#include "abi/checked/access_history.h"
#include "abi/program/strict/happens_before.h"
#include "shadow.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { FIRST = 2, END = RT_TILE_SPLIT - 1, MANY = END / 4, MEMBERS = 1 << 16 };

/* By half of their numbers: works, and sets of works. */
static struct work {
    struct rt_access_origin origin;
    uint32_t first, n; /* members of a set; n == 0: it is a work */
} works[END / 2];
static uint16_t members[MEMBERS]; /* their numbers: odd ones are atomic operations */
static unsigned next = FIRST, nmembers;
static uintptr_t reported; /* the call under way, if it was */

/* --------------------------------------------------------------------------------- numbers -- */

static uint64_t count_tiles(void)
{
    return rt_shadow.bytes / RT_TILE_BYTES + 1;
}

/* Tiles, their parts, and bytes of the device's memory. */
static uint64_t get_table_bytes(void)
{
    enum { PARTS = RT_TILE_BYTES / RT_TILE_UNITS };
    return count_tiles() * ((1 + PARTS) * sizeof *rt_shadow.uses + RT_TILE_BYTES * sizeof *rt_shadow.split_bytes);
}

/* What was noted is forgotten. */
static void clear_history(void)
{
    madvise(rt_shadow.uses, get_table_bytes(), MADV_DONTNEED);
    next = FIRST;
    nmembers = 0;
}

/* A new number; 0: there is none, while kernels use the old ones. */
static uint16_t new_work_id(struct work work)
{
    if (!rt_shadow.recording && (next == END || (next > MANY && rt_is_quiescent())))
        clear_history();
    if (next == END)
        return 0;
    works[next / 2] = work;
    next += 2;
    return (uint16_t)(next - 2);
}

/* Of the call under way, or the kernel that the thread runs; 0: it is the host's work, or has no number. */
static uint16_t get_own_work_id(void)
{
    enum { NEAR = 64 };
    const struct rt_epoch epoch = rt_this_thread.epoch;
    const struct rt_site *site = rt_kernel_site ? rt_kernel_site : rt.site;
    for (unsigned i = next; i > FIRST && i + NEAR > next && epoch.stream; i -= 2) {
        const struct work *work = &works[i / 2 - 1];
        if (!work->n && work->origin.epoch.stream == epoch.stream && work->origin.epoch.number == epoch.number)
            return (uint16_t)(i - 2);
    }
    if (!epoch.stream || !site)
        return 0;
    return new_work_id((struct work){.origin = {.epoch = epoch, .pc = site->call.pc, .what = site->what}});
}

/* ------------------------------------------------------------------------------------ sets -- */

/* The members of a set, or the number itself. */
static size_t get_set_members(const uint16_t *number, const uint16_t **list_p)
{
    const struct work *work = &works[*number / 2];
    *list_p = work->n ? members + work->first : number;
    return work->n ? work->n : *number != 0;
}

static bool comes_before_thread(uint16_t number)
{
    return rt_happens_before(works[number / 2].origin.epoch, rt_this_thread.epoch);
}

enum { UNORDERED_MAX = 64 }; /* members that are kept */

/* Those members of a number that do not come before the thread's turn, at most MOST; the first that is no atomic
 * operation, or 0. */
static size_t find_unordered_members(uint16_t number, uint16_t *left, uint16_t *plain_p)
{
    const uint16_t *list;
    const size_t n = get_set_members(&number, &list);
    size_t kept = 0;
    *plain_p = 0;
    for (size_t i = 0; i < n; i++) {
        if (comes_before_thread(list[i]))
            continue;
        if (!*plain_p && !(list[i] & 1))
            *plain_p = list[i];
        if (kept < UNORDERED_MAX)
            left[kept++] = list[i];
    }
    return kept;
}

/* The set of some numbers: one that is there, or a new one. */
static uint16_t get_work_set(const uint16_t *list, size_t n)
{
    for (unsigned i = next; i > FIRST; i -= 2) {
        const struct work *set = &works[i / 2 - 1];
        if (set->n == n && !memcmp(members + set->first, list, n * sizeof *list))
            return (uint16_t)(i - 2);
        if (i - 2 <= (list[n - 1] & ~1u)) /* older than its newest member */
            break;
    }
    if (nmembers + n > MEMBERS)
        return list[n - 1];
    const uint16_t number = new_work_id((struct work){.first = nmembers, .n = (uint32_t)n});
    if (number) {
        memcpy(members + nmembers, list, n * sizeof *list);
        nmembers += (unsigned)n;
    }
    return number ? number : list[n - 1];
}

/* Whether a member of a number stays where a work joins it. Those that come before do not, but an atomic operation
 * leaves plain uses that the host has not waited for: a third work may be atomic, too, and not come after them. */
static bool stays(uint16_t member, uint16_t work)
{
    const bool plain = !(member & 1);
    return !comes_before_thread(member) || (work & 1 && plain && !rt_is_host_synced(works[member / 2].origin.epoch));
}

/* What a number becomes where a work, 0: the host's, 1: an atomic one without a number, joins those that stay. */
static uint16_t join_works(uint16_t from, uint16_t work)
{
    uint16_t list[UNORDERED_MAX + 1];
    const uint16_t *all;
    const size_t most = get_set_members(&from, &all);
    size_t n = 0;
    bool has = work <= 1;
    for (size_t i = 0; i < most && n < UNORDERED_MAX; i++)
        if (stays(all[i], work)) {
            list[n++] = all[i];
            has |= all[i] == work;
        }
    if (!has)
        list[n++] = work;
    return n == 0 ? 0 : n == 1 ? list[0] : get_work_set(list, n);
}

/* -------------------------------------------------------------------------------------- uses -- */

static uint16_t on_successor(uint16_t from, uint16_t work)
{
    const bool own = rt_lock();
    const uint16_t to = join_works(from, work);
    if (own)
        rt_unlock();
    return to;
}

static void on_race(struct rt_last_access *last, uintptr_t at, unsigned how, uintptr_t pc, const uintptr_t *frame)
{
    const bool own = rt_lock(), writes = how & RT_ACCESS_MODIFY;
    uint16_t list[UNORDERED_MAX], plain_write, plain_read = 0;
    const size_t written = find_unordered_members(last->write, list, &plain_write);
    const uint16_t write = written ? list[0] : 0;
    const size_t read = writes ? find_unordered_members(last->read, list, &plain_read) : 0;
    const uint16_t work = get_own_work_id(), mine = work && how & RT_ACCESS_ATOMIC ? work + 1 : work;
    if (how & RT_ACCESS_ATOMIC && !plain_write && !plain_read) { /* the others are atomic operations, too */
        if (writes)
            last->write = join_works(last->write, mine);
    } else if (written || read) {
        const struct rt_access access = {at, 1, writes, pc, frame};
        const bool by_write = plain_write || (written && !plain_read), last_write = !works[last->write / 2].n;
        const uint16_t earlier = plain_write ? plain_write : plain_read ? plain_read : written ? write : list[0];
        if (frame || pc != reported)
            rt_report_race(&access, how & RT_ACCESS_FREE, &works[earlier / 2].origin, by_write, last_write);
        reported = frame ? 0 : pc;
        *last = writes ? (struct rt_last_access){.write = mine} : (struct rt_last_access){.read = mine};
    }
    if (own)
        rt_unlock();
}

void rt_history_init(void)
{
    rt_shadow.uses = rt_reserve_memory(get_table_bytes());
    rt_shadow.split_tiles = rt_shadow.uses + count_tiles();
    rt_shadow.split_bytes =
        (struct rt_last_access *)(rt_shadow.split_tiles + count_tiles() * (RT_TILE_BYTES / RT_TILE_UNITS));
    rt_shadow.find_successor = on_successor;
    rt_shadow.on_race = on_race;
    if (!rt_shadow.uses)
        rt_fatal("out-of-memory", "no memory for the checks");
}

void rt_history_free(void)
{
    next = FIRST;
    nmembers = 0;
    munmap(rt_shadow.uses, get_table_bytes());
}

static bool is_history_unused(void)
{
    return !rt_this_thread.epoch.stream && (next == FIRST || rt_is_quiescent());
}

static pthread_key_t changes_key;

static void create_changes_key(void)
{
    pthread_key_create(&changes_key, free);
}

/* The changes of a kernel's thread, which ends them. They are no variables of each thread of each program: those lie on
 * stacks, which may be small. */
static struct rt_history_change (*get_thread_changes(void))[RT_CHANGE_CACHE]
{
    static pthread_once_t opened = PTHREAD_ONCE_INIT;
    pthread_once(&opened, create_changes_key);
    struct rt_history_change(*changes)[RT_CHANGE_CACHE] = pthread_getspecific(changes_key);
    if (!changes) {
        changes = malloc(RT_ACCESS_FREE * sizeof *changes);
        if (!changes || pthread_setspecific(changes_key, changes))
            rt_fatal("out-of-memory", "no memory for the checks of a thread");
    }
    return changes;
}

static void prepare_thread(struct rt_check_thread *thread, struct rt_history_change (*changes)[RT_CHANGE_CACHE])
{
    memset(thread->steps, 0, sizeof thread->steps);
    thread->changes = changes;
    memset(changes, 0xff, RT_ACCESS_FREE * sizeof *changes); /* numbers that no tile has */
    thread->work = get_own_work_id();
    thread->steps[0].to = thread->work;
}

void rt_history_end_kernel(const struct rt_check_thread *thread)
{
    rt_shadow.recording -= thread->records_accesses;
}

void rt_history_begin_kernel(struct rt_check_thread *thread)
{
    rt_history_end_kernel(thread); /* a kernel that was left by a jump */
    memset(thread->lookup_cache, 0, sizeof thread->lookup_cache);
    thread->in_kernel = true;
    thread->low = rt_shadow.low;
    thread->states = rt_shadow.states;
    thread->origins = rt_shadow.origins;
    thread->tiles = rt_shadow.tiles;
    thread->records_accesses = !is_history_unused();
    for (unsigned shift = 0; shift < 4; shift++) {
        thread->units[shift] = thread->records_accesses ? 0 : rt_shadow.bytes >> shift;
        thread->reach[shift] = thread->records_accesses ? 0 : rt_shadow.reach >> shift;
    }
    if (!thread->records_accesses)
        return;
    prepare_thread(thread, get_thread_changes());
    rt_shadow.recording++;
}

void rt_history_record_access(uint64_t at, uint64_t n, unsigned how)
{
    struct rt_check_thread thread = {0};
    struct rt_history_change changes[RT_ACCESS_FREE][RT_CHANGE_CACHE];
    if (!rt_is_in_device_space(at) || is_history_unused())
        return;
    prepare_thread(&thread, changes);
    reported = 0;
    rt_record_access_range(&rt_shadow, &thread, at, n, how, rt.site ? rt.site->call.pc : 0, NULL);
    if (how & RT_ACCESS_FREE) /* what lies there later is something else */
        rt_set_last_access_range(&rt_shadow, &thread, at - rt_shadow.low, n, 0);
}
