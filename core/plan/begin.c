/* begin.c - the start of a plan: makes requests of the items of a construct, checks that their memory may be read, and
 * walks their mapping programs (plan.h explains the words). Input: an accd_construct. Output: plan->input, and
 * plan->resolved.requests with one request for each item, most of them unresolved. Entries, exits and updates in
 * core/ops call it. */
#include "accdeep_checkpoints.h"
#include "accdeep_queues.h"
#include "plan/inside.h"
#include "table/find.h"

#include <assert.h>
#include <stdio.h>

/* Returns an error if the host range of the non-empty `item` of `request` does not fit into memory. Also returns an
 * error if that range may not be read although a walk or a move will need it. The knob `null_pointer` decides on a null
 * address: an error, or the request becomes SKIPPED. */
static accd_status check_item_memory(const struct accd__plan *plan, struct accd__request *request,
                                     const accd_item *item)
{
    assert(request->bytes && item);
    accd_context *context = plan->context;
    const struct accd__action_traits *demand = &accd__traits_of_action[request->action];
    if (!request->host) {
        if (context->rules.null_pointer == ACCD_CHOICE_REJECT)
            return accd__report_request_error(plan, request, NULL, ACCD_ERROR_NULL_POINTER, R_NULL,
                                              ACCD_NAME_PLACEHOLDER " has %llu byte%s, but its base is a null pointer",
                                              (unsigned long long)request->bytes, request->bytes == 1 ? "" : "s");
        request->state = ACCD_REQUEST_SKIPPED;
        return ACCD_OK;
    }
    if (request->host + request->bytes < request->host || request->bytes >> (ACCD_SIZE_BITS - 1))
        return accd__report_request_error(plan, request, NULL, ACCD_ERROR_INVALID_SECTION, R_SECTION,
                                          ACCD_NAME_PLACEHOLDER " does not fit into memory");
    bool reads_memory = demand->in || demand->out || demand->creates || item->program;
    if (!context->config.check_host || !reads_memory ||
        accd__is_live_host_range(context, request->host, request->bytes))
        return ACCD_OK;
    if (accd_device_at(context, request->host) >= 0)
        return accd__report_request_error(plan, request, NULL, ACCD_ERROR_DEVICE_POINTER_ON_HOST, R_HOST_BOUNDS,
                                          "the base of " ACCD_NAME_PLACEHOLDER " is a device address");
    accd_host_range host_range;
    const bool has_host_range = accd_host_at(context, accd__pointer(request->host), &host_range);
    accd_status status = accd__report_request_error(plan, request, NULL, ACCD_ERROR_OUT_OF_BOUNDS, R_HOST_BOUNDS,
                                                    has_host_range && !host_range.live
                                                        ? "the host memory of " ACCD_NAME_PLACEHOLDER " was freed"
                                                        : ACCD_NAME_PLACEHOLDER " does not lie in live host memory");
    if (has_host_range)
        context->error.other = host_range.info;
    return status;
}

/* True if the data of `request` are at address 0, its slot is readable and contains a null pointer, the knob
 * `null_pointer` is `ignore`, and the construct is no update. The data then count as present with length zero, so that
 * the clause acts on the pointer only (ACC33-att-4). Decides ACC33-gloss-2, ACC33-2.7-2. */
static bool is_null_section(const struct accd__plan *plan, const struct accd__request *request)
{
    return !request->host && request->slot && plan->context->rules.null_pointer == ACCD_CHOICE_IGNORE &&
           plan->input.construct->kind != ACCD_KIND_UPDATE &&
           accd__is_host_accessible(plan->context, request->slot, sizeof(void *)) && !accd__load_pointer(request->slot);
}

/* Resolves a request for a section without elements. With the knob `counting` = `clauses`, or if no object is at its
 * address, the request becomes SKIPPED. Otherwise it becomes PRESENT with that object; having no bytes, it moves
 * nothing. Fails only without memory. Decides TR14-4.3-14, OMP60-map-10. */
static __attribute__((noinline)) accd_status resolve_empty_section(const struct accd__plan *plan,
                                                                   struct accd__request *request)
{
    assert(!request->bytes);
    struct accd__object *object = NULL;
    if (plan->context->rules.counting != ACCD_COUNT_CLAUSES && request->host)
        ACCD_TRY(accd__find_object(plan->env, request->host, &object));
    request->state = object ? ACCD_REQUEST_PRESENT : ACCD_REQUEST_SKIPPED;
    request->object = object;
    return ACCD_OK;
}

/* Walks the items of the construct, and sets plan->input.walk to the sections found. Returns an error if a section
 * cannot be computed, or without memory. Not inlined, so that the code for flat data (without mapping programs) stays
 * short. */
static __attribute__((noinline)) accd_status walk_construct(struct accd__plan *plan)
{
    struct accd_walk *before = accd__find_similar_walk(plan->env, plan->input.construct);
    if (before)
        accd__walk_retain(before); /* keeps the walk alive: lack of memory may free the retired group that owns it */
    accd_status status = accd__walk_items(plan->context, plan->input.construct, before, &plan->input.walk);
    accd__walk_release(before);
    return status;
}

/* Initializes `plan`: makes a request and a source for each item in order, checks descriptors, empty sections and host
 * memory, and walks the mapping programs. Sets plan->input, plan->resolved.requests, and the capacity of
 * plan->changes.moves. Returns the first error that the rules or checks find, or fails without memory. */
accd_status accd__plan_begin(struct accd__plan *plan, struct accd__device_env *env, const accd_construct *construct)
{
    assert(env && construct && (construct->items || !construct->nitems));
    accd_context *context = env->context;
    size_t n = construct->nitems;
    *plan = (struct accd__plan){.context = context,
                                .env = env,
                                .input = {.construct = construct, .queue = accd__get_queue(env, construct->queue)}};
    plan->resolved.requests =
        accd__scratch_alloc(&context->scratch, n * (sizeof plan->resolved.requests[0] + sizeof plan->input.sources[0] +
                                                    sizeof plan->changes.moves.at[0]));
    if (!plan->resolved.requests)
        return accd__report_plan_out_of_memory(context);
    plan->input.sources = (struct accd__item_source *)(plan->resolved.requests + n);
    plan->changes.moves.at = (struct accd__move *)(plan->input.sources + n);
    plan->changes.moves.capacity =
        /* an item without mapping program needs one move, so that the list does not grow for constructs of such
         * items */
        n;
    int walked = 0;
    unsigned gaps = 0;
    for (size_t i = 0; i < n; i++) {
        const accd_item *item = &construct->items[i];
        plan->input.sources[i] = (struct accd__item_source){
            .label = item->label,
            .host = accd__address(item->host),
            .bytes = item->bytes,
            .start = item->start,
            .slot_bytes = item->slot_bytes,
            .base = context->rules.extended_range ? accd__address(item->frame ? item->frame : item->base) : 0,
            .root = accd__item_has_elements(item) ? walked++ : -1,
        };
        memcpy(plan->input.sources[i].index, item->index, sizeof item->index);
        plan->input.item_flags |= item->flags;
        gaps |= item->ndims;
        plan->resolved.requests[i] = (struct accd__request){
            .host = accd__address(item->host),
            .bytes = item->bytes,
            .slot = item->flags & ACCD_ITEM_ATTACH_NEVER ? 0 : accd__address(item->slot),
            .source = (uint32_t)i,
            .action = accd__effective_action(item->action, item->flags & ACCD_ITEM_INIT, ACCD_ACTION_INHERIT),
            .flags = item->flags,
        };
    }
    plan->resolved.nrequests = plan->resolved.requests_capacity = n;
    if (plan->input.item_flags & ACCD_ITEM_REQUIRE_PRESENT)
        ACCD_TRY(accd__plan_check_required(plan, 0)); /* here, because the rules test `present` before anything else */
    for (size_t i = 0; i < n; i++) {
        struct accd__request *request = &plan->resolved.requests[i];
        if (plan->input.sources[i].slot_bytes % sizeof(void *) ||
            plan->input.sources[i].slot_bytes > ACCD_MAX_SLOT_BYTES)
            return accd__report_request_error(plan, request, NULL, ACCD_ERROR_MISUSE, R_MISUSE,
                                              "the descriptor of " ACCD_NAME_PLACEHOLDER " has %u bytes, as none has",
                                              plan->input.sources[i].slot_bytes);
        if (request->action == ACCD_ACTION_ATTACH || request->action == ACCD_ACTION_DETACH)
            continue;
        if (is_null_section(plan, request))
            request->action = construct->kind == ACCD_KIND_EXIT_DATA ? ACCD_ACTION_DETACH : ACCD_ACTION_ATTACH;
        else if (!request->bytes)
            ACCD_TRY(resolve_empty_section(plan, request));
        else
            ACCD_TRY(check_item_memory(plan, request, &construct->items[i]));
    }
    if (gaps)
        ACCD_TRY(accd__plan_item_grids(plan));
    return walked ? walk_construct(plan) : ACCD_OK;
}

/* Releases the walk of `plan`, makes records reserved for it free for other constructs, and resets the scratch space,
 * in which the plan's arrays lie. */
void accd__plan_end(struct accd__plan *plan)
{
    accd__walk_release(plan->input.walk);
    plan->input.walk = NULL;
    accd__unreserve_records(plan->env);
    accd__scratch_reset(&plan->context->scratch);
}

/* Sets *request to the request for section number `row` of `segment` (the column of sections that one field of a
 * mapping program reaches). Returns the number of requests made: 0 if the section is empty or not mapped (an embedded
 * element), otherwise 1. */
static size_t make_section_request(const struct accd__plan *plan, const struct accd__segment *segment, size_t row,
                                   struct accd__request *request)
{
    assert(segment && request);
    uint64_t bytes = accd__section_bytes(segment, row);
    if (!accd__segment_is_mapped(segment) || !bytes)
        return 0;
    size_t item = accd__segment_root(plan->input.walk, segment)->item;
    uint16_t flags =
        (plan->resolved.requests[item].flags & (ACCD_ITEM_IF_PRESENT | ACCD_ITEM_PRESENT_PART)) | segment->flags;
    *request = (struct accd__request){
        .host = segment->host[row],
        .bytes = bytes,
        .slot = flags & ACCD_ITEM_ATTACH_NEVER ? 0 : accd__section_slot(plan->input.walk, segment, row),
        .source = (uint32_t)(segment->first + row) | ACCD_SOURCE_WALKED,
        .action = segment->action,
        .flags = segment->field->in_place ? flags | ACCD_ITEM_UNCOUNTED : flags,
    };
    return 1;
}

/* Appends the requests of all walked sections element by element, in the order in which a programmer would list them.
 * Then returns an error if a section with the `present` modifier is absent, unless the construct ends a region. Fails
 * without memory. Decides TR14-1.2-05, TR14-1.2-07. */
accd_status accd__plan_add_sections(struct accd__plan *plan)
{
    assert(plan->input.walk);
    const struct accd_walk *walk = plan->input.walk;
    size_t more = 0;
    for (size_t i = 0; i < walk->nsegments; i++)
        if (accd__segment_is_mapped(&walk->segments[i]))
            more += walk->segments[i].applied;
    struct accd__request *requests;
    ACCD_SCRATCH_ALLOC(plan->context, requests, plan->resolved.nrequests + more);
    const size_t items = plan->resolved.nrequests;
    size_t n = items;
    memcpy(requests, plan->resolved.requests, n * sizeof *requests);
    for (size_t i = 0; i < walk->nrowsets; i++)
        for (size_t row = 0; row < walk->rowsets[i].rows; row++)
            for (size_t f = 0; f < walk->rowsets[i].nsegments; f++)
                n += make_section_request(plan, &walk->segments[walk->rowsets[i].segments + f], row, &requests[n]);
    plan->resolved.requests = requests;
    plan->resolved.requests_capacity = items + more;
    plan->resolved.nrequests = n;
    return plan->input.leaving ? ACCD_OK : accd__plan_check_required(plan, items);
}
