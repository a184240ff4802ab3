/* Random constructs of OpenMP against a literal model (OMP60-map-4 to map-9). */
#include "accdeep_internal.h"
#include "openmp.h"

/* What the rules say, without objects for more than one of three variables, or order: for each a count, values
 * of both sides. Items are parts of them. */
enum { VARIABLES = 3, CELLS = 5, DEEP = 6 };
struct model {
    int host[VARIABLES][CELLS], device[VARIABLES][CELLS];
    int count[VARIABLES];
};
static int cells[VARIABLES][CELLS];

struct random_item {
    int variable, from, n;
    uint8_t action;
    unsigned flags;
};

static unsigned seed;
static int choose(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16) % n;
}

static int random_items(struct random_item *items, const uint8_t *actions, int nactions, unsigned flags)
{
    int n = 1 + choose(3);
    for (int i = 0; i < n; i++) {
        struct random_item *item = &items[i];
        item->variable = choose(VARIABLES);
        item->action = actions[choose(nactions)];
        item->from = choose(3) ? 0 : choose(CELLS);
        item->n = item->from ? 1 + choose(CELLS - item->from) : CELLS;
        item->flags = (1u << choose(11)) & flags;
    }
    for (int i = 0; i < n; i++) /* so that what is made is a whole variable */
        for (int k = 0; k < n; k++)
            if (items[k].variable == items[i].variable && k > i && items[i].n < CELLS)
                items[k].from = items[i].from, items[k].n = items[i].n;
    return n;
}

static void as_items(const struct random_item *from, int n, accd_item *to)
{
    for (int i = 0; i < n; i++)
        to[i] = with(
            BYTES(from[i].action, &cells[from[i].variable][from[i].from], (uint64_t)from[i].n * sizeof cells[0][0]),
            from[i].flags);
}

static bool sends(uint8_t action)
{
    return action == ACCD_ACTION_COPY || action == ACCD_ACTION_COPYIN;
}
static bool fetches(uint8_t action)
{
    return action == ACCD_ACTION_COPY || action == ACCD_ACTION_COPYOUT;
}

static void move(struct model *model, const struct random_item *item, bool out)
{
    for (int c = item->from; c < item->from + item->n; c++)
        if (out)
            model->host[item->variable][c] = model->device[item->variable][c];
        else
            model->device[item->variable][c] = model->host[item->variable][c];
}

/* Returns false where present is asked for in vain. */
static bool model_enter(struct model *model, const struct random_item *items, int n)
{
    bool new[VARIABLES];
    for (int i = 0; i < n; i++)
        if (items[i].flags & ACCD_ITEM_REQUIRE_PRESENT && !model->count[items[i].variable])
            return false;
    for (int x = 0; x < VARIABLES; x++) {
        bool named = false;
        for (int i = 0; i < n; i++)
            named |= items[i].variable == x;
        new[x] = named && !model->count[x];
        model->count[x] += named;
    }
    for (int i = 0; i < n; i++)
        if (sends(items[i].action) && (new[items[i].variable] || items[i].flags &ACCD_ITEM_ALWAYS_IN))
            move(model, &items[i], false);
    return true;
}

static bool model_leave(struct model *model, const struct random_item *items, int n, bool exit)
{
    int before[VARIABLES];
    for (int i = 0; i < n && exit; i++)
        if (items[i].flags & ACCD_ITEM_REQUIRE_PRESENT && !model->count[items[i].variable])
            return false;
    for (int x = 0; x < VARIABLES; x++) {
        bool named = false, final = false;
        before[x] = model->count[x];
        for (int i = 0; i < n; i++) {
            named |= items[i].variable == x;
            final |= exit && items[i].variable == x && items[i].flags & ACCD_ITEM_FINALIZE;
        }
        model->count[x] -= named && model->count[x];
        if (final)
            model->count[x] = 0;
    }
    for (int i = 0; i < n; i++)
        if (before[items[i].variable] && fetches(items[i].action) &&
            (!model->count[items[i].variable] || items[i].flags & ACCD_ITEM_ALWAYS_OUT))
            move(model, &items[i], true);
    return true;
}

static bool matches_model(accd_context *context, struct model *model)
{
    for (int x = 0; x < VARIABLES; x++) {
        accd_present_object present = {0};
        accd_present_at(context, 0, (uintptr_t)cells[x], 0, &present);
        if ((int)(present.structured + present.dynamic) != model->count[x] ||
            memcmp(cells[x], model->host[x], sizeof cells[x]) != 0)
            return false;
        for (int c = 0; model->count[x] && c < CELLS; c++)
            if (read_device_int(context, &cells[x][c]) != model->device[x][c])
                return false;
    }
    return !accd__check_invariants(context);
}

/* Fresh device memory holds nothing: it gets the model's values. */
static void write_model_values(accd_context *context, struct model *model)
{
    for (int x = 0; x < VARIABLES; x++)
        for (int c = 0; model->count[x] && c < CELLS; c++) {
            uint64_t dev = accd_device_address(context, 0, &cells[x][c]);
            if (accd_device_count_written(context, 0, dev, 4) < 4)
                put_device(context, &cells[x][c], model->device[x][c]);
        }
}

static void random_round(unsigned round, const char *rules)
{
    static const uint8_t maps[] = {ACCD_ACTION_COPY, ACCD_ACTION_COPYIN, ACCD_ACTION_COPYOUT, ACCD_ACTION_CREATE};
    static const uint8_t exits[] = {ACCD_ACTION_COPYOUT, ACCD_ACTION_DELETE};
    struct {
        accd_region *region;
        struct random_item items[DEEP];
        int n;
    } levels[DEEP];
    struct model model = {0};
    struct meter meter = {0};
    accd_context *context = open_with(&meter, NULL, rules, 64);
    int depth = 0;
    seed = round;
    memset(cells, 0, sizeof cells);
    for (int step = 0; step < 60; step++) {
        struct random_item items[DEEP];
        accd_item asked[DEEP];
        struct model after = model;
        accd_status status;
        bool fine;
        uint64_t digest = accd__state_digest(context);
        int what = choose(4), n = 0;
        if (what < 2) {
            n = random_items(items, maps, 4, 128 | 256 | 512);
            for (int i = 0; i < n; i++) /* an absent variable comes whole */
                if (!model.count[items[i].variable])
                    items[i].from = 0, items[i].n = CELLS;
        } else if (what == 2) {
            n = random_items(items, exits, 2, 256 | 512 | 1024);
        }
        as_items(items, n, asked);
        accd_construct construct = {.kind = what == 0   ? ACCD_KIND_REGION
                                            : what == 1 ? ACCD_KIND_ENTER_DATA
                                                        : ACCD_KIND_EXIT_DATA,
                                    .items = asked,
                                    .nitems = (size_t)n};
        if (what == 3 && depth) {
            depth--;
            fine = model_leave(&after, levels[depth].items, levels[depth].n, false);
            status = accd_region_end(levels[depth].region);
        } else if (what == 3 || (what == 0 && depth == DEEP)) {
            continue;
        } else {
            fine = what == 2 ? model_leave(&after, items, n, true) : model_enter(&after, items, n);
            status = accd_run_construct(context, &construct, what == 0 ? &levels[depth].region : NULL);
            if (what == 0 && status == ACCD_OK) {
                memcpy(levels[depth].items, items, sizeof items);
                levels[depth++].n = n;
            }
        }
        must(status == (fine ? ACCD_OK : ACCD_ERROR_NOT_PRESENT), "%s, round %u, step %d: %s", rules, round, step,
             accd_status_code(status));
        if (fine)
            model = after;
        else
            must(accd__state_digest(context) == digest, "nothing changed");
        write_model_values(context, &model);
        must(matches_model(context, &model), "%s, round %u, step %d: %s", rules, round, step,
             accd__check_invariants(context) ? accd__check_invariants(context) : "the model says otherwise");
        for (int x = 0; x < VARIABLES; x++) { /* both sides go on */
            int c = choose(CELLS);
            if (choose(2))
                cells[x][c] = model.host[x][c] = 100 * step + x;
            else if (model.count[x])
                put_device(context, &cells[x][c], model.device[x][c] = 10000 * step + x);
        }
    }
    while (depth)
        accd_region_abandon(levels[--depth].region);
    accd_context_free(context);
    must(!meter.live && !meter.wrong, "nothing leaks");
}

int main(void)
{
    for (unsigned round = 1; round <= 400; round++)
        random_round(round, round % 2 ? "openmp-5.1" : "openmp-4.0");
    ok(!tap_failed, "random constructs");
    return done();
}
