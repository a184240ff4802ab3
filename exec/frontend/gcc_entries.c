/* gcc_entries.c - turns the entries of a gcc directive into the items of one construct. Called by gcc_acc.c and
 * gcc_omp.c with the lock held; iterators are already expanded.
 *
 * An entry of data becomes one item (a host range with an action). A pointer's entry follows the entry of the section
 * that it points to. It becomes that item's slot (the address of the pointer to attach), or an item that only attaches
 * the pointer. A STRUCT entry precedes the entries of an aggregate's members. In OpenACC each member is an item within
 * a common frame (the host range of the aggregate, for which the device gets one block of memory). In OpenMP all
 * members are one item with a mapping program, which says which bytes are mapped:
 *
 *      entries:  STRUCT s (2) | s.p | s.n | section p[0:n] | ATTACH s.p
 *      OpenMP:   item [s.p .. s.n] with program         item p[0:n], slot &s.p
 *      OpenACC:  items s.p, s.n in the frame of s       item p[0:n], slot &s.p */
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
#include "rt/lifecycle.h"
#include "gcc_fast_path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of device memory reserved after the last named member of an aggregate, for members that later directives name.
 * Used only if debug information does not give the size of the aggregate, which the compiler does not pass. */
enum { FRAME_CAPACITY = 4096 };

/* Sets ACCD_ITEM_BASE_POINTER in the items that map or unmap the base pointer or the Fortran descriptor at `slot`,
 * which the compiler adds to a section. Rule profiles differ in whether such an item changes the reference counts of
 * present data that contain the pointer. */
static void mark_pointer(struct rt_items *items, const void *slot)
{
    for (size_t i = 0; i < items->n; i++) {
        accd_item *item = &items->at[i];
        bool pointer = item->bytes == sizeof(void *) && item->action == ACCD_ACTION_CREATE;
        bool is_unmapped = item->bytes == sizeof(void *) && item->action == ACCD_ACTION_DELETE;
        if (item->host == slot && (pointer || is_unmapped || rt_is_descriptor_size(slot, item->bytes)))
            item->flags |= ACCD_ITEM_BASE_POINTER;
    }
}

/* Adds the pointer at `slot` to the items. Its section begins at the pointer's value plus `bias`. If one of the last
 * items is that section, the pointer becomes the item's slot. Otherwise a new item with `action` (attach or detach) and
 * `flags` is appended for the pointer alone. */
static void add_pointer(struct rt_items *items, accd_action action, const void *slot, size_t bias, uint16_t flags)
{
    assert(slot);
    accd_item *section = rt_find_pointed_section(items, slot, bias);
    if (section) {
        section->slot = slot;
        /* pointers of members are not marked, because their aggregate may be present */
        if (!(flags & ACCD_ITEM_IF_PRESENT))
            mark_pointer(items, slot);
        return;
    }
    /* A null pointer has no section yet, or no longer; the compiler's item for the pointer is a base pointer all the
     * same. */
    if (!(flags & ACCD_ITEM_IF_PRESENT) && !rt_load_word(slot))
        mark_pointer(items, slot);
    accd_item *item = rt_add_item(items, action, slot, sizeof(void *));
    item->slot = slot;
    item->flags = flags;
}

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

/* Returns the host address of a zero-length section if entry i is the pointer to one; NULL for any other entry. */
static const void *get_empty_section(const struct entries *map, size_t i)
{
    const unsigned kind = rt_get_entry_kind(map, i);
    if ((kind == ATTACH_ZERO_LENGTH || kind == POINTER_TO_ZERO_LENGTH) && map->host[i])
        return (const void *)(rt_load_word(map->host[i]) + map->size[i]);
    return kind == ALWAYS_POINTER && i && rt_get_entry_kind(map, i - 1) == ZERO_LENGTH ? map->host[i - 1] : NULL;
}

/* Returns true if entry i is an implicit map (no clause names the data) of data that are partly present. Such a map
 * must use the present part and map nothing (OMP60-map-12). */
static bool is_partly_present(const struct entries *map, size_t i)
{
    return (map->kind[i] & IMPLICIT) == IMPLICIT && rt_is_partly_present(&rt_this_thread, map->host[i], map->size[i]);
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
    if (n) {
        accd_item *item =
            rt_add_item(items, n > 1 ? ACCD_ACTION_CREATE : pieces[0].action, (const void *)low, high - low);
        item->frame_bytes = aggregate_bytes(map, head);
        item->frame = item->frame_bytes ? map->host[head] : NULL;
        if (n > 1) {
            item->program = rt_get_struct_program(high - low, pieces, n);
            rt_add_label_layout(item);
        }
    }
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
    const size_t n = rt.options.rules->attach_variables ? map->n : 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned kind = rt_get_entry_kind(map, i);
        const void *host = map->host[i];
        if (map->size[i] == sizeof(void *) && (kind == TO || kind == TOFROM) && host &&
            is_readable_scalar(host, sizeof(void *)) && rt_is_pointer_variable(self, host))
            add_pointer(items, ACCD_ACTION_ATTACH, host, 0, ACCD_ITEM_IF_PRESENT);
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
            items->descriptors = true;
        }
        if ((action == ACCD_ACTION_COPY || action == ACCD_ACTION_COPYOUT) && rt_is_constant(host))
            /* Data in read-only memory, such as virtual tables and typeinfo, cannot be copied back. */
            action = action == ACCD_ACTION_COPY ? ACCD_ACTION_COPYIN : ACCD_ACTION_CREATE;
        if (map->target && (kind == FIRSTPRIVATE || is_partly_present(map, i)))
            continue;
        if (map->target && member && action != ACCD_ACTION_COUNT && !get_always_flags(map, i))
            continue; /* add_structure has made one item for all members of the structure */
        if (action != ACCD_ACTION_COUNT) {
            accd_item *item = rt_add_item(items, action, host, size);
            item->flags = get_always_flags(map, i);
            /* A `declare present` changes no reference count, because no call will release the data. */
            if (action == ACCD_ACTION_PRESENT && rt.site->declares)
                item->flags = ACCD_ITEM_UNCOUNTED;
            if (member) {
                item->frame = map->host[head];
                item->frame_bytes = capacity;
            }
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
            add_pointer(items, ACCD_ACTION_ATTACH, host, size, ACCD_ITEM_IF_PRESENT);
            items->nulls |= map->target && get_empty_section(map, i);
            if (pset == SIZE_MAX || !is_in_entry(map, pset, host))
                rt_add_item(items, ACCD_ACTION_COPYIN, host, sizeof(void *));
            break;
        case ATTACH:
        case ATTACH_ZERO_LENGTH:
            add_pointer(items, ACCD_ACTION_ATTACH, host, size, 0);
            items->nulls |= map->target && get_empty_section(map, i);
            break;
        case ZERO_LENGTH: /* OpenMP maps the present object at that address (OMP60-map-10); OpenACC maps nothing */
            if (map->target)
                rt_add_present_item(items, ACCD_ACTION_CREATE, host, 0);
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
            rt_add_item(items, ACCD_ACTION_COPYOUT, host, map->size[i])->flags =
                get_always_flags(map, i) | (is_permanent ? ACCD_ITEM_UNCOUNTED : 0);
            break;
        case ALLOC:
        case TO:
        case TO_PSET:
        case DELETE:
        case RELEASE:
            rt_add_item(items, ACCD_ACTION_DELETE, host, map->size[i])->flags =
                map->target && kind == DELETE ? ACCD_ITEM_FINALIZE : 0;
            break;
        case DETACH:
        case FORCE_DETACH:
            add_pointer(items, ACCD_ACTION_DETACH, host, map->size[i], 0);
            break;
        case POINTER:
        case ALWAYS_POINTER: {
            accd_item *section = rt_find_pointed_section(items, host, map->size[i]);
            if (section)
                section->slot = host;
            /* True if another entry, such as that of the descriptor around the pointer, unmaps the pointer's bytes. */
            bool is_covered = false;
            for (size_t k = 0; k < i; k++)
                is_covered |= entry_action(rt_get_entry_kind(map, k)) != ACCD_ACTION_COUNT && is_in_entry(map, k, host);
            if (!is_covered)
                rt_add_item(items, ACCD_ACTION_DELETE, host, sizeof(void *));
            break;
        }
        case ZERO_LENGTH:
        case DELETE_ZERO_LENGTH: /* OpenMP unmaps the whole present object at that address; OpenACC does nothing */
            if (map->target)
                rt_add_present_item(items, ACCD_ACTION_DELETE, host,
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
    for (size_t i = 0; i < map->n; i++) {
        unsigned raw = map->kind[i] & 0xff, kind = rt_get_entry_kind(map, i);
        if (!map->host[i])
            continue;
        switch (kind) {
        case TO:
        case FROM: {
            accd_item *item = rt_add_item(items, kind == TO ? ACCD_ACTION_UPDATE_DEVICE : ACCD_ACTION_UPDATE_SELF,
                                          map->host[i], map->size[i]);
            item->flags = raw - kind == ALWAYS_PRESENT ? ACCD_ITEM_REQUIRE_PRESENT
                          : raw & FORCE                ? 0
                                                       : ACCD_ITEM_IF_PRESENT;
            break;
        }
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

/* Returns true if an entry of this kind is a pointer whose device copy is attached to data. The size column then has
 * the bias: the bytes from the pointer's value to the start of its section. */
static bool is_pointer_entry(unsigned kind)
{
    return kind == POINTER || kind == ALWAYS_POINTER || kind == POINTER_TO_ZERO_LENGTH || kind == ATTACH ||
           kind == ATTACH_ZERO_LENGTH;
}

/* Returns true if the device copy, at `device`, of the descriptor of entry i points to the device copy of the host
 * descriptor's data. False if it does not, because a kernel may have changed it: the caller then keeps the device's
 * bounds. Also false if the data are absent, or if no later entry attaches the descriptor's pointer. */
static bool points_to_attached_data(const struct rt_thread *self, const struct entries *map, size_t i, uint64_t device)
{
    assert(rt_get_entry_kind(map, i) == TO_PSET);
    size_t k = i + 1;
    while (k < map->n && !(map->host[k] == map->host[i] && is_pointer_entry(rt_get_entry_kind(map, k))))
        k++;
    if (k == map->n)
        return false;
    const uintptr_t target = rt_load_word(map->host[i]), data = target + map->size[k];
    const uint64_t dev_address = accd_device_address(rt.context, self->device, (const void *)data);
    return dev_address && rt_load_word((const void *)(uintptr_t)device) - target == dev_address - data;
}

/* Copies the bounds of each Fortran descriptor among the entries to its device copy, if they differ and the device copy
 * points to the device copy of the data. */
void rt_refresh_descriptors(const struct rt_thread *self, const struct entries *map)
{
    const size_t pointer = sizeof(void *);
    for (size_t i = 0; i < map->n; i++) {
        const char *host = map->host[i];
        if (rt_get_entry_kind(map, i) != TO_PSET || !host || map->size[i] <= pointer)
            continue;
        uint64_t device = accd_device_address(rt.context, self->device, host);
        size_t rest = map->size[i] - pointer;
        if (device && points_to_attached_data(self, map, i, device) &&
            memcmp(host + pointer, (const char *)(uintptr_t)device + pointer, rest) != 0)
            rt_write_device(self->device, device + pointer, host + pointer, rest);
    }
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
    uint64_t low, high;
    if (!host || kind == FIRSTPRIVATE_INT || rt_is_declared(host))
        return host; /* declared variables keep their address: around kernels their bytes are swapped with the device's
                      */
    /* The aggregate's start itself may be absent, so its device address is computed from that of the first member. */
    if (kind == STRUCT) {
        const char *first = i + 1 < map->n ? map->host[i + 1] : NULL;
        device = first ? rt_find_device_address(self, first) : NULL;
        device = device ? (char *)device - (first - (char *)host) : NULL;
        /* A zero-length section gives the device address of the present object that contains `host` (OMP60-map-10). */
    } else if (map->target && kind == ZERO_LENGTH) {
        const uint64_t match = accd_matching_address(rt.context, self->device, host, &low, &high);
        if (match && match != high)
            return (void *)(uintptr_t)match;
        return rt.options.null_unmatched || rt_is_code(host) ? host : NULL;
    } else if (kind != ATTACH && !(map->target && kind == FIRSTPRIVATE)) {
        device = rt_find_device_address(self, host);
        if (!device && (map->kind[i] & IMPLICIT) == IMPLICIT)
            device = rt_find_partly_present_address(self, host, map->size[i]);
    }
    return device ? device : host; /* absent data of no_create get the host's address */
}

/* Writes the present device copies of pointers to zero-length sections whose data are absent: makes them null, or, with
 * `restore`, copies the host's pointer to those that are null. */
void rt_sync_null_pointers(const struct rt_thread *self, const struct entries *map, bool restore)
{
    const void *const null = NULL;
    for (size_t i = 0; i < map->n; i++) {
        const void *target = get_empty_section(map, i);
        const uint64_t slot = target ? accd_device_address(rt.context, self->device, map->host[i]) : 0;
        if (!slot || rt_find_device_address(self, target) || (restore && rt_load_word((const void *)(uintptr_t)slot)))
            continue;
        if (!restore)
            RT_CALL_HOOKS(store_null, self->device, map->host[i]);
        rt_write_device(self->device, slot, restore ? map->host[i] : &null, sizeof null);
    }
}
