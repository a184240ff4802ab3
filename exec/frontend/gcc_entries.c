/* gcc_entries.c - decodes the entries of a gcc directive, and the arguments of its kernel. Called by gcc_acc.c and
 * gcc_omp.c with the lock held; iterators are already expanded.
 *
 * A pointer's entry follows the entry of the section that it points to. A STRUCT entry precedes the entries of an
 * aggregate's members. In OpenACC each member is an item within a common frame (the host range of the aggregate, for
 * which the device gets one block of memory). In OpenMP all members are one item with a mapping program, which says
 * which bytes are mapped:
 *
 *      entries:  STRUCT s (2) | s.p | s.n | section p[0:n] | ATTACH s.p
 *      OpenMP:   item [s.p .. s.n] with program         item p[0:n], slot &s.p
 *      OpenACC:  items s.p, s.n in the frame of s       item p[0:n], slot &s.p */
#include "base/context.h"
#include "base/kernel.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "diag/symbolize.h"
#include "guard/host_interval.h"
#include "image/allocatable.h"
#include "image/code_references.h"
#include "image/declared.h"
#include "image/malloc_blocks.h"
#include "image/struct_programs.h"
#include "lib/arena.h"
#include "lib/descriptor.h"
#include "rt/lifecycle.h"
#include "gcc_entries.h"
#include "lower.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of device memory reserved after the last named member of an aggregate, for members that later directives name.
 * Used only if debug information does not give the size of the aggregate, which the compiler does not pass. */
enum { FRAME_CAPACITY = 4096 };

/* Sets the search depth of `items` so that the section of a pointer is searched among all items, if iterators were
 * expanded in `map`. All sections of an iterator precede its pointers, so that the last few items do not suffice. */
static void widen_search(const struct entries *map, struct rt_items *items)
{
    if (map->argument)
        items->search_depth = SIZE_MAX;
}

/* Returns true if an address lies in the data of entry i. */
static bool is_in_entry(const struct entries *map, size_t i, const void *address)
{
    return (uintptr_t)address - (uintptr_t)map->host[i] < map->size[i];
}

/* Returns the number of bytes from the address of the STRUCT entry `head` to the end of the aggregate, by debug
 * information; 0: not known. Results are cached by the call's return address and `head`. A member's entry must follow.
 */
static uint64_t aggregate_bytes(const struct entries *map, size_t head)
{
    assert(head + 1 < map->n && rt.site);
    enum { CACHE = 64 };
    static struct {
        uintptr_t pc;
        size_t head;
        uint64_t bytes;
    } cached[CACHE];
    const uintptr_t pc = rt.site->call.pc, start = (uintptr_t)map->host[head];
    const size_t at = (pc ^ head) % CACHE;
    if (cached[at].pc != pc || cached[at].head != head) {
        uintptr_t end = rt_find_aggregate_end((uintptr_t)map->host[head + 1], map->size[head + 1]);
        cached[at].pc = pc;
        cached[at].head = head;
        cached[at].bytes = end > start ? end - start : 0;
    }
    return cached[at].bytes;
}

/* Returns the size of device memory for the aggregate of the STRUCT entry `head`. That is its size by debug information
 * if it covers all members whose entries follow; otherwise the bytes up to the end of the last member, plus
 * FRAME_CAPACITY. */
static uint64_t get_aggregate_capacity(const struct entries *map, size_t head)
{
    uintptr_t start = (uintptr_t)map->host[head], end = start;
    if (head + 1 == map->n)
        return FRAME_CAPACITY;
    for (size_t i = head + 1; i <= head + map->size[head] && i < map->n; i++)
        if ((uintptr_t)map->host[i] + map->size[i] > end)
            end = (uintptr_t)map->host[i] + map->size[i];
    uint64_t aggregate_size = aggregate_bytes(map, head);
    return aggregate_size > end - start ? aggregate_size : end - start + FRAME_CAPACITY;
}

/* Returns true if entry i is a pointer to a section of zero length. */
static bool points_to_empty_section(const struct entries *map, size_t i)
{
    const unsigned kind = rt_get_entry_kind(map, i);
    return kind == ATTACH_ZERO_LENGTH || kind == POINTER_TO_ZERO_LENGTH ||
           (kind == ALWAYS_POINTER && i && rt_get_entry_kind(map, i - 1) == ZERO_LENGTH && map->host[i - 1]);
}

/* Lowers entry i, a pointer that must not be NULL: its section begins at the pointer's value plus the entry's bias.
 * action, flags: those of an item for the pointer alone, see map_entry.h. */
static void lower_pointer(const struct entries *map, size_t i, struct rt_items *items, accd_action action,
                          uint16_t flags)
{
    assert(map->host[i]);
    const bool is_empty = action == ACCD_ACTION_ATTACH && map->target && points_to_empty_section(map, i);
    const void *slot = map->host[i];
    rt_lower_pointer(items, action, slot, (const void *)(rt_load_word(slot) + map->size[i]), is_empty, flags);
}

/* Returns true if entry i is an implicit map: no clause names the data. If they are partly present, such a map must use
 * the present part and map nothing (OMP60-map-12). */
static bool is_implicit(const struct entries *map, size_t i)
{
    return (map->kind[i] & IMPLICIT) == IMPLICIT;
}

/* Returns the item flags for entry i that the modifiers `always` (OMP60-map-5) and `always, present` (OMP60-map-9) of
 * OpenMP add; 0: the entry has neither. */
static uint16_t get_always_flags(const struct entries *map, size_t i)
{
    const unsigned kind = rt_get_entry_kind(map, i), modifier = (map->kind[i] & 0xff) - kind;
    if (modifier != ALWAYS && modifier != ALWAYS_PRESENT)
        return 0;
    return (kind & TO ? ACCD_ITEM_ALWAYS_IN : 0) | (kind & FROM ? ACCD_ITEM_ALWAYS_OUT : 0) |
           (modifier == ALWAYS_PRESENT ? ACCD_ITEM_REQUIRE_PRESENT : 0);
}

/* Returns the action of the item for data of an entry of this kind, when a directive begins a construct or enters data.
 * ACCD_ACTION_COUNT: entries of this kind are no data, such as pointers and STRUCT. */
static accd_action entry_action(unsigned kind)
{
    switch (kind) {
    case ALLOC:
    case DEVICE_RESIDENT:
    case LINK:
        return ACCD_ACTION_CREATE;
    case TO:
    case TO_PSET:
    case DEVICEPTR:
    case FIRSTPRIVATE:
        return ACCD_ACTION_COPYIN;
    case FROM:
        return ACCD_ACTION_COPYOUT;
    case TOFROM:
        return ACCD_ACTION_COPY;
    case PRESENT:
        return ACCD_ACTION_PRESENT;
    case IF_PRESENT:
        return ACCD_ACTION_NO_CREATE;
    default:
        return ACCD_ACTION_COUNT;
    }
}

/* Inserts a piece (part of a structure that a clause names) of `bytes` bytes at `host`, with `action`, into the array
 * of n pieces. The array is sorted by address and must have space. Stores the host address as the piece's offset. Does
 * nothing if another piece covers the byte at `host`. Returns the new number of pieces. */
static size_t add_piece(accd_piece *pieces, size_t n, const void *host, uint64_t bytes, accd_action action)
{
    assert(bytes > 0);
    const uintptr_t at = (uintptr_t)host;
    size_t k = n;
    while (k && pieces[k - 1].offset > at)
        k--;
    if (k && at - pieces[k - 1].offset < pieces[k - 1].bytes)
        return n;
    memmove(&pieces[k + 1], &pieces[k], (n - k) * sizeof *pieces);
    pieces[k].offset = at;
    pieces[k].bytes = bytes;
    pieces[k].action = (uint8_t)action;
    return n + 1;
}

/* Returns true if entry i attaches a pointer (ATTACH, ATTACH_ZERO_LENGTH) whose bytes no entry of data maps. */
static bool is_attached_alone(const struct entries *map, size_t i)
{
    const unsigned kind = rt_get_entry_kind(map, i);
    bool is_only_attached = kind == ATTACH || kind == ATTACH_ZERO_LENGTH;
    for (size_t k = 0; k < map->n && is_only_attached; k++)
        is_only_attached =
            entry_action(rt_get_entry_kind(map, k)) == ACCD_ACTION_COUNT || !is_in_entry(map, k, map->host[i]);
    return is_only_attached;
}

/* Returns true if a byte between the first and the last of n pieces is present; n must not be 0. */
static bool is_any_present(const accd_piece *pieces, size_t n)
{
    assert(n > 0 && pieces[0].offset <= pieces[n - 1].offset);
    const uint64_t low = pieces[0].offset, bytes = pieces[n - 1].offset + pieces[n - 1].bytes - low;
    return accd_get_presence(rt.context, rt_this_thread.device, (const void *)(uintptr_t)low, bytes) !=
           ACCD_PRESENCE_NONE;
}

/* Appends one item for the members of the STRUCT entry `head` in an OpenMP directive: the range from the first named
 * member to the last. Each member requests its own bytes of this range (OMP60-map-5, OMP60-map-13). If no byte of the
 * range is present, a target construct also maps the base pointers of sections in the structure (OMPEX-struct_map-3,
 * OMPEX-struct_map-13), which the compiler only attaches. Ends the program without memory. */
static void add_structure(const struct entries *map, size_t head, struct rt_items *items)
{
    assert(map->target && rt_get_entry_kind(map, head) == STRUCT);
    /* zero-filled, because cached pieces are compared as bytes, padding included */
    accd_piece *pieces = calloc(map->n + 1, sizeof *pieces);
    const uint64_t aggregate_size = aggregate_bytes(map, head),
                   capacity = aggregate_size ? aggregate_size : FRAME_CAPACITY;
    size_t n = 0;
    if (!pieces)
        rt_fatal("out-of-memory", "no memory for a structure of %zu members", map->size[head]);
    for (size_t i = head + 1; i <= head + map->size[head] && i < map->n; i++) {
        const accd_action action = entry_action(rt_get_entry_kind(map, i));
        if (action != ACCD_ACTION_COUNT && map->size[i])
            n = add_piece(pieces, n, map->host[i], map->size[i], action);
    }
    const bool grows = n && map->region && !is_any_present(pieces, n);
    for (size_t i = 0; grows && i < map->n; i++)
        if ((uintptr_t)map->host[i] - (uintptr_t)map->host[head] < capacity && is_attached_alone(map, i))
            n = add_piece(pieces, n, map->host[i], sizeof(void *), ACCD_ACTION_CREATE);
    const uintptr_t low = n ? pieces[0].offset : 0, high = n ? pieces[n - 1].offset + pieces[n - 1].bytes : 0;
    for (size_t i = 0; i < n; i++)
        pieces[i].offset -= low;
    if (n)
        rt_lower_entry(items,
                       &(struct map_entry){.kind = MAP_DATA,
                                           .action = n > 1 ? ACCD_ACTION_CREATE : pieces[0].action,
                                           .host = (const void *)low,
                                           .bytes = high - low,
                                           .frame = aggregate_size ? map->host[head] : NULL,
                                           .frame_bytes = aggregate_size,
                                           .program = n > 1 ? rt_get_struct_program(high - low, pieces, n) : NULL});
    if (n < 2)
        free(pieces);
}

/* Ends the program with a report, because the compiler passes an entry of the unknown kind `kind`. */
static _Noreturn void reject_kind(unsigned kind)
{
    rt_reject_unknown_abi(rt.site, "passes an entry of kind 0x%02x", kind);
}

/* Returns true if the `bytes` bytes at `host` can be read. They are tested only if they may be a removed copy of a
 * private scalar (rt_may_be_unset_copy): at most 16 bytes, neither static nor near the stack pointer. */
static bool is_readable_scalar(const void *host, size_t bytes)
{
    char scalar[RT_PRIVATE_SCALAR_MAX];
    return !rt_may_be_unset_copy(host, bytes) ||
           (rt.options.strict ? rt_peek_protected : rt_peek_memory)((uintptr_t)host, scalar, bytes);
}

/* Sets the addresses of unreadable TO entries to NULL: gcc has removed the copy of a private scalar that the region
 * sets before use. Entries for which debug information has a name keep their address, because there the program itself
 * passes a wrong pointer. */
static void drop_unset_copies(const struct entries *map)
{
    char name[160];
    for (size_t i = 0; i < map->n; i++)
        if (rt_get_entry_kind(map, i) == TO && map->host[i] && !is_readable_scalar(map->host[i], map->size[i]) &&
            !rt_format_name(rt.site, (uintptr_t)map->host[i], map->size[i], name, sizeof name))
            map->host[i] = NULL;
}

/* Returns true if the value of the pointer-sized `variable` is the host address of data that are present on the
 * thread's device. */
bool rt_is_pointer_variable(const struct rt_thread *self, const void *variable)
{
    return accd_device_address(rt.context, self->device, (const void *)rt_load_word(variable)) != 0;
}

/* Appends an attachment for each TO or TOFROM entry of pointer size that holds the host address of present data, if the
 * rules have the knob attach_variables. */
void rt_attach_variables(const struct rt_thread *self, const struct entries *map, struct rt_items *items)
{
    assert(!map->target && rt.context);
    const size_t n = rt.options.rules->attach_variables ? map->n : 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned kind = rt_get_entry_kind(map, i);
        const void *host = map->host[i];
        if (map->size[i] == sizeof(void *) && (kind == TO || kind == TOFROM) && host &&
            is_readable_scalar(host, sizeof(void *)) && rt_is_pointer_variable(self, host))
            rt_lower_pointer(items, ACCD_ACTION_ATTACH, host, (const void *)rt_load_word(host), false,
                             ACCD_ITEM_IF_PRESENT);
    }
}

/* Sets the slot of each item that a declared pointer points to, or to whose malloc block it points, so that the pointer
 * is attached (OMP60-map-7, ACC33-att-5). gcc passes no entry for a pointer that only functions called by the region
 * use. */
static void add_declared_pointers(struct rt_items *items)
{
    for (size_t i = 0; rt.has_declared && i < items->n; i++) {
        accd_item *item = &items->at[i];
        const bool is_section =
            item->action != ACCD_ACTION_ATTACH && item->action != ACCD_ACTION_DETACH && !item->slot && item->bytes;
        const void *pointer = is_section ? rt_find_declared_pointer(item->host, rt_is_in_block) : NULL;
        if (pointer)
            item->slot = pointer;
    }
}

/* Returns true if entry i is an absent pointer on the stack by which gfortran passes a dummy argument that `enter data`
 * or `target enter data` maps. The caller does not map such a pointer: no directive could unmap it, and other variables
 * will reuse its memory. Kernels get a pointer of their own. */
static bool is_passing_pointer(const struct entries *map, size_t i)
{
    assert(map->host[i]);
    const uintptr_t slot = (uintptr_t)map->host[i], target = rt_load_word(map->host[i]);
    const char *construct_name = rt.site->construct_name;
    bool has_target = false;
    for (size_t k = 0; k < map->n; k++) {
        const bool is_data = entry_action(rt_get_entry_kind(map, k)) != ACCD_ACTION_COUNT;
        has_target |=
            target - (uintptr_t)map->host[k] < (is_data ? map->size[k] : rt_get_entry_kind(map, k) == POINTER);
    }
    return has_target && !rt.site->declares &&
           (!strcmp(construct_name, "enter data") || !strcmp(construct_name, "target enter data")) &&
           slot >= rt.site->call.sp && slot < rt_get_stack_end(&rt_this_thread) &&
           accd_get_presence(rt.context, rt_this_thread.device, map->host[i], sizeof(void *)) == ACCD_PRESENCE_NONE;
}

/* Appends the items of a directive that begins a construct or enters data. For a compute construct of OpenACC, first
 * sets the addresses of removed private scalars to NULL. An entry of an unknown kind ends the program. */
void rt_add_entry_items(const struct entries *map, struct rt_items *items)
{
    assert(rt.site && rt.context);
    size_t head = 0, members = 0, pset = SIZE_MAX;
    uint64_t capacity = 0;
    widen_search(map, items);
    if (!map->target && rt_is_kernel_construct(rt.site->construct_name))
        drop_unset_copies(map);
    for (size_t i = 0; i < map->n; i++) {
        unsigned kind = rt_get_entry_kind(map, i);
        const void *host = map->host[i];
        size_t size = map->size[i];
        accd_action action = entry_action(kind);
        bool member = members && members--;
        /* An absent argument or null pointer maps nothing (ACC33-gloss-2). A null TO entry before a declared
         * allocatable variable means that the variable is one of declare copyin. */
        if (!host && kind != FIRSTPRIVATE_INT) {
            if (kind == TO && rt.has_declared && i + 1 < map->n)
                rt_allocatable_set_copyin(map->host[i + 1]);
            continue;
        }
        /* The entry of Fortran has the array's device address, not the host address of a pointer: no item is needed. */
        if (kind == DEVICEPTR && rt_is_device_address(host))
            continue;
        if (kind == TO_PSET) {
            pset = i;
            if (size > sizeof(void *))
                rt_lower_descriptor(items, host, size);
        }
        if (map->target && kind == FIRSTPRIVATE)
            continue;
        if (map->target && member && action != ACCD_ACTION_COUNT && !get_always_flags(map, i))
            continue; /* add_structure has made one item for all members of the structure */
        if (action != ACCD_ACTION_COUNT) {
            /* A `declare present` changes no reference count, because no call will release the data. */
            const bool is_uncounted = action == ACCD_ACTION_PRESENT && rt.site->declares;
            rt_lower_entry(items,
                           &(struct map_entry){.kind = MAP_DATA,
                                               .action = (uint8_t)rt_get_entry_action(action, host),
                                               .flags = is_uncounted ? ACCD_ITEM_UNCOUNTED : get_always_flags(map, i),
                                               .needs_whole = map->target && is_implicit(map, i),
                                               .host = host,
                                               .bytes = size,
                                               .frame = member ? map->host[head] : NULL,
                                               .frame_bytes = member ? capacity : 0});
            continue;
        }
        switch (kind) {
        case STRUCT:
            head = i;
            members = size;
            if (map->target)
                add_structure(map, head, items);
            else
                capacity = get_aggregate_capacity(map, i);
            break;
        case POINTER:
        case ALWAYS_POINTER:
        case POINTER_TO_ZERO_LENGTH:
            if (kind == POINTER && (pset == SIZE_MAX || !is_in_entry(map, pset, host)) && is_passing_pointer(map, i))
                break;
            lower_pointer(map, i, items, ACCD_ACTION_ATTACH, ACCD_ITEM_IF_PRESENT);
            if (pset == SIZE_MAX || !is_in_entry(map, pset, host))
                rt_lower_data(items, ACCD_ACTION_COPYIN, host, sizeof(void *), 0);
            break;
        case ATTACH:
        case ATTACH_ZERO_LENGTH:
            lower_pointer(map, i, items, ACCD_ACTION_ATTACH, 0);
            break;
        case ZERO_LENGTH: /* OpenMP maps the present object at that address (OMP60-map-10); OpenACC maps nothing */
            if (map->target)
                rt_lower_empty_section(items, ACCD_ACTION_CREATE, host, 0);
            break;
        case FIRSTPRIVATE_INT:
        case USE_DEVICE:
        case USE_DEVICE_IF_PRESENT:
            break;
        default:
            reject_kind(kind);
        }
    }
    add_declared_pointers(items);
}

/* Returns true if entry i is a null pointer or a Fortran descriptor of unallocated data, and absent on the thread's
 * device; exit data ignores such an entry. The entry of the data themselves, whose address is null, precedes the
 * descriptor up to gcc 13. Since gcc 14 it follows the descriptor or pointer. */
static bool is_unallocated_entry(const struct entries *map, size_t i)
{
    assert(map->host[i]);
    const unsigned kind = rt_get_entry_kind(map, i);
    const bool is_pointer = kind == POINTER || kind == ALWAYS_POINTER, is_set = kind == TO_PSET;
    const bool follows_null = i && !map->host[i - 1], precedes_null = i + 1 < map->n && !map->host[i + 1];
    const bool is_descriptor = (follows_null || precedes_null) && rt_has_descriptor_size(map->size[i]);
    const bool is_scalar = precedes_null && map->size[i] == sizeof(void *);
    return (is_pointer || is_set || is_descriptor || is_scalar) && !rt_load_word(map->host[i]) &&
           accd_get_presence(rt.context, rt_this_thread.device, map->host[i], sizeof(void *)) == ACCD_PRESENCE_NONE;
}

/* Appends the items of a directive that exits data, and sets items->finalize for clause finalize of OpenACC. Permanent
 * declared variables of OpenMP get items only with the modifier always, and their reference counts do not change.
 * Decides OMP60-tgt-1. */
void rt_add_exit_items(const struct entries *map, struct rt_items *items)
{
    assert(rt.site && rt.context);
    widen_search(map, items);
    for (size_t i = 0; i < map->n; i++) {
        unsigned raw = map->kind[i] & 0xff, kind = rt_get_entry_kind(map, i);
        const void *host = map->host[i];
        if (!host || is_unallocated_entry(map, i))
            continue;
        if (!map->target)
            items->finalize |= raw == DELETE || raw == FORCE_DETACH || raw == (FORCE | FROM);
        const bool is_permanent = map->target && rt_is_declared_permanent(host);
        if (is_permanent && !get_always_flags(map, i))
            continue;
        switch (kind) {
        case FROM:
            rt_lower_data(items, ACCD_ACTION_COPYOUT, host, map->size[i],
                          get_always_flags(map, i) | (is_permanent ? ACCD_ITEM_UNCOUNTED : 0));
            break;
        case ALLOC:
        case TO:
        case TO_PSET:
        case DELETE:
        case RELEASE:
            rt_lower_data(items, ACCD_ACTION_DELETE, host, map->size[i],
                          map->target && kind == DELETE ? ACCD_ITEM_FINALIZE : 0);
            break;
        case DETACH:
        case FORCE_DETACH:
            lower_pointer(map, i, items, ACCD_ACTION_DETACH, 0);
            break;
        case POINTER:
        case ALWAYS_POINTER: {
            lower_pointer(map, i, items, ACCD_ACTION_INHERIT, ACCD_ITEM_IF_PRESENT);
            /* True if another entry, such as that of the descriptor around the pointer, unmaps the pointer's bytes. */
            bool is_covered = false;
            for (size_t k = 0; k < i; k++)
                is_covered |= entry_action(rt_get_entry_kind(map, k)) != ACCD_ACTION_COUNT && is_in_entry(map, k, host);
            if (!is_covered)
                rt_lower_data(items, ACCD_ACTION_DELETE, host, sizeof(void *), 0);
            break;
        }
        case ZERO_LENGTH:
        case DELETE_ZERO_LENGTH: /* OpenMP unmaps the whole present object at that address; OpenACC does nothing */
            if (map->target)
                rt_lower_empty_section(items, ACCD_ACTION_DELETE, host,
                                       kind == DELETE_ZERO_LENGTH ? ACCD_ITEM_FINALIZE : 0);
            break;
        case STRUCT:
            break;
        default:
            reject_kind(kind);
        }
    }
    add_declared_pointers(items);
}

/* Appends the items of an update. */
void rt_add_update_items(const struct entries *map, struct rt_items *items)
{
    assert(rt.site && rt.context);
    for (size_t i = 0; i < map->n; i++) {
        unsigned raw = map->kind[i] & 0xff, kind = rt_get_entry_kind(map, i);
        if (!map->host[i])
            continue;
        switch (kind) {
        case TO:
        case FROM:
            rt_lower_data(items, kind == TO ? ACCD_ACTION_UPDATE_DEVICE : ACCD_ACTION_UPDATE_SELF, map->host[i],
                          map->size[i],
                          raw - kind == ALWAYS_PRESENT ? ACCD_ITEM_REQUIRE_PRESENT
                          : raw & FORCE                ? 0
                                                       : ACCD_ITEM_IF_PRESENT);
            break;
        case POINTER: /* an update does not change pointers, so these entries make no items */
        case ALWAYS_POINTER:
        case TO_PSET:
        case ZERO_LENGTH:
            break;
        default:
            reject_kind(kind);
        }
    }
}

/* Makes items of the entries by `convert`, and runs a construct of `kind` with them. Returns its region; NULL: none is
 * open. Failure ends the program. */
accd_region *rt_run_entries(struct rt_thread *self, accd_construct_kind kind, const struct entries *map,
                            entry_items_of *convert)
{
    assert(map && convert);
    struct rt_items items;
    rt_items_init(&items, map->n);
    convert(map, &items);
    accd_region *region = rt_run_items(self, kind, RT_NEEDS_CHECK, &items);
    rt_items_free(&items);
    return region;
}

/* Returns true if an entry of this kind is a pointer whose device copy is attached to data. The size column then has
 * the bias: the bytes from the pointer's value to the start of its section. */
static bool is_pointer_entry(unsigned kind)
{
    return kind == POINTER || kind == ALWAYS_POINTER || kind == POINTER_TO_ZERO_LENGTH || kind == ATTACH ||
           kind == ATTACH_ZERO_LENGTH;
}

/* Returns true if a later entry is a pointer to the data of entry i, as gfortran passes for arrays: then the region
 * reaches the data through this pointer. */
static bool has_pointer(const struct entries *map, size_t i)
{
    for (size_t k = i + 1; k < map->n; k++)
        if (map->host[k] && is_pointer_entry(rt_get_entry_kind(map, k)) &&
            rt_load_word(map->host[k]) + map->size[k] == (uintptr_t)map->host[i])
            return true;
    return false;
}

/* Reports each entry of data that is only a part of a link variable. Not reported: parts to which a later entry is a
 * pointer, and parts of variables whose address `code` may use. */
void rt_report_link_sections(const struct entries *map, const void *code)
{
    char name[160];
    struct rt_range variable;
    for (size_t i = 0; rt.has_declared && i < map->n; i++) {
        if (entry_action(rt_get_entry_kind(map, i)) == ACCD_ACTION_COUNT ||
            !rt_is_part_of_link_variable(map->host[i], map->size[i], &variable) || has_pointer(map, i) ||
            rt_code_references(code, variable.start, variable.bytes))
            continue;
        rt_format_name(rt.site, (uintptr_t)map->host[i], map->size[i], name, sizeof name);
        rt_emit_diagnostic(&(struct rt_diagnostic){.level = "note",
                                                   .code = "unsupported",
                                                   .pc = rt.site->call.pc,
                                                   .object = name,
                                                   .help = "map all of the variable"},
                           "gcc gives this region an array of its own, without values, in place of the array of %s: "
                           "only functions that the region calls use the mapped data",
                           name);
    }
}

/* Returns the kernel's argument for entry i, by the kind of the entry. */
void *rt_get_kernel_argument(const struct rt_thread *self, const struct entries *map, size_t i)
{
    assert(i < map->n);
    const unsigned kind = rt_get_entry_kind(map, i);
    void *host = map->host[i], *device = NULL;
    if (!host || kind == FIRSTPRIVATE_INT || rt_is_declared(host))
        return host; /* declared variables keep their address: around kernels their bytes are swapped with the device's
                      */
    /* The aggregate's start itself may be absent, so its device address is computed from that of the first member. */
    if (kind == STRUCT) {
        const char *first = i + 1 < map->n ? map->host[i + 1] : NULL;
        device = first ? rt_find_device_address(self, first) : NULL;
        device = device ? (char *)device - (first - (char *)host) : NULL;
    } else if (map->target && kind == ZERO_LENGTH) {
        return rt_find_section_argument(self, host, host);
    } else if (kind != ATTACH && !(map->target && kind == FIRSTPRIVATE)) {
        device = rt_find_data_argument(self, host, map->size[i], is_implicit(map, i), host);
    }
    return device ? device : host; /* absent data of no_create get the host's address */
}

/* Ends the program with a report, because the data at `host`, which clause use_device names, are absent on the thread's
 * device. */
static _Noreturn void refuse_absent(const struct rt_thread *self, const void *host)
{
    char name[160];
    rt_format_name(rt.site, (uintptr_t)host, 0, name, sizeof name);
    rt_fatal_about("not-present", name, "use_device needs present data, but %s is not present on device %d", name,
                   self->device);
}

/* Replaces the addresses in entries of host_data, use_device_ptr and use_device_addr by device addresses. */
void rt_translate_addresses(const struct rt_thread *self, const struct entries *map)
{
    assert(rt.site && rt.context);
    for (size_t i = 0; i < map->n; i++) {
        const unsigned kind = rt_get_entry_kind(map, i);
        if ((kind != USE_DEVICE && kind != USE_DEVICE_IF_PRESENT) || !map->host[i])
            continue;
        void *device = rt_find_device_address(self, map->host[i]);
        RT_CALL_HOOKS(expose, (uintptr_t)device);
        if (device)
            map->host[i] = device;
        else if (kind == USE_DEVICE && !map->target)
            refuse_absent(self, map->host[i]);
    }
}
