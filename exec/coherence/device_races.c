/* device_races.c - races on device memory between asynchronous work: missing waits, and races of queues and tasks.
 *
 * DATA. Work of queues and tasks is executed at once, in program order. Each operation of a queue and each task gets an
 * even number, the work id. Works that access the same bytes without an order form a set, which has an id, too.
 *
 *      works[id / 2]     a work: its origin (epoch, call); or a set: a slice of members[]
 *      members[]         ids of the works in sets; id + 1 stands for the atomic operations of the work
 *      access history    for a few bytes of device memory: id of the last writers, id of the last readers
 *                        (rt_last_access; access_history.h has the tables)
 *
 * CHECK OF AN ACCESS. The last writers, and for a write also the last readers, must happen before the accessing work,
 * by the clocks of happens_before.c. Then the history gets the new id (on_successor); otherwise on_race reports. While
 * the host has waited for all work, nothing is recorded or checked. */
#include "base/lock.h"
#include "checked/access_history.h"
#include "diag/errors.h"
#include "happens_before.h"
#include "shadow.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    FIRST = 2,               /* first work id */
    END = RT_TILE_SPLIT - 1, /* first number that is not a work id */
    MANY = END / 4,   /* if the next id is above this one, the history is cleared as soon as no work is pending */
    MEMBERS = 1 << 16 /* number of elements of members[] */
};

/* Table of works (operations of a queue, or tasks) and of sets of works; the one with the id n is at index n / 2. */
static struct work {
    struct rt_access_origin origin;
    uint32_t first, n; /* slice in members[] of a set; n 0: the entry is a single work */
} work_table[END / 2];
static uint16_t members[MEMBERS]; /* ids of works in sets; an odd id stands for the atomic operations of the work */
/* next: id that the next work or set gets; nmembers: number of used elements of members[] */
static unsigned next = FIRST, nmembers;
/* return address of the access of the last race, if it had no stack frame: a further race at this address is not
 * reported. 0: none */
static uintptr_t reported_pc;

/* ---------------------------------------------------------------------------------- work ids -- */

/* Returns the number of tiles (512 bytes each) of device memory. */
static uint64_t count_tiles(void)
{
    return rt_shadow.bytes / RT_TILE_BYTES + 1;
}

/* Returns the size in bytes of the three tables of the history: tiles, split tiles, and split bytes of device memory
 * (access_history.h). */
static uint64_t get_table_bytes(void)
{
    enum { PARTS = RT_TILE_BYTES / RT_TILE_UNITS };
    return count_tiles() *
           ((1 + PARTS) * sizeof *rt_shadow.history_tiles + RT_TILE_BYTES * sizeof *rt_shadow.split_bytes);
}

/* Forgets all work ids, and empties the access history, whose memory is returned to the system. */
static void clear_history(void)
{
    rt_empty_memory(rt_shadow.history_tiles, get_table_bytes());
    next = FIRST;
    nmembers = 0;
}

/* Returns a new id for `work`, a work or a set. Clears the history with all ids if no id is left, or if many are used
 * and no work is pending; never while a recorded kernel runs. Returns 0 if no id is left then. */
static uint16_t new_work_id(struct work work)
{
    assert(next >= FIRST && next <= END);
    if (!rt_shadow.recording && (next == END || (next > MANY && rt_is_quiescent())))
        clear_history();
    if (next == END)
        return 0;
    work_table[next / 2] = work;
    next += 2;
    return (uint16_t)(next - 2);
}

/* Returns the work id of the kernel that the thread runs, or of its call under way. Makes a new id unless one of the
 * last 32 ids is that of this work. Returns 0 for work of the host, or if no id is left. */
static uint16_t get_own_work_id(void)
{
    enum { NEAR = 64 };
    const struct rt_epoch epoch = rt_this_thread.epoch;
    const struct rt_site *site = rt_kernel_site ? rt_kernel_site : rt.site;
    for (unsigned i = next; i > FIRST && i + NEAR > next && epoch.stream; i -= 2) {
        const struct work *work = &work_table[i / 2 - 1];
        if (!work->n && work->origin.epoch.stream == epoch.stream && work->origin.epoch.number == epoch.number)
            return (uint16_t)(i - 2);
    }
    if (!epoch.stream || !site)
        return 0;
    return new_work_id(
        (struct work){.origin = {.epoch = epoch, .pc = site->call.pc, .construct_name = site->construct_name}});
}

/* ------------------------------------------------------------------------------------ sets -- */

/* Returns the number of works in the set with the id *number, and stores the address of their ids in *list_p. If the id
 * is that of a single work, the work itself is the only member; the id 0 has no members. */
static size_t get_set_members(const uint16_t *number, const uint16_t **list_p)
{
    const struct work *work = &work_table[*number / 2];
    *list_p = work->n ? members + work->first : number;
    return work->n ? work->n : *number != 0;
}

/* Returns true if the work with the id `number` happens before what the calling thread does now. */
static bool comes_before_thread(uint16_t number)
{
    return rt_happens_before(work_table[number / 2].origin.epoch, rt_this_thread.epoch);
}

enum { UNORDERED_MAX = 64 }; /* most members that a set keeps */

/* Writes the members of the id `number` that do not happen before the thread's epoch to `unordered`, at most
 * UNORDERED_MAX, and returns how many were written. *plain_p becomes the first such member that is not atomic; 0 if
 * there is none. */
static size_t find_unordered_members(uint16_t number, uint16_t *unordered, uint16_t *plain_p)
{
    const uint16_t *list;
    const size_t n = get_set_members(&number, &list);
    size_t nunordered = 0;
    *plain_p = 0;
    for (size_t i = 0; i < n; i++) {
        if (comes_before_thread(list[i]))
            continue;
        if (!*plain_p && !(list[i] & 1))
            *plain_p = list[i];
        if (nunordered < UNORDERED_MAX)
            unordered[nunordered++] = list[i];
    }
    return nunordered;
}

/* Returns the id of the set of the n works in `list`, an existing or a new one. Returns the id of the last work alone
 * if no id or no member slot is free: the others are forgotten. */
static uint16_t get_work_set(const uint16_t *list, size_t n)
{
    assert(n >= 2);
    for (unsigned i = next; i > FIRST; i -= 2) {
        const struct work *work_set = &work_table[i / 2 - 1];
        if (work_set->n == n && !memcmp(members + work_set->first, list, n * sizeof *list))
            return (uint16_t)(i - 2);
        if (i - 2 <= (list[n - 1] & ~1u)) /* this entry is older than the newest member, and so are all that follow */
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

/* Returns true if `member` stays in a set that `work` joins. Members that happen before the work are dropped. But an
 * atomic operation (odd `work`) keeps plain accesses that the host has not waited for: a later atomic operation does
 * not race with `work`, but may race with them. */
static bool keeps_member(uint16_t member, uint16_t work)
{
    const bool plain = !(member & 1);
    return !comes_before_thread(member) ||
           (work & 1 && plain && !rt_is_host_synced(work_table[member / 2].origin.epoch));
}

/* Returns the id of the set of `work` and of those members of `from` that stay (keeps_member); 0 if nothing is left.
 * Work 0 is the host's, and work 1 an atomic operation without an id; both join no set. */
static uint16_t join_works(uint16_t from, uint16_t work)
{
    uint16_t list[UNORDERED_MAX + 1];
    const uint16_t *member_ids;
    const size_t count = get_set_members(&from, &member_ids);
    size_t n = 0;
    bool has_work = work <= 1;
    for (size_t i = 0; i < count && n < UNORDERED_MAX; i++)
        if (keeps_member(member_ids[i], work)) {
            list[n++] = member_ids[i];
            has_work |= member_ids[i] == work;
        }
    if (!has_work)
        list[n++] = work;
    return n == 0 ? 0 : n == 1 ? list[0] : get_work_set(list, n);
}

/* ---------------------------------------------------------------------------------- accesses -- */

/* Returns the id that replaces `from` as the id of the bytes' last accesses when `work` accesses the bytes, too: that
 * of the set of both (join_works). Called by instrumented code as rt_shadow.find_successor, with or without the lock.
 */
static uint16_t on_successor(uint16_t from, uint16_t work)
{
    const bool has_locked = rt_lock();
    const uint16_t to = join_works(from, work);
    if (has_locked)
        rt_unlock();
    return to;
}

/* Reports a race of an access at `at` with the last one, *last, and replaces *last. Two atomic accesses do not race:
 * then the access only joins *last. Called by instrumented code as rt_shadow.on_race, with or without the lock. */
static void on_race(struct rt_last_access *last, uintptr_t at, unsigned access_flags, uintptr_t pc,
                    const uintptr_t *frame)
{
    assert(last);
    const bool has_locked = rt_lock(), writes = access_flags & RT_ACCESS_MODIFY;
    /* plain_write, plain_read: id of the first unordered access that is not atomic; 0: none. Such accesses are reported
     * rather than atomic ones. */
    uint16_t list[UNORDERED_MAX], plain_write, plain_read = 0;
    const size_t nwrites = find_unordered_members(last->write, list, &plain_write);
    const uint16_t write = nwrites ? list[0] : 0;
    const size_t nreads = writes ? find_unordered_members(last->read, list, &plain_read) : 0;
    const uint16_t work = get_own_work_id(), mine = work && access_flags & RT_ACCESS_ATOMIC ? work + 1 : work;
    if (access_flags & RT_ACCESS_ATOMIC && !plain_write &&
        !plain_read) { /* the unordered accesses are all atomic, like this one */
        if (writes)
            last->write = join_works(last->write, mine);
    } else if (nwrites || nreads) {
        const struct rt_access access = {at, 1, writes, pc, frame};
        const bool by_write = plain_write || (nwrites && !plain_read), last_write = !work_table[last->write / 2].n;
        const uint16_t earlier = plain_write ? plain_write : plain_read ? plain_read : nwrites ? write : list[0];
        if (frame || pc != reported_pc)
            rt_report_race(&access, access_flags & RT_ACCESS_FREE, &work_table[earlier / 2].origin, by_write,
                           last_write);
        reported_pc = frame ? 0 : pc;
        *last = writes ? (struct rt_last_access){.write = mine} : (struct rt_last_access){.read = mine};
    }
    if (has_locked)
        rt_unlock();
}

/* Allocates the access history and sets the callbacks of rt_shadow. Ends the program without memory. */
void rt_history_init(void)
{
    rt_shadow.history_tiles = rt_reserve_memory(get_table_bytes());
    rt_shadow.split_tiles = rt_shadow.history_tiles + count_tiles();
    rt_shadow.split_bytes =
        (struct rt_last_access *)(rt_shadow.split_tiles + count_tiles() * (RT_TILE_BYTES / RT_TILE_UNITS));
    rt_shadow.find_successor = on_successor;
    rt_shadow.on_race = on_race;
    if (!rt_shadow.history_tiles)
        rt_fatal("out-of-memory", "no memory for the checks");
}

/* Frees the access history of device memory and forgets all work ids. */
void rt_history_free(void)
{
    next = FIRST;
    nmembers = 0;
    munmap(rt_shadow.history_tiles, get_table_bytes());
}

/* Returns true if no access has to be recorded: the thread does the host's work, and no asynchronous work is pending.
 */
static bool is_history_unused(void)
{
    return !rt_this_thread.epoch.stream && (next == FIRST || rt_is_quiescent());
}

/* pthread key of a thread's cache rt_check_thread.changes, by which a change of a tile's last accesses is found again
 */
static pthread_key_t changes_key;

/* Creates changes_key; called once. A failure is noticed by get_thread_changes. */
static void create_changes_key(void)
{
    pthread_key_create(&changes_key, free);
}

/* Returns the thread's cache `changes` (see checked.h), with a row for each of 4 kinds of access. It is freed when the
 * thread ends. It is not a thread-local variable, because those lie on stacks, which may be small. Ends the program
 * without memory. */
static struct rt_history_change (*get_thread_changes(void))[RT_CHANGE_CACHE]
{
    static pthread_once_t once_control = PTHREAD_ONCE_INIT;
    pthread_once(&once_control, create_changes_key);
    struct rt_history_change(*changes)[RT_CHANGE_CACHE] = pthread_getspecific(changes_key);
    if (!changes) {
        changes = malloc(RT_ACCESS_FREE * sizeof *changes);
        if (!changes || pthread_setspecific(changes_key, changes))
            rt_fatal("out-of-memory", "no memory for the checks of a thread");
    }
    return changes;
}

/* Prepares a thread to record accesses of the work under way: gets the work's id, and empties the caches. `changes`
 * becomes the thread's cache of changes. */
static void prepare_thread(struct rt_check_thread *thread, struct rt_history_change (*changes)[RT_CHANGE_CACHE])
{
    assert(changes);
    memset(thread->steps, 0, sizeof thread->steps);
    thread->changes = changes;
    memset(changes, 0xff, RT_ACCESS_FREE * sizeof *changes); /* sets all bits: no tile contains this value */
    thread->work = get_own_work_id();
    thread->steps[0].to = thread->work;
}

/* Ends the recording of the accesses of the kernel that `thread` runs; does nothing if they were not recorded. */
void rt_history_end_kernel(const struct rt_check_thread *thread)
{
    rt_shadow.recording -= thread->records_accesses;
}

/* Begins a kernel on a thread: lets the fast path use device memory, or prepares the recording of each access. Ends the
 * program without memory. */
void rt_history_begin_kernel(struct rt_check_thread *thread)
{
    rt_history_end_kernel(thread); /* a jump may have left the thread's last kernel without its end */
    memset(thread->lookup_cache, 0, sizeof thread->lookup_cache);
    thread->in_kernel = true;
    thread->low = rt_shadow.low;
    thread->states = rt_shadow.states;
    thread->origins = rt_shadow.origins;
    thread->tiles = rt_shadow.tiles;
    thread->records = thread->records_accesses = !is_history_unused();
    thread->history_bytes = thread->records_accesses ? rt_shadow.bytes : 0;
    for (unsigned shift = 0; shift < 4; shift++) {
        thread->units[shift] = thread->records_accesses ? 0 : rt_shadow.bytes >> shift;
        thread->reach[shift] = thread->records_accesses ? 0 : rt_shadow.reach >> shift;
    }
    if (!thread->records_accesses)
        return;
    prepare_thread(thread, get_thread_changes());
    rt_shadow.recording++;
}

/* Records an access of the call under way to the n bytes of device memory at `at`, and reports a race with earlier
 * work. Does nothing for host memory, or if no asynchronous work is pending. */
void rt_history_record_access(uint64_t at, uint64_t n, unsigned access_flags)
{
    struct rt_check_thread thread = {0};
    struct rt_history_change changes[RT_ACCESS_FREE][RT_CHANGE_CACHE];
    if (!rt_is_in_device_space(at) || is_history_unused())
        return;
    prepare_thread(&thread, changes);
    reported_pc = 0;
    rt_record_access_range(&rt_shadow, &thread, at, n, access_flags, rt.site ? rt.site->call.pc : 0, NULL);
    if (access_flags & RT_ACCESS_FREE) /* forgets the freed memory's accesses: later memory at this address is new */
        rt_set_last_access_range(&rt_shadow, &thread, at - rt_shadow.low, n, 0);
}
