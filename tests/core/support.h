/* support.h - what the unit tests of the core share: an allocator that counts and fails, a listener
 * that writes events down, short ways to say a construct, a state as text, a few structures. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "accdeep_internal.h"
#include "../tap.h"

#include <accdeep_core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------- allocator -- */

/* Counts, compares the sizes it is told with those it gave, moves every block that grows. */
struct meter {
    size_t live, blocks; /* bytes and blocks in use */
    size_t fail_at;      /* the n-th request from now fails; 0: none does */
    bool fails_on;       /* so do all behind it */
    size_t failed;       /* so many did */
    size_t wrong;        /* blocks given back with another size than they were asked with */
};

static inline void *meter_alloc(void *ud, void *ptr, size_t old, size_t n)
{
    struct meter *meter = ud;
    size_t *head = ptr ? (size_t *)((char *)ptr - 64) : NULL;
    if (head && *head != old)
        meter->wrong++;
    if (n && meter->fail_at && --meter->fail_at == 0) {
        meter->fail_at = meter->fails_on;
        meter->failed++;
        return NULL;
    }
    size_t *fresh = n ? aligned_alloc(64, (n + 64 + 63) & ~(size_t)63) : NULL;
    if (n && !fresh)
        return NULL;
    if (fresh) {
        *fresh = n;
        memset((char *)fresh + 64, 0xEE, n);
        meter->live += n;
        meter->blocks++;
    }
    if (head) {
        if (fresh)
            memcpy((char *)fresh + 64, ptr, old < n ? old : n);
        meter->live -= *head;
        meter->blocks--;
        memset(ptr, 0xDD, *head);
        free(head);
    }
    return fresh ? (char *)fresh + 64 : NULL;
}

/* ---------------------------------------------------------------------------------- events -- */

struct story {
    char *text;
    size_t used, room;
};

static inline void story_add(struct story *story, const char *format, ...)
{
    char piece[400];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (story->used + (size_t)n + 1 > story->room) {
        story->room = 2 * story->room + (size_t)n + 1000;
        story->text = realloc(story->text, story->room);
    }
    memcpy(story->text + story->used, piece, (size_t)n + 1);
    story->used += (size_t)n;
}

static inline void story_clear(struct story *story)
{
    story_add(story, "%s", "");
    story->text[0] = 0;
    story->used = 0;
}

static inline void story_free(struct story *story)
{
    free(story->text);
    *story = (struct story){0};
}

static inline void tell_story(void *ud, const accd_event *event)
{
    story_add(ud, "%s %s|", accd_op_name(event->op), event->name);
}

/* -------------------------------------------------------------------------------- constructs -- */

/* A GPU takes tenths of a second to be opened, unless it is open already: one context holds it for the whole process.
 */
static inline void hold_device(const accd_backend *backend)
{
    static accd_context *held;
    accd_context_config config;
    accd_context_config_init(&config);
    config.backend = backend;
    if (!held && getenv("ACCDEEP_TEST_HOLD"))
        (void)accd_context_new(&held, &config);
}

/* The usual configuration. The same tests run on every backend that keeps device memory apart. */
static inline void init_config(accd_context_config *config)
{
    const char *backend = getenv("ACCDEEP_TEST_BACKEND");
    accd_context_config_init(config);
    config->backend = backend ? accd_find_backend(backend) : NULL;
    hold_device(config->backend);
}

/* Those of a profile that there is; NULL: the usual ones. */
static inline const accd_rules *rules_of(const char *profile)
{
    const accd_rules *rules = accd_find_rules(profile);
    if (profile && !rules) {
        printf("Bail out! no profile: %s\n", profile);
        exit(1);
    }
    return rules;
}

/* A context with a meter and, if story is given, a listener. rules: a profile's name or NULL. */
static inline accd_context *open_with(struct meter *meter, struct story *story, const char *rules, size_t group_least)
{
    accd_context_config config;
    init_config(&config);
    config.alloc = meter ? meter_alloc : NULL;
    config.alloc_ud = meter;
    config.group_least = group_least;
    config.threads = 1;
    config.devices = 2;
    config.device_bytes = (uint64_t)64 << 20;
    config.rules = rules_of(rules);
    if (story) {
        story_clear(story);
        config.on_event = tell_story;
        config.event_ud = story;
    }
    accd_context *context = NULL;
    if (accd_context_new(&context, &config) != ACCD_OK) {
        printf("Bail out! no context\n");
        exit(1);
    }
    return context;
}

#define PLAIN(what, object) ((accd_item){.host = (object), .bytes = sizeof(object), .action = (what)})
#define BYTES(what, at, n) ((accd_item){.host = (at), .bytes = (n), .action = (what)})

/* One construct of some items; region_p may be NULL for the kinds that open none. */
#define CONSTRUCT(context, what, region_p, ...)                                                                   \
    accd_run_construct((context),                                                                                 \
                       &(accd_construct){.kind = (what),                                                          \
                                         .name = "data",                                                          \
                                         .items = (const accd_item[]){__VA_ARGS__},                               \
                                         .nitems = sizeof((const accd_item[]){__VA_ARGS__}) / sizeof(accd_item)}, \
                       (region_p))
#define ENTER(context, ...) CONSTRUCT(context, ACCD_KIND_ENTER_DATA, NULL, __VA_ARGS__)
#define EXIT(context, ...) CONSTRUCT(context, ACCD_KIND_EXIT_DATA, NULL, __VA_ARGS__)
#define UPDATE(context, ...) CONSTRUCT(context, ACCD_KIND_UPDATE, NULL, __VA_ARGS__)
#define REGION(context, region_p, ...) CONSTRUCT(context, ACCD_KIND_REGION, region_p, __VA_ARGS__)
#define FINALIZE(context, item)                                                                           \
    accd_run_construct(                                                                                   \
        (context),                                                                                        \
        &(accd_construct){                                                                                \
            .kind = ACCD_KIND_EXIT_DATA, .finalize = 1, .items = (const accd_item[]){item}, .nitems = 1}, \
        NULL)

/* ok() for a status, with the message when it is another one. */
#define is_status(found, wanted, ...)                                                                      \
    do {                                                                                                   \
        accd_status found_ = (found), wanted_ = (wanted);                                                  \
        if (!ok(found_ == wanted_, __VA_ARGS__))                                                           \
            printf("#   found  %s\n#   wanted %s\n", accd_status_code(found_), accd_status_code(wanted_)); \
    } while (0)

/* The construct fails with the status, and nothing at all has changed. */
#define fails(context, wanted, construct, ...)                               \
    do {                                                                     \
        uint64_t before_ = accd__state_digest(context);                      \
        accd_status got_ = (construct);                                      \
        is_status(got_, wanted, __VA_ARGS__);                                \
        must(got_ == ACCD_OK || accd_context_error(context)->status == got_, \
             "the last error is that of the construct");                     \
        must(accd__state_digest(context) == before_, "nothing changed");     \
    } while (0)

#define is_sound(context)                                        \
    do {                                                         \
        const char *wrong_ = accd__check_invariants(context);    \
        ok(!wrong_, "invariants: %s", wrong_ ? wrong_ : "hold"); \
    } while (0)

static inline int present_count(accd_context *context, const void *host, unsigned structured, unsigned dynamic)
{
    accd_present_object present;
    if (!accd_present_at(context, 0, (uint64_t)(uintptr_t)host, 0, &present))
        return !structured && !dynamic;
    if (present.structured != structured || present.dynamic != dynamic)
        printf("#   counters are %u and %u\n", present.structured, present.dynamic);
    return present.structured == structured && present.dynamic == dynamic;
}

static inline unsigned attach_count(accd_context *context, const void *slot)
{
    accd_attachment attachment;
    return accd_attachment_at(context, 0, slot, &attachment) ? attachment.count : 0;
}

/* Reads n bytes of the device copy of a host address. */
static inline int device_get(accd_context *context, const void *host, void *to, size_t n)
{
    return accd_device_read(context, 0, accd_device_address(context, 0, host), to, n) == ACCD_OK;
}
static inline int device_put(accd_context *context, const void *host, const void *from, size_t n)
{
    return accd_device_write(context, 0, accd_device_address(context, 0, host), from, n) == ACCD_OK;
}
static inline uint64_t device_word(accd_context *context, const void *host)
{
    uint64_t word = 0;
    return device_get(context, host, &word, sizeof word) ? word : UINT64_MAX;
}

static inline uint64_t mix_bytes(uint64_t hash, const void *from, size_t n)
{
    const unsigned char *p = from;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ p[i]) * 0x100000001b3u;
    return hash;
}

/* The state of a device without device addresses: equal for contexts that did the same. */
static inline void write_state(accd_context *context, struct story *story)
{
    accd_present_object present;
    accd_attachment attachment;
    for (uint64_t at = 0; accd_present_next(context, 0, &at, &present);) {
        uint64_t hash = 0, written = 0;
        for (uint64_t i = 0; i < present.info.bytes; i++) {
            const void *host = (const void *)(uintptr_t)(present.info.host + i);
            if (i + 8 <= present.info.bytes && accd_attachment_at(context, 0, host, &attachment)) {
                hash = mix_bytes(hash, &attachment.target, 8); /* stands for its translation */
                i += 7;
                continue;
            }
            unsigned char byte = 0;
            if (accd_device_count_written(context, 0, present.dev + i, 1) == 1 &&
                accd_device_read(context, 0, present.dev + i, &byte, 1) == ACCD_OK) {
                hash = mix_bytes(hash, &byte, 1);
                written++;
            }
        }
        story_add(story, "%llx+%llu s%u d%u w%llu %llx\n", (unsigned long long)present.info.host,
                  (unsigned long long)present.info.bytes, present.structured, present.dynamic,
                  (unsigned long long)written, (unsigned long long)hash);
    }
    for (uint64_t at = 0; accd_attachment_next(context, 0, &at, &attachment);)
        story_add(story, "%llx -> %llx %u\n", (unsigned long long)attachment.slot,
                  (unsigned long long)attachment.target, attachment.count);
    accd_level level;
    for (size_t i = 0; accd_level_get(context, 0, i, &level); i++)
        story_add(story, "level %zu kind %d\n", i, (int)level.kind);
    accd_stats stats;
    accd_get_stats(context, 0, &stats);
    story_add(story, "%llu objects %llu attachments\n", (unsigned long long)stats.objects,
              (unsigned long long)stats.attachments);
}

/* -------------------------------------------------------------------------------- structures -- */

struct leaf {
    int n;
    float *a, *b;
};

static inline accd_program *program_of(accd_context *context, const accd_program_spec *spec)
{
    accd_program *program = NULL;
    if (accd_program_new(context, spec, &program) != ACCD_OK) {
        printf("Bail out! no program: %s\n", accd_context_error(context)->message);
        exit(1);
    }
    return program;
}

static inline const accd_label *member(accd_context *context, const char *name, uint64_t unit,
                                       const accd_program *layout)
{
    return accd_label_intern(
        context,
        &(accd_label){.name = name, .unit = unit, .layout = layout, .flags = ACCD_LABEL_MEMBER | ACCD_LABEL_SECTION});
}

static inline const accd_label *array(accd_context *context, const char *name, uint64_t unit,
                                      const accd_program *layout)
{
    return accd_label_intern(context,
                             &(accd_label){.name = name, .unit = unit, .layout = layout, .flags = ACCD_LABEL_SECTION});
}

/* include(a[0:n], b[0:n]): all own bytes, both pointers followed. */
static inline accd_program *leaf_program(accd_context *context)
{
    const accd_field fields[] = {
        {.offset = offsetof(struct leaf, a),
         .unit = 4,
         .start = -1,
         .code_end = 1,
         .label = member(context, "a", 4, NULL)},
        {.offset = offsetof(struct leaf, b),
         .unit = 4,
         .start = -1,
         .code_end = 1,
         .label = member(context, "b", 4, NULL)},
    };
    return program_of(context, &(accd_program_spec){
                                   .stride = sizeof(struct leaf),
                                   .pieces = &(accd_piece){.bytes = sizeof(struct leaf)},
                                   .npieces = 1,
                                   .fields = fields,
                                   .nfields = 2,
                                   .code = &(accd_instruction){.op = ACCD_I_LOAD, .b = ACCD_SCALAR_I32, .k = 0},
                                   .ncode = 1,
                                   .registers = 1,
                               });
}

static inline accd_item walked(uint8_t action, const void *host, uint64_t bytes, accd_program *program,
                               const accd_label *label)
{
    return (accd_item){.host = host, .bytes = bytes, .action = action, .program = program, .label = label};
}

#define CODE(...)        \
    (accd_instruction[]) \
    {                    \
        __VA_ARGS__      \
    }
#define LOAD(to_, type, at)                                    \
    {                                                          \
        .op = ACCD_I_LOAD, .to = (to_), .b = (type), .k = (at) \
    }
#define CONSTANT(to_, value)                          \
    {                                                 \
        .op = ACCD_I_CONST, .to = (to_), .k = (value) \
    }

/* A section with a length and a first element of its own: p[from:n]. */
struct bounds {
    int64_t n, from;
    double *p;
};

static inline accd_program *bounds_program(accd_context *context)
{
    const accd_field field = {.offset = offsetof(struct bounds, p),
                              .unit = 8,
                              .start = 1,
                              .code_end = 2,
                              .label = member(context, "p", 8, NULL)};
    return program_of(context,
                      &(accd_program_spec){.stride = sizeof(struct bounds),
                                           .fields = &field,
                                           .nfields = 1,
                                           .pieces = &(accd_piece){.bytes = sizeof(struct bounds)},
                                           .npieces = 1,
                                           .registers = 2,
                                           .ncode = 2,
                                           .code = CODE(LOAD(0, ACCD_SCALAR_I64, 0), LOAD(1, ACCD_SCALAR_I64, 8))});
}

/* --------------------------------------------------------------------------------- Fortran -- */

/* CFI_cdesc_t of rank r, as gcc's ISO_Fortran_binding.h has it. */
struct dim {
    int64_t lower, extent, sm;
};
#define CFI(r)                         \
    struct {                           \
        void *base;                    \
        uint64_t elem_len;             \
        int32_t version;               \
        uint8_t rank, attribute;       \
        int16_t type;                  \
        struct dim dim[(r) ? (r) : 1]; \
    }
typedef CFI(1) cfi1;
typedef CFI(2) cfi2;

/* The descriptor of a contiguous array of floats. */
static inline void point(void *descriptor, unsigned rank, void *base, int64_t lower, int64_t extent)
{
    CFI(15) made = {.base = base, .elem_len = sizeof(float), .version = 1, .type = 0x304};
    int64_t sm = sizeof(float);
    made.rank = (uint8_t)rank;
    for (unsigned i = 0; i < rank; i++, sm *= extent)
        made.dim[i] = (struct dim){lower, extent, sm};
    memcpy(descriptor, &made, offsetof(cfi2, dim) + rank * sizeof made.dim[0]);
}

/* One of LLVM Flang with an addendum: a type record, and one word. */
struct typed {
    cfi1 head;
    void *type;
    int64_t len;
};
struct record {
    uint64_t bytes;
    char name[24];
};

static inline void point_typed(struct typed *to, void *base, int64_t lower, const struct record *type)
{
    unsigned char *bytes = (unsigned char *)to;
    point(to, 1, base, lower, 4);
    bytes[20] = 1;
    bytes[21] = 42; /* a structure */
    bytes[22] = 1;
    bytes[23] = 1; /* there is an addendum */
    to->type = (void *)(uintptr_t)type;
    to->len = 3;
}

/* Small, repeatable random numbers. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

#endif
