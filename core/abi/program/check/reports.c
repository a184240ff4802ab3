/* reports.c - what is wrong with an access or a transfer, in the words of the program. */
#include "abi/program/strict/followed.h"
#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------- last write -- */

struct search {
    uint32_t note;
    uintptr_t found;
};

static int in_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct search *search = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t low = info->dlpi_addr + part->p_vaddr;
        const uint32_t into = search->note - (uint32_t)low;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X && into < part->p_memsz)
            search->found = low + into;
    }
    return search->found != 0;
}

/* Where a note was left: its line, and " at FILE:LINE" or nothing. */
static struct goacc_mark written_at(uint32_t note, char *to, size_t room)
{
    struct goacc_mark mark = {.is = "written"};
    struct search search = {.note = note};
    *to = 0;
    if (note)
        dl_iterate_phdr(in_module, &search);
    if (search.found && goacc_line(search.found, &mark.file, &mark.line, NULL))
        snprintf(to, room, " at %s:%d", mark.file, mark.line);
    return mark;
}

/* -------------------------------------------------------------------------------------- names -- */

const char goacc_message[] = "a message";

/* Who makes an access: a kernel, a message that is given a device address, or the host. */
static const char *actor(char *to, size_t room)
{
    const struct goacc_site *site = goacc_kernel_site;
    if (!site) {
        snprintf(to, room, "%s", goacc.site && goacc.site->what == goacc_message ? goacc_message : "the host");
        return to;
    }
    const int n = snprintf(to, room, "the %s region", site->what);
    goacc_place(site->call.pc, to + n, room - (size_t)n);
    return to;
}

/* What an access is to. */
struct named {
    struct goacc_shown object;
    char element[340];
};

struct goacc_site goacc_site_of(const struct goacc_access *access, const char *what)
{
    struct goacc_site site = {.what = what};
    if (access && access->frame) {
        site.call = (struct goacc_call){access->pc, (uintptr_t)(access->frame + 2), access->frame[0]};
        goacc_leave_system(&site.call);
    }
    return site;
}

static struct goacc_site site_of(const struct goacc_access *access)
{
    return goacc_site_of(access, "access");
}

static uintptr_t place_of(const struct goacc_access *access)
{
    const struct goacc_site site = site_of(access);
    return site.call.pc ? site.call.pc : access->pc;
}

/* Where the names of an access are known: in the construct that it belongs to, or in the function that makes it. */
static const struct goacc_site *names_at(const struct goacc_site *site)
{
    return goacc_kernel_site ? goacc_kernel_site : site->call.pc ? site : goacc.site;
}

/* Whether both sides of the bytes of an access differ in padding alone. */
static bool differs_in_padding(const struct goacc_access *access, const struct goacc_pair *pair)
{
    const struct goacc_site site = site_of(access);
    const uint64_t other = goacc_other(pair, access->at), host = goacc_on_device(access->at) ? other : access->at;
    const unsigned char *here = goacc_content(access->at), *there = goacc_content(other);
    for (uint64_t i = 0; i < access->n && host + i < pair->host + pair->bytes; i++)
        if (here[i] != there[i] &&
            !goacc_is_padding(names_at(&site), pair->host, pair->bytes, host + i - pair->host))
            return false;
    return true;
}

static void name(const struct goacc_access *access, const struct goacc_pair *pair, uint64_t at,
                 struct named *named)
{
    const struct goacc_site site = site_of(access);
    accd_present object;
    const uint64_t host = goacc_on_device(at) ? goacc_other(pair, at) : at;
    memset(named, 0, sizeof *named);
    if (!accd_present_at(goacc.context, pair->device, pair->host, 0, &object))
        return;
    named->object = goacc_shown(&object.info);
    goacc_spell_element(names_at(&site), pair->host, pair->bytes, host - pair->host, named->object.name, named->element,
                        sizeof named->element);
}

/* Data that were unmapped while the host's bytes were not the newest, or came from memory to which nothing was written.
 * The newest ones are at the end. */
struct lost {
    uint64_t host, bytes;
    uint32_t note; /* of the change that was lost */
    uintptr_t pc;  /* of the construct that removed the data */
    uintptr_t region; /* the directive of the data region whose end removed them; 0: of no region */
    char name[GOACC_NAME];
};
enum { LOST = 4096 };
static struct lost *lost;
static size_t nlost;

void goacc_note_lost(const accd_event *event, uint32_t note)
{
    accd_object_info info = {.host = event->host, .bytes = event->bytes};
    if (!lost)
        lost = calloc(LOST, sizeof *lost);
    if (!lost)
        return;
    struct lost *entry = &lost[nlost++ % LOST];
    snprintf(info.name, sizeof info.name, "%s", event->name);
    const bool ends = goacc.site && goacc.site->ends && goacc_own.nlevels;
    *entry = (struct lost){event->host,
                           event->bytes,
                           note,
                           goacc.site ? goacc.site->call.pc : 0,
                           ends ? goacc_own.levels[goacc_own.nlevels - 1].pc : 0,
                           ""};
    snprintf(entry->name, sizeof entry->name, "%s", goacc_shown(&info).name);
}

static struct lost *lost_at(uint64_t at)
{
    for (size_t i = 0; i < LOST && i < nlost; i++) {
        struct lost *entry = &lost[(nlost - 1 - i) % LOST];
        if (at - entry->host < entry->bytes)
            return entry;
    }
    return NULL;
}

static void spell_lost(const struct goacc_access *access, struct lost *entry, uint64_t at, char *to,
                       size_t room)
{
    const struct goacc_site site = site_of(access);
    goacc_spell_element(access->frame ? &site : NULL, entry->host, entry->bytes, at - entry->host, entry->name, to,
                        room);
}

/* A place in memory of the host that is not present. */
static void name_host(const struct goacc_access *access, struct lost *entry, uint64_t at,
                      struct named *named)
{
    const struct goacc_site site = site_of(access);
    memset(named, 0, sizeof *named);
    if (entry) {
        spell_lost(access, entry, at, named->element, sizeof named->element);
        snprintf(named->object.name, sizeof named->object.name, "%s", entry->name);
        return;
    }
    goacc_spell(access->frame ? &site : NULL, at, access->n, named->object.name, sizeof named->object.name);
    snprintf(named->element, sizeof named->element, "%s", named->object.name);
}

/* A warning about an access, or about what the call under way does (NULL). */
static struct goacc_finding finding(const struct goacc_access *access, const char *code, const char *rule,
                                    const struct named *named, struct goacc_mark other)
{
    return (struct goacc_finding){.level = "warning",
                                  .code = code,
                                  .rule = rule,
                                  .pc = access ? place_of(access) : goacc.site ? goacc.site->call.pc : 0,
                                  .object = *named->object.name ? named->object.name : NULL,
                                  .element = *named->element ? named->element : NULL,
                                  .other = other};
}

static struct goacc_mark mapped_at(const struct named *named)
{
    return (struct goacc_mark){"mapped", named->object.file, named->object.line};
}

/* -------------------------------------------------------------------------------------- reads -- */

static const char unwritten[] = "uninitialized-read", stale[] = "stale-data",
                  overwritten[] = "overwritten-change", missing[] = "missing-wait", outside[] = "out-of-bounds";

/* What was reported last, whose names are known: the next elements of an array are only counted. A loop that the
 * compiler has unrolled makes its accesses at several addresses. */
static struct latest {
    const char *code;
    uintptr_t pc, place;
    uint64_t start;
    char object[160];
} latest[16];
static unsigned nlatest;

/* NULL: nothing was reported there lately. */
static struct latest *latest_at(uintptr_t pc)
{
    enum { ROOM = sizeof latest / sizeof latest[0] };
    for (unsigned i = 0; i < ROOM; i++)
        if (latest[i].pc == pc)
            return &latest[i];
    return NULL;
}

static bool is_again(const char *code, const struct goacc_access *access, const struct goacc_pair *pair)
{
    const struct latest *known = latest_at(access->pc);
    return pair && known && known->code == code && known->start == pair->host &&
           goacc_find_again(code, known->place, known->object);
}

static void remember(const char *code, const struct goacc_access *access, const struct goacc_pair *pair,
                     const char *object)
{
    struct latest *known = latest_at(access->pc);
    if (!known)
        known = &latest[nlatest++ % (sizeof latest / sizeof latest[0])];
    known->code = pair ? code : NULL;
    known->pc = access->pc;
    known->place = place_of(access);
    known->start = pair ? pair->host : 0;
    snprintf(known->object, sizeof known->object, "%s", object);
}

/* The element of present data that a byte lies in, without the name of the data. */
static void spell_byte(const struct goacc_access *access, const struct goacc_pair *pair, uint64_t dev, char *to,
                       size_t room)
{
    struct named named;
    name(access, pair, dev, &named);
    snprintf(to, room, "%.*s", (int)(strstr(named.element, " of ") ? strcspn(named.element, " ") : 0), named.element);
}

/* Says which elements of data have a value on the device, if the others have none. False: none has, they do not lie side
 * by side, or they have no names. */
static bool tell_written(const struct goacc_access *access, const struct goacc_pair *pair, char *to, size_t room)
{
    uint64_t first = 0, last = 0, n = 0;
    char from[340], until[340];
    GOACC_EACH_PART(part, pair->dev, pair->bytes) {
        const uint32_t valid = goacc_having(&part, GOACC_VALID);
        if (!valid)
            continue;
        const uint64_t word = part.at - part.at % 8;
        first = first ? first : word + (uint64_t)__builtin_ctz(valid) / 4;
        last = word + (31 - (uint64_t)__builtin_clz(valid)) / 4;
        n += (uint64_t)__builtin_popcount(valid);
    }
    if (!first || last - first + 1 != n)
        return false;
    spell_byte(access, pair, first, from, sizeof from);
    spell_byte(access, pair, last, until, sizeof until);
    snprintf(to, room, "%s to %s have values on the device: write the others, too", from, until);
    return *from && *until;
}

void goacc_report_unwritten(const struct goacc_access *access, uint64_t at, const struct goacc_pair *pair)
{
    char who[200], written[740], help[900], openmp[900];
    struct named named = {.element = "device memory"};
    struct lost *entry = pair || goacc_on_device(at) ? NULL : lost_at(at);
    if (is_again(unwritten, access, pair) || (entry && goacc_find_again(unwritten, place_of(access), entry->name)))
        return;
    if (pair)
        name(access, pair, at, &named);
    else if (!goacc_on_device(at))
        name_host(access, entry, at, &named);
    remember(unwritten, access, pair, named.object.name);
    struct goacc_finding read =
        finding(access, unwritten, "ACC33-2.7-1", &named, mapped_at(&named));
    if (pair && goacc_on_device(at) && tell_written(access, pair, written, sizeof written)) {
        snprintf(help, sizeof help, "%s, or use copyin instead of create, copy instead of copyout", written);
        snprintf(openmp, sizeof openmp, "%s, or map with to instead of alloc, tofrom instead of from", written);
        read.help = help;
        read.openmp = openmp;
    }
    if (!pair) {
        read.help =
            goacc_on_device(at)
                ? "write the memory first, in a region or by a copy to the device"
                : "let a region write all that is copied back, or use copy instead of copyout";
        read.openmp =
            goacc_on_device(at)
                ? read.help
                : "let a region write all that is copied back, or map with tofrom instead of from";
    }
    goacc_find(&read,
               goacc_on_device(at) ? "%s reads %s, to which nothing was written on the device"
                                   : "%s reads %s, which was copied from device memory that nothing was written to",
               actor(who, sizeof who), named.element);
}

void goacc_report_clash(const struct goacc_access *access, bool frees, const struct goacc_used *earlier, bool written,
                        bool last)
{
    const struct goacc_site *site = goacc_kernel_site ? goacc_kernel_site : goacc.site;
    const struct goacc_used own = {goacc_own.turn, goacc_kernel_site ? site->call.pc : 0, site->what};
    const struct goacc_part part = goacc_part_of(access->at, 1);
    char who[1300], work[1300], where[1100] = "", remedy[100];
    struct goacc_pair pair;
    struct named named = {.element = "device memory"};
    const bool device = goacc_on_device(access->at);
    const bool known = device ? goacc_pair_at(access->at, &pair) : goacc_pair_of(goacc_own.device, access->at, &pair);
    if (is_again(missing, access, known ? &pair : NULL))
        return;
    if (known)
        name(access, &pair, access->at, &named);
    remember(missing, access, known ? &pair : NULL, named.object.name);
    goacc_order_spell_work(&own, who, sizeof who);
    goacc_order_spell_work(earlier, work, sizeof work);
    goacc_order_remedy(earlier->turn, remedy, sizeof remedy);
    struct goacc_mark mark = {0};
    if (written && last && device)
        mark = written_at(*part.note, where, sizeof where);
    if (!mark.file)
        goacc_line(earlier->pc, &mark.file, &mark.line, NULL);
    mark.is = written ? "written" : "read";
    const struct goacc_finding clash =
        finding(access, missing, frees ? "ACC33-async-4" : "ACC33-async-2", &named, mark);
    goacc_find(&clash, "%s %s %s%s; %s %s it%s, and %s", who, frees ? "frees" : access->write ? "writes" : "reads",
               named.element, !known ? "" : device ? " on the device" : " on the host", work,
               written ? "writes" : "reads", where, remedy);
}

void goacc_report_unwaited(const struct goacc_access *access, bool frees, const struct goacc_transfer *transfer)
{
    const struct goacc_site site = site_of(access);
    struct goacc_mark mark = {.is = transfer->writes ? "written" : "read"};
    struct named named = {.object = transfer->shown};
    char work[1300], remedy[100];
    if (goacc_find_again(missing, place_of(access), named.object.name))
        return;
    const uint64_t at = access->at > transfer->host ? access->at : transfer->host;
    goacc_spell_element(&site, transfer->object, transfer->object_bytes, at - transfer->object, named.object.name,
                        named.element, sizeof named.element);
    goacc_order_spell_work(&transfer->used, work, sizeof work);
    goacc_order_remedy(transfer->used.turn, remedy, sizeof remedy);
    goacc_line(transfer->used.pc, &mark.file, &mark.line, NULL);
    const struct goacc_finding early = finding(access, missing, "ACC33-async-2", &named, mark);
    goacc_find(&early, "the host %s %s; %s %s it on the host, and %s",
               frees ? "frees" : access->write ? "writes" : "reads",
               named.element, work, transfer->writes ? "writes" : "reads", remedy);
}

/* Whether a byte of an object, on either side, lies in an attached pointer. */
static bool is_attached(const struct goacc_pair *pair, uint64_t at)
{
    accd_attachment pointer;
    const uintptr_t host = goacc_on_device(at) ? goacc_other(pair, at) : at;
    const void *slot = (const void *)(host - host % sizeof(void *));
    return accd_attachment_at(goacc.context, pair->device, slot, &pointer);
}

void goacc_report_stale(const struct goacc_access *access, uint64_t at, const struct goacc_pair *pair,
                        uint32_t note)
{
    char who[200], where[1100], place[1100] = "", left_out[1200] = "";
    struct named named;
    const bool device = goacc_on_device(at);
    if (is_again(stale, access, pair) || differs_in_padding(access, pair))
        return;
    name(access, pair, at, &named);
    remember(stale, access, pair, named.object.name);
    if (device && goacc_lost_update() && goacc_declared((const void *)(uintptr_t)pair->host)) {
        goacc_place(goacc_lost_update(), place, sizeof place);
        snprintf(left_out, sizeof left_out, "; the update%s arrived without its variables", place);
    }
    struct goacc_finding read =
        finding(access, stale, "ACC33-upd-1", &named, written_at(note, where, sizeof where));
    read.help = device ? "send the change to the device before: update device({1|...})"
                       : "fetch the change from the device before: update self({1|...})";
    read.openmp = device ? "send the change to the device before: target update to({1|...})"
                         : "fetch the change from the device before: target update from({1|...})";
    if (is_attached(pair, at)) {
        read.help = device ? "detach the pointer before the host changes it, and attach it afterwards: "
                             "update leaves attached pointers as they are"
                           : "set the pointer on the host, too: update leaves attached pointers as they are";
        read.openmp =
            device ? "unmap the pointer's section before the host changes the pointer, and map it "
                     "afterwards: target update leaves attached pointers as they are"
                   : "set the pointer on the host: target update leaves attached pointers as they are";
    }
    goacc_find(&read, "%s reads an old state of %s: the %s has changed it%s, and no transfer has sent the change%s",
               actor(who, sizeof who), named.element, device ? "host" : "device", where, left_out);
}

void goacc_report_lost(const struct goacc_access *access, uint64_t at)
{
    struct lost *entry = lost_at(at);
    char where[1100], gone[1100], who[200];
    const char *file;
    int line;
    struct named named;
    if (!entry || goacc_find_again(stale, place_of(access), entry->name))
        return;
    name_host(access, entry, at, &named);
    snprintf(gone, sizeof gone, "its data were removed from the device");
    if (entry->region && goacc_line(entry->region, &file, &line, NULL))
        snprintf(gone, sizeof gone,
                 "the end of the region of %s:%d removed its data from the device", file, line);
    else if (goacc_line(entry->pc, &file, &line, NULL))
        snprintf(gone, sizeof gone, "%s:%d removed its data from the device", file, line);
    struct goacc_finding read =
        finding(access, stale, "ACC33-upd-1", &named, written_at(entry->note, where, sizeof where));
    read.help = "copy the data back as they are removed: copyout({1|...}), or copy";
    read.openmp = "copy the data back as they are removed: map(from: {1|...}), or tofrom";
    goacc_find(&read,
               "%s reads an old state of %s: the device has changed it%s, and no transfer has sent the "
               "change before %s",
               actor(who, sizeof who), named.element, where, gone);
}

void goacc_report_overwritten(const struct goacc_pair *pair, uint64_t at, uint32_t note)
{
    char where[1100];
    struct named named;
    const bool device = goacc_on_device(at);
    name(NULL, pair, at, &named);
    const struct goacc_finding change =
        finding(NULL, overwritten, "ACC33-upd-1", &named, written_at(note, where, sizeof where));
    const char *side = device ? "device" : "host";
    char call[1200];
    goacc_spell_call(call, sizeof call);
    goacc_find(&change, "%s overwrites %s on the %s, which the %s has changed%s", call,
               named.element, side, side, where);
}

/* ------------------------------------------------------------------------------------- bounds -- */

/* The object that lies nearest to a device address. False: none is near. */
static bool nearest(uint64_t at, struct goacc_pair *pair)
{
    enum { NEAR = 1 << 20 };
    const int device = goacc_kernel_device;
    uint64_t host = 0, best = NEAR, start, bytes;
    while (accd_present_in(goacc.context, device, &host, UINT64_MAX, &start, &bytes)) {
        const uint64_t dev = accd_device_address(goacc.context, device, (const void *)(uintptr_t)start);
        const uint64_t distance = at < dev ? dev - at : at - (dev + bytes);
        if (distance >= best)
            continue;
        best = distance;
        *pair = (struct goacc_pair){start, dev, bytes, device};
    }
    return best < NEAR;
}

void goacc_report_outside(const struct goacc_access *access, uint64_t at)
{
    char who[200];
    const char *does = access->write ? "writes" : "reads";
    struct goacc_pair pair;
    actor(who, sizeof who);
    if (nearest(at, &pair)) {
        struct named named;
        name(access, &pair, at, &named);
        struct goacc_finding use = finding(access, outside, "ACC33-2.7.1-1", &named, mapped_at(&named));
        const accd_object_info object = {.host = pair.host, .bytes = pair.bytes};
        use.level = "error";
        use.help = goacc_help_beside(pair.device, &object, (int64_t)(at - pair.dev));
        goacc_find(&use, "%s %s %s, %s of the data on the device", who, does, named.element,
                   at < pair.dev ? "before the beginning" : "after the end");
    } else {
        goacc_tell("error", outside, "ACC33-2.7.1-1", place_of(access), "%s %s %p, where no data are on the device",
                   who, does, (void *)(uintptr_t)at);
    }
    goacc_end();
}

void goacc_report_on_host(const struct goacc_access *access)
{
    char who[200];
    goacc_tell_host(goacc_kernel_site, goacc_kernel_device, actor(who, sizeof who),
                    access->write ? "writes" : "reads", access->at, place_of(access));
}

void goacc_report_on_device(const struct goacc_access *access)
{
    struct goacc_pair pair;
    struct named named = {.element = ""};
    if (goacc_pair_at(access->at, &pair))
        name(access, &pair, access->at, &named);
    struct goacc_finding use =
        finding(access, "device-pointer-on-host", "ACC33-hd-1", &named, (struct goacc_mark){0});
    use.level = "error";
    if (!*named.element) {
        use.help =
            "copy the memory to or from the host: acc_memcpy_from_device, acc_memcpy_to_device";
        use.openmp = "copy the memory to or from the host: omp_target_memcpy";
    }
    goacc_find(&use, "the host program %s the device address %p%s%s", access->write ? "writes to" : "reads from",
               (void *)(uintptr_t)access->at, *named.element ? ", which is that of " : "", named.element);
    goacc_end();
}

void goacc_check_end(void)
{
    nlost = 0;
    goacc_unused_end();
    goacc_objects_end();
}
