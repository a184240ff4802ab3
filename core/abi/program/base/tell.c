/* tell.c - what the runtime says: errors and notes as good compilers write them or as JSON, events
 * as JSON lines, and what names and lines they are about. */
#include "runtime.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct goacc_debug *debug;
static bool debug_tried;

/* Debug information is read when it is first asked for: most runs never do. */
static struct goacc_debug *information(void)
{
    if (!debug_tried) {
        debug_tried = true;
        debug = goacc_debug_open();
    }
    return debug;
}

static char folder[4096]; /* where the program was started */

/* Files are named as seen from the folder the program was started in. */
bool goacc_line(uintptr_t pc, const char **file, int *line, const char **function)
{
    if (!pc || !information() || !goacc_debug_line(debug, pc, file, line, function))
        return false;
    size_t length = strlen(folder);
    if (length > 1 && !strncmp(*file, folder, length) && (*file)[length] == '/')
        *file += length + 1;
    return true;
}

static bool line_of(uintptr_t pc, const char **file, int *line)
{
    const char *function;
    return goacc_line(pc, file, line, &function);
}

const char *goacc_symbol(uintptr_t address)
{
    return information() ? goacc_debug_symbol(debug, address) : NULL;
}

void goacc_tell_open(void)
{
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
    goacc.names = goacc.options.draw || goacc.options.trace >= 0 || goacc.options.strict;
}

/* -------------------------------------------------------------------------------------- text -- */

/* A line under way; what does not fit is cut. */
struct text {
    char at[4096];
    size_t n;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->at + text->n, sizeof text->at - text->n, format, args);
    va_end(args);
    size_t left = sizeof text->at - 1 - text->n;
    text->n += n < 0 ? 0 : (size_t)n < left ? (size_t)n : left;
}

static void add_json(struct text *text, const char *key, const char *value)
{
    add(text, "%s\"%s\":\"", text->at[text->n - 1] == '{' ? "" : ",", key);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c == '"' || *c == '\\')
            add(text, "\\%c", *c);
        else if (*c < 0x20)
            add(text, "\\u%04x", *c);
        else
            add(text, "%c", *c);
    add(text, "\"");
}

/* In lines of JSON. */
static void add_rank(struct text *text)
{
    if (goacc_rank() >= 0)
        add(text, ",\"rank\":%d", goacc_rank());
}

/* What cannot be written is lost: the program under way is not ours to stop for that. */
static void put(int fd, const struct text *text)
{
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    for (size_t done = 0; done < text->n;) {
        ssize_t n = write(fd, text->at + done, text->n - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EPIPE) /* the reader is gone; that is no signal for the program */
            sigtimedwait(&pipe, NULL, &(struct timespec){0});
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ------------------------------------------------------------------------------------- names -- */

/* A label whose name is "@" and a return address in hex stands for what was mapped there: most
 * programs never hear a name, so that it is looked for only when it is reported. */
static uintptr_t late(const char *name, const char **end)
{
    char *stop;
    uintptr_t pc = name[0] == '@' ? (uintptr_t)strtoull(name + 1, &stop, 16) : 0;
    if (pc && end)
        *end = stop;
    return pc;
}

struct label {
    uintptr_t pc;
    bool late;
    const accd_label *label;
};
static struct label *labels;
static size_t nlabels, labels_room; /* room is 0 or a power of two */
enum { LATEST = 32 };
static struct label latest[LATEST]; /* late ones of directives that are encountered again and again */

static size_t place_of(uintptr_t pc, const char *name)
{
    uint64_t hash = pc * 0x9E3779B97F4A7C15u;
    for (; name && *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return (size_t)(hash ^ hash >> 32);
}

static bool same(const struct label *entry, uintptr_t pc, const accd_label *label)
{
    const accd_label *is = entry->label;
    if (entry->pc != pc || !label)
        return entry->pc == pc && entry->late;
    return !strcmp(is->name, label->name) && is->unit == label->unit &&
           (is->flags & ~ACCD_LABEL_INDEXED) == label->flags;
}

static void grow_labels(void)
{
    size_t room = labels_room ? 2 * labels_room : 64;
    struct label *grown = calloc(room, sizeof *grown);
    if (!grown)
        goacc_die("out-of-memory", "no memory for the names of data");
    for (size_t i = 0; i < labels_room; i++) {
        if (!labels[i].label)
            continue;
        const char *name = labels[i].label->name;
        size_t k = place_of(labels[i].pc, labels[i].late ? NULL : name);
        while (grown[k & (room - 1)].label)
            k++;
        grown[k & (room - 1)] = labels[i];
    }
    free(labels);
    labels = grown;
    labels_room = room;
}

void goacc_forget_labels(void)
{
    free(labels);
    labels = NULL;
    nlabels = labels_room = 0;
    memset(latest, 0, sizeof latest);
}

/* The label of the context for a site, made once. wanted: NULL for a late name. */
static const accd_label *label_of(uintptr_t pc, const accd_label *wanted)
{
    if (2 * nlabels >= labels_room)
        grow_labels();
    size_t k = place_of(pc, wanted ? wanted->name : NULL);
    for (; labels[k & (labels_room - 1)].label; k++)
        if (same(&labels[k & (labels_room - 1)], pc, wanted))
            return labels[k & (labels_room - 1)].label;
    char name[24];
    snprintf(name, sizeof name, "@%llx", (unsigned long long)pc);
    const accd_label *label =
        accd_label_new(goacc.context, wanted ? wanted : &(accd_label){.name = name});
    if (!label)
        goacc_fail();
    labels[k & (labels_room - 1)] = (struct label){pc, !wanted, label};
    nlabels++;
    return label;
}

static bool name_of(const struct goacc_site *site, uint64_t host, uint64_t bytes,
                    struct goacc_name *name)
{
    return site && information() && goacc_debug_name(debug, &site->call, host, bytes, name);
}

uintptr_t goacc_aggregate_end(uintptr_t member, size_t bytes)
{
    struct goacc_name name;
    return name_of(goacc.site, member, bytes, &name) ? name.aggregate_end : 0;
}

const accd_label *goacc_site_label(void)
{
    const uintptr_t pc = goacc.site->call.pc;
    struct label *at = &latest[pc % LATEST];
    if (__builtin_expect(at->pc != pc, 0))
        *at = (struct label){pc, true, label_of(pc, NULL)};
    return at->label;
}

void goacc_find_name(accd_item *item)
{
    const struct goacc_site *site = goacc.site;
    struct goacc_name name;
    accd_label label = {0};
    if (!name_of(site, (uintptr_t)item->host, item->bytes, &name))
        return;
    line_of(site->call.pc, &label.file, &label.line);
    item->start = name.start;
    label.unit = name.unit;
    label.flags = name.section ? ACCD_LABEL_SECTION : 0;
    label.name = name.name;
    item->label = label_of(site->call.pc, &label);
}

static struct goacc_shown show(const char *name, uint64_t host, const char *file, int line)
{
    struct goacc_shown shown = {.file = file, .line = line};
    uintptr_t pc = late(name, NULL);
    if (pc || !*name)
        snprintf(shown.name, sizeof shown.name, "%p", (void *)(uintptr_t)host);
    else
        snprintf(shown.name, sizeof shown.name, "%s", name);
    line_of(pc, &shown.file, &shown.line);
    return shown;
}

struct goacc_shown goacc_shown(const accd_object_info *object)
{
    return show(object->name, object->host, object->file, object->line);
}

struct goacc_shown goacc_shown_pointer(const accd_attachment *pointer)
{
    return show(pointer->name, pointer->slot, NULL, 0);
}

bool goacc_spell(const struct goacc_site *site, uint64_t host, uint64_t bytes, char *to,
                 size_t room)
{
    struct goacc_name name;
    bool known = name_of(site, host, bytes, &name);
    if (!known)
        snprintf(to, room, "%p", (void *)(uintptr_t)host);
    else if (!name.section)
        snprintf(to, room, "%s", name.name);
    else if (!bytes || !name.unit)
        snprintf(to, room, "%s[%lld]", name.name, (long long)name.start);
    else
        snprintf(to, room, "%s[%lld:%llu]", name.name, (long long)name.start,
                 (unsigned long long)(bytes / name.unit));
    return known;
}

void goacc_spell_element(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                         const char *name, char *to, size_t room)
{
    struct goacc_name object;
    char whole[160];
    if (!name_of(site, host, bytes, &object)) {
        snprintf(to, room, "%s", name);
        return;
    }
    goacc_spell(site, host, bytes, whole, sizeof whole);
    if (object.unit && object.unit < bytes)
        snprintf(to, room, "%s[%lld] of %s", object.name,
                 (long long)object.start + (long long)at / (long long)object.unit, whole);
    else
        snprintf(to, room, "%s", whole);
}

void goacc_place(uintptr_t pc, char *to, size_t room)
{
    const char *file;
    int line;
    *to = 0;
    if (line_of(pc, &file, &line))
        snprintf(to, room, " of %s:%d", file, line);
}

/* Names that were put off: that of an object of this site as the site sees it, others by where they
 * were mapped. */
static void add_names(const struct goacc_site *site, const accd_object_info *own, const char *from,
                      struct text *to)
{
    while (*from) {
        const char *end = from + 1, *file;
        int line;
        uintptr_t pc = late(from, &end);
        if (!pc) {
            add(to, "%c", *from);
        } else if (site && pc == site->call.pc && own) {
            char name[160];
            goacc_spell(site, own->host, own->bytes, name, sizeof name);
            add(to, "%s", name);
        } else if (line_of(pc, &file, &line)) {
            add(to, "the data mapped at %s:%d", file, line);
        } else {
            add(to, "data mapped before");
        }
        from = end;
    }
}

/* ------------------------------------------------------------------------------------ errors -- */

static void add_snippet(struct text *text, const char *file, int line)
{
    FILE *source = fopen(file, "re");
    char *found = NULL;
    size_t room = 0;
    ssize_t length = -1;
    for (int i = 0; source && i < line; i++)
        length = getline(&found, &room, source);
    if (length > 0) {
        while (length > 0 && isspace((unsigned char)found[length - 1]))
            found[--length] = 0;
        add(text, " %d | %.120s\n", line, found);
    }
    free(found);
    if (source)
        fclose(source);
}

static void add_object(struct text *text, bool asked, const accd_object_info *object,
                       const char *name)
{
    const char *file = NULL;
    int line = 0;
    if (!object->bytes)
        return;
    if (!asked && object->file) {
        file = object->file;
        line = object->line;
    } else if (!asked) {
        line_of(late(object->name, NULL), &file, &line);
    }
    add(text, asked ? "  object: " : "  overlaps: ");
    if (name)
        add(text, "%s, ", name);
    add(text, "%llu bytes at %p", (unsigned long long)object->bytes,
        (void *)(uintptr_t)object->host);
    if (file)
        add(text, ", mapped at %s:%d", file, line);
    add(text, "\n");
}

/* The house rule behind an error that no document asks for. */
static const char *house_rule(const char *code)
{
    static const char *const rules[][2] = {
        {"file", "HOUSE-files"},
        {"out-of-memory", "HOUSE-memory"},
        {"misuse", "HOUSE-misuse"},
        {"unsupported", "HOUSE-version"},
        {"no-device", "DIR-1-04"},
        {"region-nesting", "DIR-4.3-06"},
        {"not-present", "ACC33-hd-1"},
        {"device-pointer-on-host", "ACC33-hd-1"},
        {"invalid-section", "ACC33-2.7.1-1"},
        {"null-pointer", "ACC33-3.2.18-1"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!strcmp(rules[i][0], code))
            return rules[i][1];
    return NULL;
}

/* The rule that says the same in the profile's document. */
static const char *in_profile(const char *rule)
{
    static const char *const rules[][2] = {
        {"ACC33-2.6.7-4", "OMP60-map-6"},      {"ACC33-2.7-1", "OMP60-map-5"},   {"ACC33-2.7.1-1", "OMP60-sec-1"},
        {"ACC33-att-6", "OMPEX-struct_map-6"}, {"ACC33-det-1", "OMP60-map-7"},   {"ACC33-gloss-2", "OMP60-sec-1"},
        {"ACC33-impl-1", "OMP60-map-11"},      {"ACC33-hd-1", "OMP60-api-12"},   {"DIR-1-04", "OMP60-api-2"},
        {"DIR-4.3-06", "OMP60-tgt-1"},         {"ACC33-upd-1", "OMP60-upd-1"},
    };
    if (rule && goacc.options.rules && !strncmp(goacc.options.rules->documents, "OMP60", 5))
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
            if (!strcmp(rule, rules[i][0]))
                return rules[i][1];
    return rule;
}

/* One message; further lines are added by the caller before it is put. */
static void begin(struct text *text, const char *level, const char *code, const char *rule,
                  uintptr_t pc, const char *message)
{
    const char *file = NULL;
    int line = 0;
    line_of(pc, &file, &line);
    text->n = 0;
    if (goacc.options.json) {
        add(text, "{");
        add_json(text, "level", level);
        add_json(text, "code", code);
        add_json(text, "message", message);
        if (rule)
            add_json(text, "rule", rule);
        if (file) {
            char at[1024];
            snprintf(at, sizeof at, "%s:%d", file, line);
            add_json(text, "at", at);
        }
        add_rank(text);
        return;
    }
    if (file)
        add(text, "%s:%d: ", file, line);
    else if (pc)
        add(text, "accdeep: at %p: ", (void *)pc);
    else
        add(text, "accdeep: ");
    add(text, "%s[%s]: ", level, code);
    if (goacc_rank() >= 0)
        add(text, "rank %d: ", goacc_rank());
    add(text, "%s\n", message);
    if (file)
        add_snippet(text, file, line);
}

/* The help of a code in the words of its rule's language, with the objects' names in place of {1|...} and {2|...},
 * but no addresses; false if there is none. */
static bool help_of(const char *code, const char *rule, const char *const *names, struct text *to)
{
    const struct goacc_help *help = goacc_helps;
    while (help->code && strcmp(help->code, code) != 0)
        help++;
    const bool openmp = rule && (!strncmp(rule, "OMP", 3) || !strncmp(rule, "LLNL", 4));
    to->n = 0;
    for (const char *c = !help->code ? "" : openmp ? help->openmp : help->help; *c; c++) {
        const char *name = c[0] != '{' ? NULL : c[1] == '1' ? names[0] : c[1] == '2' ? names[1] : NULL;
        const char *close = c[0] == '{' ? strchr(c, '}') : NULL;
        if (!close)
            add(to, "%c", *c);
        else if (name && *name && !isdigit((unsigned char)*name))
            add(to, "%s", name);
        else
            add(to, "%.*s", (int)(close - c) - 3, c + 3);
        c = close ? close : c;
    }
    return to->n > 0;
}

/* names: of the error's two objects; empty or NULL where there is none. */
static void end(struct text *text, const char *level, const char *code, const char *rule, uintptr_t pc,
                const char *const *names)
{
    static bool hinted;
    const char *file;
    int line;
    struct text help;
    const bool helps = !strcmp(level, "error") && help_of(code, rule, names, &help);
    if (helps && goacc.options.json)
        add_json(text, "help", help.at);
    if (goacc.options.json)
        add(text, "}\n");
    else if (rule)
        add(text, "  rule: %s\n", rule);
    if (helps && !goacc.options.json)
        add(text, "  help: %s\n  more: accdeep explain %s\n", help.at, code);
    if (!goacc.options.json && !hinted && pc && !line_of(pc, &file, &line)) {
        hinted = true;
        add(text, "  hint: compile with -g: then reports have lines and names\n");
    }
    if (!ftrylockfile(stdout)) { /* what the program said before comes before */
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    put(STDERR_FILENO, text);
}

void goacc_tell(const char *level, const char *code, const char *rule, uintptr_t pc,
                const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    struct text text;
    if (strcmp(level, "advice") != 0 && strcmp(code, "unsupported") != 0) /* limits of this runtime */
        goacc.found = true;
    if (goacc.on_error && !strcmp(level, "error"))
        goacc.on_error(message);
    rule = in_profile(rule ? rule : house_rule(code));
    begin(&text, level, code, rule, pc, message);
    end(&text, level, code, rule, pc, (const char *[]){NULL, NULL});
}

void goacc_tell_error(const struct goacc_site *site, const accd_error *error)
{
    struct text message = {.n = 0}, text;
    char name[160] = "";
    const accd_object_info *asked = &error->asked;
    const char *rest = error->message;
    char before[sizeof error->message];
    message.at[0] = 0;
    add(&message, strcmp(site->what, "compute") != 0 ? "%s: " : "%s construct: ", site->what);
    if (asked->bytes)
        goacc_spell(site, asked->host, asked->bytes, name, sizeof name);
    /* of two items of one directive the message names the other one */
    const accd_object_info *named = error->status == ACCD_PARTIAL_OVERLAP ? &error->other : asked;
    char other[160];
    snprintf(other, sizeof other, "%s", late(error->other.name, NULL) ? "" : error->other.name);
    if (named != asked && late(error->other.name, NULL) == site->call.pc)
        goacc_spell(site, named->host, named->bytes, other, sizeof other);
    if (*name && error->named_bytes) {
        snprintf(before, sizeof before, "%.*s", (int)error->named, rest);
        add_names(site, named->bytes ? named : NULL, before, &message);
        rest += error->named + error->named_bytes;
        add(&message, "%s", name);
    } else if (*name) {
        add(&message, "%s: ", name);
    }
    add_names(site, named->bytes ? named : NULL, rest, &message);
    if (goacc.on_error)
        goacc.on_error(message.at);
    const char *code = accd_status_code(error->status);
    begin(&text, "error", code, error->rule, site->call.pc, message.at);
    if (!goacc.options.json) {
        add_object(&text, true, asked, name);
        add_object(&text, false, &error->other, *other ? other : NULL);
    }
    end(&text, "error", code, error->rule, site->call.pc, (const char *[]){name, other});
}

bool goacc_untold(uintptr_t pc)
{
    static uintptr_t *reported;
    static size_t n, room;
    for (size_t i = 0; i < n; i++)
        if (reported[i] == pc)
            return false;
    if (n == room) {
        uintptr_t *grown = realloc(reported, (2 * room + 64) * sizeof *grown);
        if (!grown) /* without memory a place is reported again */
            return true;
        reported = grown;
        room = 2 * room + 64;
    }
    reported[n++] = pc;
    return true;
}

void goacc_tell_lost_update(void)
{
    if (goacc_untold(goacc.site->call.pc))
        goacc_tell(
            "warning", "unsupported", "ACC33-upd-1", goacc.site->call.pc,
            "this update arrives without data: gcc leaves out variables of declare directives "
            "at file scope, so that nothing is moved");
}

void goacc_tell_returned(uintptr_t pc)
{
    if (goacc_untold(pc))
        goacc_tell(
            "warning", "still-mapped", "ACC33-2.6.7-4", pc,
            "data of a function that has returned are still mapped from here; they are taken "
            "off the device");
}

/* ------------------------------------------------------------------------------------ events -- */

void goacc_tell_event(const accd_event *event, const char *about)
{
    struct text text = {.n = 0};
    const char *file = NULL;
    int line = 0;
    add(&text, "{");
    add_json(&text, "op", accd_op_name(event->op));
    char address[24];
    snprintf(address, sizeof address, "%p", (void *)(uintptr_t)event->host);
    add_json(&text, "name", late(event->name, NULL) ? address : event->name);
    add(&text, ",\"bytes\":%llu", (unsigned long long)event->bytes);
    add_json(&text, "rule", event->rule);
    if (goacc.site && line_of(goacc.site->call.pc, &file, &line)) {
        char at[1024];
        snprintf(at, sizeof at, "%s:%d", file, line);
        add_json(&text, "at", at);
    }
    add(&text, ",\"device\":%d", event->device);
    if (event->op == ACCD_OP_KERNEL && goacc.site && goacc.site->queue)
        add(&text, ",\"async\":%d", *goacc.site->queue);
    else if (event->async != ACCD_SYNCHRONOUS)
        add(&text, ",\"async\":%lld", (long long)event->async);
    add(&text, "%s", about);
    add_rank(&text);
    add(&text, "}\n");
    put(goacc.options.trace, &text);
}

/* ----------------------------------------------------------------------------------- the end -- */

void goacc_end(void)
{
    goacc.ending = true;
    goacc.quick = false;
    if (goacc.on_end)
        goacc.on_end();
    goacc_unlock();
    exit(EXIT_FAILURE);
}

void goacc_die(const char *code, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    goacc_tell("error", code, NULL, goacc.site ? goacc.site->call.pc : 0, "%s", text);
    goacc_end();
}

void goacc_fail(void)
{
    goacc_tell_error(goacc.site, accd_context_error(goacc.context));
    goacc_end();
}
