/* Failure sweeps: in scripts of constructs every step is made to fail at every host allocation,
 * every device allocation and every copy: at the n-th alone, and at all from the n-th on. After a failure
 * nothing has changed, and the step then succeeds and ends as if it had never failed. */
#include "accdeep_internal.h"
#include "../cuda/standin.h"
#include "fault_steps.h"

static void open_world(struct world *w, const char *rules, size_t least)
{
    *w = (struct world){0};
    memset(Y, 0, sizeof Y);
    memset(Z, 0, sizeof Z);
    for (int i = 0; i < LEAVES; i++) {
        Y[i].n = i % 4;
        Y[i].a = arrays[i][0];
        Y[i].b = arrays[i][1];
        for (int k = 0; k < 8; k++)
            arrays[i][k / 4][k % 4] = (float)(10 * i + k);
    }
    for (int i = 0; i < LEAVES; i++) {
        D[i].n = 4;
        point(&D[i].p, 1, arrays[i][0], 1, 4);
        D[i].p.type = 1; /* Flang's: no addendum */
        point_typed(&D[i].q, arrays[i][1], 1, &base_type);
    }
    Z[0].n = 2;
    Z[0].leaves = Y;
    Z[1].n = 3;
    Z[1].leaves = Y + 3;
    w->context = open_with(&w->meter, NULL, rules, least);
    w->leaf = leaf_program(w->context);
    accd_field field = {.offset = offsetof(struct nest, leaves),
                        .unit = sizeof(struct leaf),
                        .start = -1,
                        .code_end = 1,
                        .child = w->leaf};
    w->nest = program_of(w->context,
                         &(accd_program_spec){.stride = sizeof(struct nest),
                                              .fields = &field,
                                              .nfields = 1,
                                              .npieces = 1,
                                              .registers = 1,
                                              .pieces = &(accd_piece){.bytes = sizeof(struct nest)},
                                              .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32},
                                              .ncode = 1});
    w->context->config.descriptors = ACCD_DESCRIPTOR_FLANG;
    const accd_field fields[] = {
        {.offset = offsetof(struct cell, p), .unit = 4, .start = -1, .slot_bytes = sizeof(cfi1), .code_end = 1},
        {.offset = offsetof(struct cell, q),
         .unit = 4,
         .start = -1,
         .slot_bytes = sizeof(struct typed),
         .code_end = 1}};
    w->cell = program_of(w->context,
                         &(accd_program_spec){.stride = sizeof(struct cell),
                                              .fields = fields,
                                              .nfields = 2,
                                              .npieces = 1,
                                              .registers = 1,
                                              .pieces = &(accd_piece){.bytes = sizeof(struct cell)},
                                              .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I64},
                                              .ncode = 1});
    w->block = program_of(
        w->context,
        &(accd_program_spec){.stride = sizeof(struct leaf),
                             .pieces = (const accd_piece[]){{.bytes = 4, .action = ACCD_ACTION_COPY},
                                                            {.offset = 16, .bytes = 8, .action = ACCD_ACTION_CREATE}},
                             .npieces = 2,
                             .excluded = &(accd_member){.offset = 4, .bytes = 12},
                             .nexcluded = 1});
    w->y_block = array(w->context, "Y", sizeof(struct leaf), w->block);
    w->d = array(w->context, "D", sizeof(struct cell), w->cell);
    w->y = array(w->context, "Y", sizeof(struct leaf), w->leaf);
    w->z = array(w->context, "Z", sizeof(struct nest), w->nest);
}

static void close_world(struct world *w)
{
    accd_program_release(w->leaf);
    accd_program_release(w->nest);
    accd_program_release(w->cell);
    accd_program_release(w->block);
    accd_context_free(w->context);
    must(!w->meter.live && !w->meter.blocks && !w->meter.wrong, "nothing leaks");
}

static uint64_t host_hash(void)
{
    uint64_t hash = mix_bytes(mix_bytes(7, Y, sizeof Y), D, sizeof D);
    return mix_bytes(mix_bytes(mix_bytes(hash, Z, sizeof Z), arrays, sizeof arrays), raw, sizeof raw);
}

enum fault { HOST_MEMORY, HOST_MEMORY_ENDS, DEVICE_MEMORY, DEVICE_MEMORY_ENDS, COPY, COPIES_END, DRIVER_CALL, FAULTS };
static const struct {
    const char *name;
    accd_status status;
} faults[FAULTS] = {
    {"host allocation", ACCD_ERROR_OUT_OF_MEMORY},
    {"end of host memory", ACCD_ERROR_OUT_OF_MEMORY},
    {"device allocation", ACCD_ERROR_OUT_OF_DEVICE_MEMORY},
    {"end of device memory", ACCD_ERROR_OUT_OF_DEVICE_MEMORY},
    {"copy", ACCD_ERROR_DEVICE},
    {"end of copies", ACCD_ERROR_DEVICE},
    {"driver call", ACCD_ERROR_DEVICE},
};
/* Of so many faults of a step one is tried. */
static uint64_t sample = 1;

/* Where the driver is our stand-in, each of its calls fails once, too. */
static standin_fail_fn *fail_call;
static standin_pending_fn *call_pending;

/* A device whose allocations, or batches of copies, all fail from the n-th on. */
static const accd_backend *sound;
static uint64_t allocations_left, batches_left; /* and one; 0: none fails */

static bool is_over(uint64_t *left)
{
    *left -= *left > 1;
    return *left == 1;
}
static accd_status ending_alloc(void *device, uint64_t host, uint64_t bytes, uint64_t *dev_p)
{
    return is_over(&allocations_left) ? ACCD_ERROR_OUT_OF_DEVICE_MEMORY : sound->alloc(device, host, bytes, dev_p);
}
static accd_status ending_begin(void *device, const struct accd__traffic *traffic)
{
    return is_over(&batches_left) ? ACCD_ERROR_DEVICE : sound->begin_batch(device, traffic);
}

static void arm(struct world *w, enum fault fault, uint64_t n)
{
    struct accd__device *device = &w->context->envs[0].device;
    w->meter.fails_on = fault == HOST_MEMORY_ENDS;
    if (fault == HOST_MEMORY || fault == HOST_MEMORY_ENDS) {
        w->meter.fail_at = n;
    } else if (fault == DEVICE_MEMORY) {
        accd__inject_allocation_failure(w->context, 0, n);
    } else if (fault == COPY) {
        accd__inject_copy_failure(w->context, 0, n);
    } else if (fault == DRIVER_CALL) {
        fail_call("*", n, 0);
    } else if (n) {
        sound = device->ops;
        w->ops = *sound;
        w->ops.alloc = ending_alloc;
        w->ops.begin_batch = ending_begin;
        *(fault == COPIES_END ? &batches_left : &allocations_left) = n + 1;
        device->ops = &w->ops;
    } else {
        device->ops = sound;
        allocations_left = batches_left = 0;
    }
}

/* Looking at what is present changes what is pending: a fault is tried without it, and with it at two places. */
enum look { NEVER, BEFORE, AFTER, LOOKS };

/* One step with one fault; states: before and after each step. Returns false when the fault was not reached any
 * more. */
static bool try_fault(const char *title, const char *rules, size_t least, step *const *steps, int at, enum fault fault,
                      uint64_t n, enum look look, const struct story *states)
{
    struct world w;
    struct story state = {0};
    accd_stats before, after;
    char place[800];
    snprintf(place, sizeof place, "%s, groups from %zu: step %d, %s %d, look %d", title, least, at, faults[fault].name,
             (int)n, look);
    open_world(&w, rules, least);
    for (int i = 0; i < at; i++)
        must(steps[i](&w) == ACCD_OK, "%s: step %d", title, i);
    uint64_t digest = look == BEFORE ? accd__state_digest(w.context) : 0;
    accd_get_stats(w.context, 0, &before);
    uint64_t host = host_hash();
    arm(&w, fault, n);
    accd_status status = steps[at](&w);
    bool reached = fault <= HOST_MEMORY_ENDS ? w.meter.failed
                   : fault == DRIVER_CALL    ? !call_pending()
                                             : status != ACCD_OK;
    arm(&w, fault, 0);
    bool lost = false, torn = false; /* only what the driver does can be */
    if (status != ACCD_OK) {
        bool refused = fault == DRIVER_CALL && status == ACCD_ERROR_OUT_OF_DEVICE_MEMORY;
        const char *message = accd_context_error(w.context)->message;
        must(fault != DRIVER_CALL || strstr(message, "CUDA_ERROR_"), "%s: the driver's name for it", place);
        lost = strstr(message, "lost the device") != NULL;
        torn = lost || strstr(message, "a part of it may have arrived");
        must(refused || status == faults[fault].status, "%s: %s", place, accd_status_code(status));
        must(host_hash() == host, "%s: the host is unchanged", place);
        accd_get_stats(w.context, 0, &after);
        must(before.live_bytes == after.live_bytes && before.objects == after.objects &&
                 before.live_allocations == after.live_allocations && before.attachments == after.attachments,
             "%s: figures", place);
        if (look == BEFORE && !torn)
            must(accd__state_digest(w.context) == digest, "%s: the state is unchanged", place);
        if (look == AFTER && !torn) {
            write_state(w.context, &state);
            must(!strcmp(state.text, states[at].text), "%s: the state is as before", place);
        }
        if (look != NEVER) {
            const char *wrong = accd__check_invariants(w.context);
            must(!wrong, "%s: %s", place, wrong);
        }
        status = steps[at](&w);
        must(status == (lost ? ACCD_ERROR_DEVICE : ACCD_OK), "%s, then: %s", place,
             accd_context_error(w.context)->message);
    }
    uint64_t dev = 0;
    if (fault == DRIVER_CALL) { /* undoing a kernel may lose the device, and tells nobody at once */
        lost = lost || accd_device_alloc(w.context, 0, 16, &dev) == ACCD_ERROR_DEVICE;
        accd_device_free(w.context, 0, dev);
        status = lost ? ACCD_ERROR_DEVICE : status;
    }
    if (status == ACCD_OK && (look != NEVER || n % 3)) { /* otherwise go on with what is pending */
        const char *wrong = accd__check_invariants(w.context);
        must(!wrong, "%s: afterwards: %s", place, wrong);
        story_clear(&state);
        write_state(w.context, &state);
        must(!strcmp(state.text, states[at + 1].text), "%s: it ends as it should", place);
    }
    for (int i = at + 1; status == ACCD_OK && steps[i]; i++)
        must(steps[i](&w) == ACCD_OK, "%s: later step %d", place, i);
    const char *wrong = lost ? NULL : accd__check_invariants(w.context); /* which asks the device what groups hold */
    must(!wrong, "%s: at the end: %s", place, wrong);
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    close_world(&w);
    story_free(&state);
    return reached;
}

/* Returns how many faults were tried. */
static uint64_t sweep_one(const char *title, const char *rules, size_t least, step *const *steps)
{
    struct story states[STEPS_MOST + 1] = {{0}};
    struct world w;
    const int failed = tap_failed;
    uint64_t tried = 0;
    for (int last = 0; !last || steps[last - 1]; last++) { /* the state before and after each step, undisturbed */
        open_world(&w, rules, least);
        for (int i = 0; i < last; i++) {
            accd_status status = steps[i](&w);
            must(status == ACCD_OK, "%s: step %d: %s", title, i, accd_context_error(w.context)->message);
        }
        story_clear(&states[last]);
        write_state(w.context, &states[last]);
        close_world(&w);
    }
    for (int at = 0; steps[at]; at++)
        for (int fault = 0; fault < (fail_call ? FAULTS : DRIVER_CALL); fault++) {
            if (fail_call && (fault == DEVICE_MEMORY_ENDS || fault == COPIES_END))
                continue; /* the driver's calls tell more */
            /* a wait gives up what fails, and a level that is given up cares for no device */
            bool reached = steps[at] != wait_all && (steps[at] != give_up || fault <= HOST_MEMORY_ENDS);
            for (uint64_t n = 1; reached && n < 200; n++) {
                if ((n + (uint64_t)at + (uint64_t)fault) % sample)
                    continue;
                reached = false;
                for (int look = 0; look < LOOKS && tap_failed < failed + 5; look++)
                    if (!fail_call || n % LOOKS == (unsigned)look) { /* a driver of our own is slow */
                        reached |=
                            try_fault(title, rules, least, steps, at, (enum fault)fault, n, (enum look)look, states);
                        tried++;
                    }
            }
        }
    for (int i = 0; i <= STEPS_MOST; i++)
        story_free(&states[i]);
    return tried;
}

static void sweep(const char *title, const char *rules, step *const *steps)
{
    for (size_t least = 1; least <= 1000; least += 999) {
        const int failed = tap_failed;
        const uint64_t tried = sweep_one(title, rules, least, steps);
        ok(tap_failed == failed && tried >= 3, "%s, groups from %zu: %llu faults", title, least,
           (unsigned long long)tried);
    }
}

/* ------------------------------------------------------------------------------ random scripts -- */

static const struct any {
    step *step;
    const char *name;
} any[] = {
#define ANY(step)   \
    {               \
        step, #step \
    }
    ANY(enter_y),
    ANY(enter_z),
    ANY(copy_y),
    ANY(create_y),
    ANY(present_y),
    ANY(copy_z),
    ANY(copy_z_and_more),
    ANY(part_of_y),
    ANY(shallow_y),
    ANY(attach_one),
    ANY(detach_one),
    ANY(attach_elsewhere),
    ANY(end),
    ANY(send),
    ANY(fetch),
    ANY(fetch_one),
    ANY(fetch_part),
    ANY(copyout_y),
    ANY(delete_z),
    ANY(finalize_y),
    ANY(delete_shallow),
    ANY(delete_arrays),
    ANY(enter_shallow),
    ANY(send_shallow),
    ANY(delete_target),
    ANY(attach_pointer),
    ANY(finalize_sibling),
    ANY(use_raw),
    ANY(write_device),
    ANY(allocate),
    ANY(map),
    ANY(unmap),
    ANY(release),
    ANY(first_part),
    ANY(last_part),
    ANY(enter_first),
    ANY(enter_middle),
    ANY(exit_first),
    ANY(exit_middle),
    ANY(in_the_hole),
    ANY(hold_raw),
    ANY(enter_hold),
    ANY(exit_hold),
    ANY(kept_part),
    ANY(refreshed_part),
    ANY(enter_kept),
    ANY(exit_kept),
    ANY(around_targets),
    ANY(refreshed_pointers),
    ANY(always_y),
    ANY(always_exit_y),
    ANY(zero_y),
    ANY(final_y),
    ANY(map_block),
    ANY(map_base),
    ANY(map_target),
    ANY(enter_target),
    ANY(copy_members),
    ANY(enter_members),
    ANY(enter_member),
    ANY(exit_members),
    ANY(final_target),
    ANY(two_targets),
    ANY(enter_d),
    ANY(copy_d),
    ANY(send_d),
    ANY(fetch_d),
    ANY(copyout_d),
    ANY(finalize_d),
    ANY(enter_shallow_d),
    ANY(delete_shallow_d),
    ANY(part_of_d),
    ANY(other_bounds),
    ANY(other_type),
    ANY(attach_p),
    ANY(detach_p),
    ANY(attach_q),
    ANY(detach_q),
    ANY(finalize_q),
    ANY(attach_q_too),
    ANY(detach_q_too),
    ANY(clause_q),
    ANY(null_q),
    ANY(shallow_d),
    ANY(delete_shallow_d_only),
    ANY(copy_half),
    ANY(fetch_half),
    ANY(copy_odd_y),
    ANY(open_queue),
    ANY(enter_y_later),
    ANY(send_later),
    ANY(fetch_later),
    ANY(copy_z_later),
    ANY(copyout_y_later),
    ANY(enter_first_later),
    ANY(exit_middle_later),
    ANY(copy_later),
    ANY(call_later),
    ANY(wait_all),
    ANY(give_up),
};

/* Whether pointers and counts on the host are those of the beginning: some rules bring others back from the device. */
static bool is_walkable(void)
{
    bool sane = Z[0].n == 2 && Z[1].n == 3 && Z[0].leaves == Y && Z[1].leaves == Y + 3;
    for (int i = 0; i < LEAVES; i++)
        sane = sane && Y[i].n == i % 4 && Y[i].a == arrays[i][0] && Y[i].b == arrays[i][1] && D[i].n == 4 &&
               D[i].p.base == arrays[i][0] && D[i].q.head.base == arrays[i][1] &&
               (!D[i].q.type || D[i].q.type == &base_type || D[i].q.type == &extended);
    return sane;
}

/* Some of the steps that succeed one after the other; several of them from one neighbourhood, so that they meet. */
static void sweep_random(uint64_t seed, const char *rules, size_t least)
{
    enum { ALL = sizeof any / sizeof any[0], NEAR = 12 };
    step *steps[STEPS_MOST] = {NULL};
    struct world w;
    char title[600];
    size_t n = 0, length = (size_t)snprintf(title, sizeof title, "script %llu, %s:", (unsigned long long)seed, rules);
    const int failed = tap_failed;
    uint64_t random = seed * 7919 + 17;
    const size_t near = next_random(&random) % ALL;
    open_world(&w, rules, least);
    for (int tries = 0; tries < 24 && n < 9 && is_walkable(); tries++) {
        const size_t which = next_random(&random) % 3 ? near + next_random(&random) % NEAR : next_random(&random);
        const struct any *next = &any[which % ALL];
        const uint64_t digest = accd__state_digest(w.context);
        if (next->step(&w) != ACCD_OK) {
            must(accd__state_digest(w.context) == digest, "%s %s: what is wrong changes nothing", title, next->name);
            continue;
        }
        steps[n++] = next->step;
        length += (size_t)snprintf(title + length, sizeof title - length, " %s", next->name);
    }
    while (w.depth)
        accd_region_abandon(w.regions[--w.depth]);
    close_world(&w);
    sweep_one(title, rules, least, steps);
    if (tap_failed != failed)
        printf("# %s\n", title);
}

static void random_scripts(void)
{
    static const char *const profiles[] = {"tr14",       "openacc-3.3", "directory",   "openmp-5.1",
                                           "libgomp-12", "openmp-4.0",  "openacc-2.0", "libomptarget-19"};
    const char *text = getenv("ACCDEEP_ROUNDS");
    const uint64_t rounds = text ? strtoull(text, NULL, 10) : 60;
    const char *begin = getenv("ACCDEEP_SEED");
    const uint64_t first = begin ? strtoull(begin, NULL, 10) : 0;
    const int failed = tap_failed;
    for (uint64_t seed = first; seed < first + rounds && tap_failed < failed + 20; seed++)
        sweep_random(seed, profiles[seed % 8], seed % 4 < 2 ? 1 : 1000);
    ok(tap_failed == failed, "%llu random scripts", (unsigned long long)rounds);
}

/* A level that could not be given up goes with the one around it. */
static void given_up(void)
{
    struct world w;
    accd_level level;
    open_world(&w, "tr14", 1);
    must(use_raw(&w) == ACCD_OK && copy_y(&w) == ACCD_OK, "two levels");
    arm(&w, HOST_MEMORY_ENDS, 1);
    is_status(accd_region_abandon(w.regions[1]), ACCD_ERROR_OUT_OF_MEMORY, "no memory to give the inner one up");
    arm(&w, HOST_MEMORY_ENDS, 0);
    ok(accd_level_get(w.context, 0, 1, &level) && present_count(w.context, Y, 1, 0), "it stays");
    is_sound(w.context);
    is_status(accd_region_end(w.regions[0]), ACCD_OK, "the level around it ends");
    ok(!accd_level_get(w.context, 0, 0, &level) && present_count(w.context, Y, 0, 0), "and nothing is left");
    is_sound(w.context);
    close_world(&w);
}

#define SCRIPT(...) ((step *const[]){__VA_ARGS__, NULL})

/* Contexts, labels, programs and known host memory. */
static void making_things(void)
{
    int failed = tap_failed;
    size_t n = 1;
    for (bool done = false; !done && n < 1000; n++) {
        struct meter meter = {.fail_at = n};
        accd_context_config config;
        init_config(&config);
        config.alloc = meter_alloc;
        config.alloc_ud = &meter;
        config.devices = 3;
        accd_context *context = NULL;
        accd_status status = accd_context_new(&context, &config);
        done = status == ACCD_OK;
        must(done == (meter.fail_at != 0) && (done || status == ACCD_ERROR_OUT_OF_MEMORY), "open");
        if (done) {
            for (size_t k = 1;; k++) {
                meter.fail_at = k;
                const accd_label *label = member(context, "a", 4, NULL);
                accd_program *program = NULL;
                accd_field field = {.unit = 4, .start = -1, .label = label};
                if (label)
                    accd_program_new(context,
                                     &(accd_program_spec){.stride = 8,
                                                          .fields = &field,
                                                          .nfields = 1,
                                                          .npieces = 1,
                                                          .ncode = 1,
                                                          .registers = 1,
                                                          .pieces = &(accd_piece){.bytes = 8},
                                                          .code = &(accd_instruction){.op = ACCD_I_CONST, .k = 2}},
                                     &program);
                accd_status known =
                    program ? accd_host_register(context, (char *)raw + k, 1, NULL) : ACCD_ERROR_OUT_OF_MEMORY;
                bool all = meter.fail_at != 0;
                meter.fail_at = 0;
                must(all ? known == ACCD_OK : accd_context_error(context)->status == ACCD_ERROR_OUT_OF_MEMORY,
                     "made or told");
                accd_program_release(program);
                if (all)
                    break;
            }
            accd_host_range range;
            must(!accd_host_at(context, raw, &range), "nothing half made is left");
        }
        accd_context_free(context);
        must(!meter.live && !meter.wrong, "fault %zu leaks", n);
    }
    ok(tap_failed == failed && n > 4, "opening and making, %zu faults", n - 1);
}

int main(void)
{
    const char *text = getenv("ACCDEEP_SAMPLE");
    if (text)
        sample = strtoull(text, NULL, 10);
    if (getenv("ACCDEEP_TEST_BACKEND")) {
        standin_find("standin_fail", &fail_call);
        standin_find("standin_pending", &call_pending);
    }
    making_things();
    sweep("enter, update, exit", "tr14", SCRIPT(enter_y, send, copy_y, write_device, fetch, end, fetch_one, copyout_y));
    sweep("enter twice, finalize", "tr14", SCRIPT(enter_y, enter_y, present_y, part_of_y, end, end, finalize_y));
    sweep("one looked at between entry and exit", "tr14",
          SCRIPT(enter_y, fetch_one, send, copy_y, fetch_one, end, fetch_one, fetch, copyout_y));
    sweep("one looked at before the end", "tr14", SCRIPT(copy_y, fetch_one, end, copy_y, fetch_one, end));
    sweep("one looked at, and a journal", "tr14",
          SCRIPT(enter_y, fetch_one, open_journal, send, close_journal, copyout_y));
    sweep("regions", "tr14", SCRIPT(create_y, present_y, end, write_device, copy_y, end, end));
    sweep("nested programs", "tr14", SCRIPT(copy_z, copy_z, end, end, enter_z, copy_z, delete_z, end));
    sweep("nested programs and others", "tr14", SCRIPT(copy_z_and_more, copy_z, end, end));
    sweep("parts", "tr14", SCRIPT(shallow_y, part_of_y, fetch_part, end, end, part_of_y, end));
    sweep("attach, detach", "tr14",
          SCRIPT(shallow_y, attach_one, attach_one, detach_one, detach_one, part_of_y, end, end));
    sweep("force", "openacc-3.3",
          SCRIPT(enter_y, attach_elsewhere, delete_shallow, enter_y, delete_arrays, finalize_y));
    sweep("force with regions", "openacc-3.3",
          SCRIPT(copy_y, enter_y, attach_elsewhere, end, attach_elsewhere, copyout_y));
    sweep("dangling pointers", "libgomp-12",
          SCRIPT(enter_shallow, attach_one, delete_target, attach_pointer, finalize_sibling, send_shallow, attach_one,
                 delete_target, delete_shallow));
    sweep("unmapped in a region", "libgomp-12", SCRIPT(allocate, map, use_raw, enter_shallow, unmap, end, release));
    sweep("single steps", "tr14", SCRIPT(allocate, to_device, map, unmap, map, unmap, release));
    sweep("mapped among others", "tr14", SCRIPT(enter_y, allocate, map, copy_z, end, unmap, release));
    sweep("journal", "tr14", SCRIPT(enter_y, open_journal, write_device, close_journal, copyout_y));
    sweep("journal left open", "tr14", SCRIPT(enter_y, open_journal, write_device));
    sweep("journal of an entry", "openmp-5.1",
          SCRIPT(map_base, open_journal, map_target, close_journal, end, enter_target, end));
    sweep("tuples of levels", "directory",
          SCRIPT(first_part, last_part, in_the_hole, enter_middle, end, end, exit_middle, end));
    sweep("tuples of floors", "directory",
          SCRIPT(enter_first, enter_middle, last_part, exit_first, enter_first, exit_middle, end, exit_first));
    sweep("targets that move", "directory",
          SCRIPT(enter_y, around_targets, fetch, send, attach_pointer, end, copy_y, end));
    sweep("targets that leave", "directory", SCRIPT(copy_y, around_targets, end, end));
    sweep("pieces", "directory", SCRIPT(first_part, kept_part, last_part, end, end, refreshed_part, end, end));
    sweep("pieces without fusion", "tr14", SCRIPT(first_part, enter_kept, refreshed_part, end, end, exit_kept));
    sweep("pointers among pieces", "tr14", SCRIPT(enter_y, refreshed_pointers, end, copyout_y));
    sweep("descriptors", "tr14", SCRIPT(enter_d, send_d, copy_d, fetch_d, end, part_of_d, copyout_d));
    sweep("descriptors one by one", "tr14",
          SCRIPT(enter_shallow_d, attach_p, attach_p, enter_d, detach_p, detach_p, copyout_d, delete_shallow_d));
    sweep("other bounds", "openacc-3.3",
          SCRIPT(enter_d, other_bounds, enter_d, copy_d, other_bounds, end, attach_p, other_bounds, attach_p, detach_p,
                 copyout_d, finalize_d));
    sweep("other bounds of what stays", "openacc-3.3",
          SCRIPT(enter_shallow_d, enter_d, other_bounds, copyout_d, enter_d, delete_shallow_d));
    sweep("types", "tr14",
          SCRIPT(enter_shallow_d, attach_q, attach_q, attach_q_too, detach_q, detach_q, attach_q, attach_q, finalize_q,
                 detach_q_too, delete_shallow_d));
    sweep("other types", "openacc-3.3",
          SCRIPT(enter_shallow_d, attach_q, other_type, attach_q, attach_q_too, other_type, attach_q, other_bounds,
                 attach_q, send_d, other_type, attach_q, other_type, attach_q, finalize_q));
    sweep("types that go otherwise", "openacc-3.3",
          SCRIPT(enter_shallow_d, attach_q, attach_q_too, delete_shallow_d, enter_shallow_d, attach_q, null_q, attach_q,
                 other_type, clause_q, other_type, clause_q, finalize_q, attach_q, delete_shallow_d_only));
    sweep("types in regions", "openacc-3.3",
          SCRIPT(shallow_d, attach_q, attach_q_too, shallow_d, other_type, attach_q, end, end));
    sweep("sections with gaps", "tr14",
          SCRIPT(copy_half, fetch_half, copy_half, end, end, copy_odd_y, copy_odd_y, end, end));
    sweep("descriptors that move", "directory",
          SCRIPT(enter_shallow_d, attach_p, attach_q, around_targets, detach_p, attach_q_too, end, detach_q,
                 detach_q_too));
    sweep("queues", "tr14",
          SCRIPT(open_queue, enter_y_later, send_later, copy_z_later, fetch_later, end, wait_all, fetch_one,
                 copyout_y_later, wait_all));
    sweep("tuples in queues", "directory",
          SCRIPT(open_queue, enter_first_later, wait_all, enter_middle, enter_first_later, exit_middle_later, wait_all,
                 exit_first));
    sweep("levels that are given up", "tr14", SCRIPT(copy_y, copy_z, give_up, enter_y, copy_y, give_up, give_up));
    sweep("descriptors of a group", "tr14", SCRIPT(copy_d, attach_p, attach_q, detach_p, detach_q, end));
    sweep("descriptors that nothing attaches anew", "openmp-5.1", SCRIPT(shallow_d, attach_q, enter_d, end, copyout_d));
    sweep("storage for members", "directory",
          SCRIPT(hold_raw, enter_hold, kept_part, end, exit_hold, end, enter_hold, refreshed_part, end, exit_hold));
    sweep("members in their places", "tr14", SCRIPT(enter_members, copy_members, enter_member, end, exit_members));
    for (int every = 0; every < 2; every++) {
        const char *openmp = every ? "openmp-4.0" : "openmp-5.1";
        sweep("constructs count", openmp,
              SCRIPT(enter_y, copy_y, always_y, end, always_exit_y, end, enter_y, final_y, zero_y, end));
        sweep("taken from regions", openmp, SCRIPT(copy_y, create_y, copyout_y, enter_y, final_y, end, enter_y, end));
        sweep("taken and back again", openmp, SCRIPT(copy_z, delete_z, enter_z, enter_z, end));
        sweep("blocks", openmp, SCRIPT(map_block, map_block, end, end));
        sweep("pointers first", openmp,
              SCRIPT(map_base, map_target, end, map_target, final_target, enter_target, end, end));
        sweep("targets first", openmp,
              SCRIPT(enter_target, map_base, map_target, end, end, final_target, map_base, two_targets, end, end));
        sweep("references without end", openmp, SCRIPT(allocate, map, use_raw, unmap, end, release));
    }
    given_up();
    if (!fail_call)
        random_scripts();
    return done();
}
