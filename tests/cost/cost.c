/* cost MODE ROUNDS - makes a thousand objects present, then does one thing so many times. */
#include "accdeep_core.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 1000, FRESH = 256, BYTES = 64, STEP = 96, MOST = 3 };

struct leaf {
    int n;
    float *a, *b;
};

static accd_context *context;
static accd_program *program;
static struct leaf leaves[KEPT];

static void fail(void)
{
    fprintf(stderr, "%s\n", accd_context_error(context)->message);
    exit(1);
}

static void run_counted(accd_construct_kind kind, accd_action action, char *host)
{
    const accd_item item = {.host = host, .bytes = BYTES, .action = (uint8_t)action};
    if (accd_run_construct(context, &(accd_construct){.kind = kind, .items = &item, .nitems = 1}, NULL) != ACCD_OK)
        fail();
}

/* Data with a pointer to them, which is attached, and detached again. */
static void run_pointer(accd_construct_kind kind, accd_action action)
{
    const accd_item item = {.host = leaves[0].a, .bytes = BYTES, .slot = &leaves[0].a, .action = (uint8_t)action};
    if (accd_run_construct(context, &(accd_construct){.kind = kind, .items = &item, .nitems = 1}, NULL) != ACCD_OK)
        fail();
}

static void open_and_end(char *host, size_t n)
{
    accd_item items[MOST];
    accd_region *region;
    for (size_t i = 0; i < n; i++)
        items[i] = (accd_item){.host = host + i * STEP, .bytes = BYTES, .action = ACCD_ACTION_COPYIN};
    if (accd_run_construct(context, &(accd_construct){.kind = ACCD_KIND_REGION, .items = items, .nitems = n},
                           &region) != ACCD_OK ||
        accd_region_end(region) != ACCD_OK)
        fail();
}

/* Makes structures present, with what their pointers point to: all of one length, or not. */
static void make_leaves(int differ)
{
    static float values[KEPT][2][MOST + 1];
    const accd_field fields[] = {{.offset = offsetof(struct leaf, a), .unit = 4, .start = -1, .code_end = 1},
                                 {.offset = offsetof(struct leaf, b), .unit = 4, .start = -1, .code_end = 1}};
    const accd_program_spec spec = {.stride = sizeof leaves[0],
                                    .pieces = &(accd_piece){.bytes = sizeof leaves[0]},
                                    .npieces = 1,
                                    .fields = fields,
                                    .nfields = 2,
                                    .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32},
                                    .ncode = 1,
                                    .registers = 1};
    if (accd_program_new(context, &spec, &program) != ACCD_OK)
        fail();
    for (int i = 0; i < KEPT; i++)
        leaves[i] = (struct leaf){differ ? i % MOST + 1 : MOST, values[i][0], values[i][1]};
}

static void copy_deep_structure(accd_construct_kind kind, accd_action action)
{
    const accd_item item = {.host = leaves, .bytes = sizeof leaves, .program = program, .action = (uint8_t)action};
    accd_region *region = NULL;
    if (accd_run_construct(context, &(accd_construct){.kind = kind, .items = &item, .nitems = 1}, &region) != ACCD_OK ||
        (region && accd_region_end(region) != ACCD_OK))
        fail();
}

int main(int argc, char **argv)
{
    char *kept = calloc(KEPT, STEP), *fresh = calloc(FRESH, STEP);
    const char *mode = argc > 1 ? argv[1] : "";
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    accd_context_config config;
    accd_context_config_init(&config);
    config.threads = 1;
    if (!kept || !fresh || accd_context_new(&context, &config) != ACCD_OK)
        return 1;
    for (size_t i = 0; i < KEPT; i++)
        run_counted(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, kept + i * 7919 % KEPT * STEP);
    if (!strncmp(mode, "deep", 4)) {
        make_leaves(!strcmp(mode, "deep-lengths"));
        copy_deep_structure(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN);
    }
    if (!strcmp(mode, "pointer")) {
        leaves[0].a = (float *)(void *)fresh;
        run_counted(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, (char *)leaves);
    }
    for (size_t i = 0; i < rounds; i++) {
        char *next = fresh + i % FRESH * STEP;
        if (!strcmp(mode, "pair")) {
            run_counted(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, next);
            run_counted(ACCD_KIND_EXIT_DATA, ACCD_ACTION_DELETE, next);
        } else if (!strcmp(mode, "pointer")) {
            run_pointer(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN);
            run_pointer(ACCD_KIND_EXIT_DATA, ACCD_ACTION_DELETE);
        } else if (!strcmp(mode, "repeat")) {
            run_counted(ACCD_KIND_ENTER_DATA, ACCD_ACTION_COPYIN, kept);
        } else if (!strcmp(mode, "update")) {
            run_counted(ACCD_KIND_UPDATE, ACCD_ACTION_UPDATE_DEVICE, kept);
        } else if (!strcmp(mode, "region-present")) {
            open_and_end(kept, 1);
        } else if (!strcmp(mode, "region-present-3")) {
            open_and_end(kept, 3);
        } else if (!strcmp(mode, "region-fresh")) {
            open_and_end(next, 1);
        } else if (!strncmp(mode, "deep", 4)) {
            copy_deep_structure(ACCD_KIND_REGION, ACCD_ACTION_PRESENT);
        } else {
            return 2;
        }
    }
    accd_program_release(program);
    accd_context_free(context);
    free(kept);
    free(fresh);
    return 0;
}
