/* name.c - names and lines by debug information. */
#include "runtime.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static struct goacc_debug *debug;
static bool debug_tried;

/* Debug information is read when it is first asked for: most runs never do. libdw needs much stack. */
static struct goacc_debug *information(void)
{
    if (!debug_tried) {
        debug_tried = true;
        debug = GOACC_ON_OWN_STACK(goacc_debug_open);
    }
    return debug;
}

static char folder[4096]; /* where the program was started */

/* Places that the compiler passed with calls. */
enum { PLACES = 1024 };
static struct place {
    uintptr_t pc;
    const char *text;      /* of the compiler */
    char *file, *function; /* once it was asked for */
    int line;
} places[PLACES];

static struct place *place_of(uintptr_t pc)
{
    for (size_t i = 0, at = pc % PLACES; i < PLACES; i++, at = (at + 1) % PLACES)
        if (places[at].pc == pc || !places[at].pc)
            return &places[at];
    return NULL;
}

void goacc_note_place(const struct goacc_site *site)
{
    struct place *place = site->place ? place_of(site->call.pc) : NULL;
    if (place && !place->pc)
        *place = (struct place){.pc = site->call.pc, .text = site->place};
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The place that the compiler passed. known: debug information has the others, and the line of the directive alone is
 * taken: clang 16 to 19 leave the line of the call out, so that it seems to be that of the code before. */
static bool passed_line(uintptr_t pc, bool known, const char **file_p, int *line_p, const char **function_p)
{
    struct place *place = pc ? place_of(pc) : NULL;
    if (!place || place->pc != pc)
        return false;
    if (!place->file &&
        sscanf(place->text, ";%m[^;];%m[^;];%d;", &place->file, &place->function, &place->line) < 3)
        place->line = 0;
    if (!place->line || (known && strcmp(base_name(place->file), base_name(*file_p)) != 0))
        return false;
    *line_p = place->line;
    if (!known) {
        *file_p = place->file;
        *function_p = place->function;
    }
    return true;
}

/* Files are named as seen from the folder the program was started in. */
bool goacc_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p)
{
    const char *file, *function;
    int line;
    goacc_take_words();
    int known = pc && information() ? GOACC_ON_OWN_STACK(goacc_debug_line, debug, pc, &file, &line, &function) : 0;
    known = passed_line(pc, known == 1, &file, &line, &function) ? 1 : known;
    goacc_give_words();
    if (!known)
        return false;
    *file_p = file;
    *line_p = line;
    if (function_p)
        *function_p = function;
    size_t length = strlen(folder);
    if (length > 1 && !strncmp(*file_p, folder, length) && (*file_p)[length] == '/')
        *file_p += length + 1;
    return true;
}

void goacc_compiler(uintptr_t pc, char *name, size_t room)
{
    goacc_take_words();
    const char *known = pc && information() ? GOACC_ON_OWN_STACK(goacc_debug_compiler, debug, pc) : NULL;
    const char *options = known ? strstr(known, " -") : NULL;
    if (known)
        snprintf(name, room, "%.*s", (int)(options ? options - known : (ptrdiff_t)strlen(known)), known);
    else
        snprintf(name, room, "the compiler");
    goacc_give_words();
}

static bool leave_system(struct goacc_call *call)
{
    goacc_debug_leave_system(debug, call);
    return true;
}

void goacc_leave_system(struct goacc_call *call)
{
    goacc_take_words();
    if (information())
        GOACC_ON_OWN_STACK(leave_system, call);
    goacc_give_words();
}

bool goacc_is_system_place(uintptr_t pc)
{
    goacc_take_words();
    const bool is_system = information() && GOACC_ON_OWN_STACK(goacc_debug_is_system, debug, pc);
    goacc_give_words();
    return is_system;
}

bool goacc_lacks_lines(uintptr_t pc)
{
    goacc_take_words();
    const bool lacks = information() && GOACC_ON_OWN_STACK(goacc_debug_is_missing, debug, pc);
    goacc_give_words();
    return lacks;
}

bool goacc_step_out(struct goacc_stopped *stopped)
{
    goacc_take_words();
    const bool known = information() && GOACC_ON_OWN_STACK(goacc_debug_step_out, debug, stopped);
    goacc_give_words();
    return known;
}

const char *goacc_symbol(uintptr_t address)
{
    goacc_take_words();
    const char *symbol = information() ? GOACC_ON_OWN_STACK(goacc_debug_symbol, debug, address) : NULL;
    goacc_give_words();
    return symbol;
}

uint64_t goacc_pointee(uint64_t variable)
{
    goacc_take_words();
    const uint64_t bytes = information() ? GOACC_ON_OWN_STACK(goacc_debug_pointee, debug, variable) : 0;
    goacc_give_words();
    return bytes;
}

void goacc_tell_open(void)
{
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
}

/* ------------------------------------------------------------------------------------- names -- */

/* A label whose name is "@" and a return address in hex stands for what was mapped there: most
 * programs never hear a name, so that it is looked for only when it is reported. */
uintptr_t goacc_late(const char *name, const char **end_p)
{
    char *stop;
    uintptr_t pc = name[0] == '@' ? (uintptr_t)strtoull(name + 1, &stop, 16) : 0;
    if (pc && end_p)
        *end_p = stop;
    return pc;
}

bool goacc_name_of(const struct goacc_site *site, uint64_t host, uint64_t bytes,
                   struct goacc_name *name_p)
{
    goacc_take_words();
    *name_p = (struct goacc_name){.unit = 0};
    const bool known =
        site && ((information() && GOACC_ON_OWN_STACK(goacc_debug_name, debug, &site->call, host, bytes, name_p)) ||
                 (site->name && site->name(site->names, host, bytes, name_p)));
    goacc_give_words();
    return known;
}

/* The element of a range that has a byte, counted from host; "" where debug information does not tell. */
static void element_of(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                       struct goacc_name *element_p)
{
    struct goacc_name name;
    goacc_take_words();
    if (!information() || !GOACC_ON_OWN_STACK(goacc_debug_element, debug, &site->call, host, bytes, (int64_t)at, &name, element_p))
        element_p->name[0] = 0;
    goacc_give_words();
}

bool goacc_is_padding(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at)
{
    goacc_take_words();
    const bool is = site && information() && GOACC_ON_OWN_STACK(goacc_debug_is_padding, debug, &site->call, host, bytes, at);
    goacc_give_words();
    return is;
}

uintptr_t goacc_aggregate_end(uintptr_t member, size_t bytes)
{
    struct goacc_name name;
    return goacc_name_of(goacc.site, member, bytes, &name) ? name.aggregate_end : 0;
}

void goacc_variable_of(const char *name, char *to, size_t room)
{
    size_t n = 0;
    int depth = 0;
    for (; *name && *name != '@' && (n || depth || *name < '0' || *name > '9'); name++) {
        depth += *name == '[' || *name == '(';
        if (!depth && n + 1 < room)
            to[n++] = *name;
        depth -= depth && (*name == ']' || *name == ')');
    }
    to[n] = 0;
}

static struct goacc_shown show(const char *name, uint64_t host, const char *file, int line)
{
    struct goacc_shown shown = {.file = file, .line = line};
    uintptr_t pc = goacc_late(name, NULL);
    if (pc || !*name)
        snprintf(shown.name, sizeof shown.name, "%p", (void *)(uintptr_t)host);
    else
        snprintf(shown.name, sizeof shown.name, "%s", name);
    goacc_line(pc, &shown.file, &shown.line, NULL);
    return shown;
}

struct goacc_shown goacc_shown(const accd_object_info *object)
{
    return show(object->name, object->host, object->file, object->line);
}

struct goacc_mark goacc_mapped_at(const accd_object_info *object)
{
    const struct goacc_shown shown = goacc_shown(object);
    return (struct goacc_mark){"mapped", shown.file, shown.line};
}

struct goacc_shown goacc_shown_pointer(const accd_attachment *pointer)
{
    return show(pointer->name, pointer->slot, NULL, 0);
}

/* Subscripts of an element of an array in Fortran, counted from 0 in memory. */
static void subscripts_of(const struct goacc_name *name, int64_t index, int64_t *to)
{
    for (int i = 0; i < name->rank; i++) {
        const int64_t extent = i + 1 < name->rank && name->dim[i].extent > 0 ? name->dim[i].extent : INT64_MAX;
        to[i] = index % extent + name->dim[i].lower;
        index /= extent;
    }
}

static void add_subscripts(struct goacc_text *text, int rank, const int64_t *low, const int64_t *high)
{
    for (int i = 0; i < rank; i++) {
        goacc_text(text, "%c%lld", i ? ',' : '(', (long long)low[i]);
        if (low[i] != high[i])
            goacc_text(text, ":%lld", (long long)high[i]);
    }
    goacc_text(text, ")");
}

/* n elements in Fortran: as a section where they are one, otherwise the first and the last. */
static void spell_round(const struct goacc_name *name, uint64_t n, char *to, size_t room)
{
    struct goacc_text text = {.n = 0};
    int64_t low[GOACC_RANK_MOST], high[GOACC_RANK_MOST];
    uint64_t inside = 1;
    subscripts_of(name, name->start, low);
    subscripts_of(name, name->start + (int64_t)n - 1, high);
    for (int i = 0; i < name->rank; i++)
        inside *= (uint64_t)(high[i] < low[i] ? low[i] - high[i] : high[i] - low[i]) + 1;
    add_subscripts(&text, name->rank, low, inside == n ? high : low);
    if (inside != n) {
        goacc_text(&text, ":");
        add_subscripts(&text, name->rank, high, high);
    }
    snprintf(to, room, "%s%s", name->name, text.at);
}

bool goacc_spell(const struct goacc_site *site, uint64_t host, uint64_t bytes, char *to,
                 size_t room)
{
    struct goacc_name name;
    bool known = goacc_name_of(site, host, bytes, &name);
    if (!known)
        snprintf(to, room, "%p", (void *)(uintptr_t)host);
    else if (!name.section)
        snprintf(to, room, "%s", name.name);
    else if (name.rank && name.unit)
        spell_round(&name, bytes < name.unit ? 1 : bytes / name.unit, to, room);
    else if (!bytes || !name.unit)
        snprintf(to, room, "%s[%lld]", name.name, (long long)name.start);
    else
        snprintf(to, room, "%s[%lld:%llu]", name.name, (long long)name.start,
                 (unsigned long long)(bytes / name.unit));
    return known;
}

void goacc_spell_element(const struct goacc_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                         char object[GOACC_NAME], char *to, size_t room)
{
    struct goacc_name whole, element, beside;
    if (!goacc_name_of(site, host, bytes, &whole)) {
        snprintf(to, room, "%s", object);
        return;
    }
    goacc_spell(site, host, bytes, object, GOACC_NAME);
    element_of(site, host, bytes, at, &element);
    const long long unit = (long long)whole.unit,
                    into = (long long)at - ((long long)at < 0 ? unit - 1 : 0);
    if (*element.name && strcmp(element.name, object) != 0)
        snprintf(to, room, "%s of %s", element.name, object);
    else if (unit && whole.unit < bytes)
        snprintf(to, room, "%s[%lld] of %s", whole.name, (long long)whole.start + into / unit,
                 object);
    else if (at >= bytes && goacc_name_of(site, host + at, 0, &beside) && !beside.section &&
             strcmp(beside.name, object) != 0)
        snprintf(to, room, "%s beside %s", beside.name, object);
    else
        snprintf(to, room, "%s", object);
}

bool goacc_spell_pointer(const struct goacc_site *site, int device, uint64_t slot,
                         struct goacc_pointer *pointer)
{
    struct goacc_name name, member;
    accd_present object;
    *pointer = (struct goacc_pointer){.slot = slot};
    if (slot && goacc_name_of(site, slot, sizeof(void *), &name)) {
        element_of(site, slot, sizeof(void *), 0, &member);
        snprintf(pointer->name, sizeof pointer->name, "%s", *member.name ? member.name : name.name);
        const bool fortran = name.fortran || strchr(pointer->name, '%');
        snprintf(pointer->section, sizeof pointer->section, "%.140s%s", pointer->name,
                 fortran ? "" : "[0:n]");
        return true;
    }
    if (slot && accd_present_at(goacc.context, device, slot, 0, &object)) {
        const struct goacc_shown shown = goacc_shown(&object.info);
        const int n = snprintf(pointer->name, sizeof pointer->name, "at byte %llu of %s",
                               (unsigned long long)(slot - object.info.host), shown.name);
        if (shown.file && n > 0 && (size_t)n < sizeof pointer->name)
            snprintf(pointer->name + n, sizeof pointer->name - (size_t)n, ", mapped at %s:%d,",
                     shown.file, shown.line);
    } else {
        snprintf(pointer->name, sizeof pointer->name, "%p", (void *)(uintptr_t)slot);
    }
    return false;
}

bool goacc_peek(uint64_t host, char *to, size_t n)
{
    const struct iovec here = {to, n}, there = {(void *)(uintptr_t)host, n};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (got < 0 && (errno == ENOSYS || errno == EPERM)) { /* where the call is not allowed */
        memcpy(to, there.iov_base, n);
        return true;
    }
    return got == (ssize_t)n;
}

bool goacc_present_target(uint64_t host, uint64_t bytes, char *to, size_t room)
{
    uint64_t target;
    accd_present object;
    if (bytes != sizeof target || !goacc_peek(host, (char *)&target, sizeof target) || !target ||
        !accd_present_at(goacc.context, goacc_own.device, target, 0, &object))
        return false;
    if (!goacc_spell(goacc.site, object.info.host, object.info.bytes, to, room))
        snprintf(to, room, "%s", goacc_shown(&object.info).name);
    return true;
}

void goacc_spell_call(char *to, size_t room)
{
    const struct goacc_site *site = goacc.site;
    const char *what = site ? site->what : "a transfer";
    char place[1100];
    const bool is_end = site && site->ends && goacc_own.nlevels && !strncmp(what, "end ", 4);
    if (is_end)
        goacc_place(goacc_own.levels[goacc_own.nlevels - 1].pc, place, sizeof place);
    if (is_end && *place)
        snprintf(to, room, "the end of the %s region%s", what + 4, place);
    else
        snprintf(to, room, "%s", what);
}

void goacc_place(uintptr_t pc, char *to, size_t room)
{
    const char *file;
    int line;
    *to = 0;
    if (goacc_line(pc, &file, &line, NULL))
        snprintf(to, room, " of %s:%d", file, line);
}
