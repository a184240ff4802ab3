/* closing.c - the modules of the process and its mappings: what the program owns is closed, what
 * the system's libraries need to run is not. */
#include "closing.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the control block, from the thread pointer on, the operating system writes to the area for
 * restartable sequences whenever the thread is moved, asleep or not. */
#pragma weak __rseq_offset
extern const ptrdiff_t __rseq_offset;
enum { CONTROL_BLOCK = 4096, RSEQ = 64 };

static uint64_t page_down(uint64_t address)
{
    return address & ~(uint64_t)(GOACC_PAGE - 1);
}

static uint64_t page_up(uint64_t address)
{
    return page_down(address + GOACC_PAGE - 1);
}

/* ------------------------------------------------------------------------------------- lists -- */

/* items with room for `wanted`, moved when it has grown; NULL: no memory. */
static void *reserve(struct goacc_closing *closing, void *items, size_t *room, size_t wanted,
                     size_t size)
{
    if (wanted <= *room)
        return items;
    size_t more = wanted + wanted / 2 + 64;
    void *p = goacc_open_memory(NULL, items, *room * size, more * size);
    if (!p)
        return NULL;
    *room = more;
    closing->grown = true;
    return p;
}

static bool add(struct goacc_closing *closing, struct goacc_spans *spans, uint64_t start,
                uint64_t end)
{
    if (start >= end)
        return true;
    void *at = reserve(closing, spans->at, &spans->room, spans->n + 1, sizeof spans->at[0]);
    if (!at)
        return false;
    spans->at = at;
    spans->at[spans->n++] = (struct goacc_span){start, end};
    return true;
}

static void sink(struct goacc_span *at, size_t i, size_t n)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && at[child].start < at[child + 1].start)
            child++;
        if (at[i].start >= at[child].start)
            return;
        struct goacc_span span = at[i];
        at[i] = at[child];
        at[child] = span;
    }
}

/* Without memory of malloc, as qsort() takes. */
static void sort(struct goacc_span *at, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(at, i, n);
    while (n-- > 1) {
        struct goacc_span last = at[n];
        at[n] = at[0];
        at[0] = last;
        sink(at, 0, n);
    }
}

/* Ascending, and what overlaps or touches becomes one. */
static void join_spans(struct goacc_spans *spans)
{
    if (spans->n == 0)
        return;
    sort(spans->at, spans->n);
    size_t last = 0;
    for (size_t i = 1; i < spans->n; i++) {
        struct goacc_span next = spans->at[i];
        if (next.start > spans->at[last].end)
            spans->at[++last] = next;
        else if (next.end > spans->at[last].end)
            spans->at[last].end = next.end;
    }
    spans->n = last + 1;
}

/* The span that holds an address, or NULL. */
static const struct goacc_span *span_at(const struct goacc_spans *spans, uint64_t address)
{
    size_t low = 0, high = spans->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans->at[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < spans->n && spans->at[low].start <= address ? &spans->at[low] : NULL;
}

/* ----------------------------------------------------------------------------------- modules -- */

struct listing {
    struct goacc_closing *closing;
    size_t modules;
    bool failed;
};

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* A library in a folder of the system, or a runtime of the compiler in a folder of its own. */
static bool is_system_path(const char *path)
{
    static const char *const folders[] = {"/lib/",         "/lib32/",     "/lib64/",
                                          "/usr/lib/",     "/usr/lib32/", "/usr/lib64/",
                                          "/usr/libexec/", "linux-vdso"};
    static const char *const names[] = {
        "ld-linux",  "ld-2.",      "libc.",        "libc-2.",      "libm.",    "libm-2.",
        "libmvec",   "libpthread", "libdl.",       "libdl-2.",     "librt.",   "librt-2.",
        "libgcc_s.", "libstdc++.", "libgfortran.", "libquadmath.", "libgomp.", "libatomic.",
        "libomp.",   "libomptarget.",
        "libdw.",    "libdw-",     "libelf.",      "libelf-"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (starts(path, folders[i]))
            return true;
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (starts(slash ? slash + 1 : path, names[i]))
            return true;
    return false;
}

/* What a module's dynamic section tells. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
    uint64_t plt;
};

/* The C library relocates pointers of the dynamic section, others do not. */
static uint64_t absolute(const struct dl_phdr_info *info, uint64_t pointer)
{
    return pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer;
}

static void read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic,
                        struct tables *t)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uint64_t address = absolute(info, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB:
            t->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_STRTAB:
            t->names = (const char *)address;
            break;
        case DT_PLTGOT:
            t->plt = address;
            break;
        case DT_RELA:
            t->relocations[0] = (const ElfW(Rela) *)address;
            break;
        case DT_RELASZ:
            t->bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_JMPREL:
            t->relocations[1] = (const ElfW(Rela) *)address;
            break;
        case DT_PLTRELSZ:
            t->bytes[1] = dynamic->d_un.d_val;
            break;
        }
    }
}

static bool in_module(const struct dl_phdr_info *info, uint64_t address)
{
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static bool is_system_module(const struct dl_phdr_info *info, size_t number)
{
    return in_module(info, (uintptr_t)is_system_module) ||
           (number > 0 && is_system_path(info->dlpi_name));
}

static int is_system_symbol(struct dl_phdr_info *info, size_t size, void *address_p)
{
    (void)size;
    return in_module(info, *(uint64_t *)address_p) ? is_system_path(info->dlpi_name) + 1 : 0;
}

/* A variable of a library that the linker moved into the program (stdout): the system's, unless a
 * library of the program has it too. */
static bool is_system_variable(const char *name)
{
    uint64_t address = (uintptr_t)dlsym(RTLD_NEXT, name);
    return !address || dl_iterate_phdr(is_system_symbol, &address) != 1;
}

/* Tables of the linker that share pages with variables: any code reads them. */
static bool add_tables(struct goacc_closing *closing, const struct dl_phdr_info *info,
                       const struct tables *t)
{
    struct goacc_spans *constant = &closing->constant;
    struct goacc_span got = {UINT64_MAX, 0};
    size_t slots = 3 + t->bytes[1] / sizeof(ElfW(Rela));
    if (t->plt && !add(closing, constant, t->plt, t->plt + slots * sizeof(ElfW(Addr))))
        return false;
    for (size_t i = 0; i < t->bytes[0] / sizeof(ElfW(Rela)); i++) {
        const ElfW(Rela) *r = &t->relocations[0][i];
        const ElfW(Sym) *symbol = &t->symbols[ELF64_R_SYM(r->r_info)];
        uint64_t slot = info->dlpi_addr + r->r_offset;
        switch (ELF64_R_TYPE(r->r_info)) {
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
        case R_X86_64_DTPMOD64:
        case R_X86_64_TPOFF64:
            got.start = slot < got.start ? slot : got.start;
            got.end = slot + 8 > got.end ? slot + 8 : got.end;
            break;
        case R_X86_64_COPY:
            if (is_system_variable(t->names + symbol->st_name) &&
                !add(closing, constant, slot, slot + symbol->st_size))
                return false;
            break;
        }
    }
    return add(closing, constant, got.start, got.end);
}

static bool add_module(struct goacc_closing *closing, const struct dl_phdr_info *info,
                       bool is_system)
{
    uint64_t start = UINT64_MAX, end = 0;
    struct tables tables = {0};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        if (part->p_type == PT_LOAD) {
            start = from < start ? from : start;
            end = to > end ? to : end;
        } else if (part->p_type == PT_GNU_RELRO && !is_system) {
            if (!add(closing, &closing->constant, from, to))
                return false;
        } else if (part->p_type == PT_DYNAMIC && !is_system) {
            read_tables(info, (const ElfW(Dyn) *)from, &tables);
        }
    }
    if (is_system)
        return start >= end || add(closing, &closing->system, page_down(start), page_up(end));
    return add_tables(closing, info, &tables);
}

static int list_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct listing *listing = arg;
    struct goacc_closing *closing = listing->closing;
    if (listing->modules == 0) {
        if (closing->loaded == info->dlpi_adds && closing->unloaded == info->dlpi_subs)
            return 1;
        closing->loaded = closing->unloaded = 0;
        closing->system.n = closing->constant.n = 0;
    }
    listing->failed = !add_module(closing, info, is_system_module(info, listing->modules++));
    if (listing->failed)
        return 1;
    closing->loaded = info->dlpi_adds;
    closing->unloaded = info->dlpi_subs;
    return 0;
}

bool goacc_closing_modules(struct goacc_closing *closing)
{
    struct listing listing = {closing, 0, false};
    dl_iterate_phdr(list_module, &listing);
    if (listing.failed) {
        closing->loaded = 0;
        return false;
    }
    if (listing.modules > 0) {
        join_spans(&closing->system);
        join_spans(&closing->constant);
    }
    return true;
}

/* ---------------------------------------------------------------------------------- mappings -- */

/* The mappings of the process, in ascending order. The caller's errno stays what it is. */
struct mappings {
    long file;
    uint64_t from;  /* asked for one by one: the next one ends behind */
    const char *at; /* or read as a text; NULL: it is not */
    const struct goacc_spans *skipped; /* what lies in them is not asked for; or NULL */
};

/* One of them, as Linux 6.11 tells. */
struct query {
    uint64_t bytes, flags, address, start, end, mapping_flags, page_bytes, offset, inode;
    uint32_t major, minor, name_bytes, id_bytes;
    uint64_t name, id;
};
enum { READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8, THIS_OR_NEXT = 16 };

static bool read_text(struct goacc_closing *closing, struct mappings *mappings)
{
    size_t length = 0;
    ssize_t got;
    do {
        char *text =
            reserve(closing, closing->text, &closing->text_room, length + GOACC_PAGE + 1, 1);
        closing->text = text ? text : closing->text;
        got = text ? goacc_system(SYS_read, mappings->file, (long)(text + length), GOACC_PAGE, 0, 0,
                                  0)
                   : -1;
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0);
    if (got == 0)
        closing->text[length] = '\0';
    mappings->at = closing->text;
    return got == 0;
}

static uint64_t read_hex(const char **at)
{
    uint64_t n = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            n = n * 16 + (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            n = n * 16 + (uint64_t)(c - 'a' + 10);
        else
            return n;
    }
}

/* A line: start-end rwxp offset ... */
static bool next_line(const char **at, struct goacc_closed *mapping_p)
{
    while (**at) {
        uint64_t start = read_hex(at);
        *at += **at == '-';
        uint64_t end = read_hex(at);
        const char *flags = *at + (**at == ' ');
        *at = strchrnul(*at, '\n');
        *at += **at == '\n';
        if (*at - flags > 4 && flags[1] == 'w' && flags[3] == 'p') {
            int protection =
                PROT_WRITE | (flags[0] == 'r' ? PROT_READ : 0) | (flags[2] == 'x' ? PROT_EXEC : 0);
            *mapping_p = (struct goacc_closed){start, end, protection};
            return true;
        }
    }
    return false;
}

/* The next private writable mapping: 1, none: 0, cannot tell: -1. */
static int next_mapping(struct goacc_closing *closing, struct mappings *mappings,
                        struct goacc_closed *mapping_p)
{
    while (!mappings->at) {
        const struct goacc_span *skipped = mappings->skipped ? span_at(mappings->skipped, mappings->from) : NULL;
        if (skipped)
            mappings->from = skipped->end;
        struct query query = {
            .bytes = sizeof query, .flags = WRITABLE | THIS_OR_NEXT, .address = mappings->from};
        const long result = goacc_system(SYS_ioctl, mappings->file,
                                         (long)_IOWR('f', 17, struct query), (long)&query, 0, 0, 0);
        if (result) {
            if (result == -ENOENT)
                return 0;
            if (mappings->from || !read_text(closing, mappings))
                return -1;
            break;
        }
        mappings->from = query.end;
        if (query.mapping_flags & SHARED)
            continue;
        *mapping_p =
            (struct goacc_closed){query.start, query.end,
                                  PROT_WRITE | (query.mapping_flags & READABLE ? PROT_READ : 0) |
                                      (query.mapping_flags & EXECUTABLE ? PROT_EXEC : 0)};
        return 1;
    }
    return next_line(&mappings->at, mapping_p);
}

static struct mappings begin_mappings(const struct goacc_spans *skipped)
{
    const char *path = "/proc/self/maps";
    return (struct mappings){.file = goacc_system(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0),
                             .skipped = skipped};
}

bool goacc_is_mapping(struct goacc_closing *closing, uint64_t start, uint64_t address)
{
    struct mappings mappings = begin_mappings(NULL);
    struct goacc_closed mapping = {0};
    int result;
    while ((result = next_mapping(closing, &mappings, &mapping)) > 0 && mapping.end <= address)
        ;
    goacc_system(SYS_close, mappings.file, 0, 0, 0, 0, 0);
    return result > 0 && mapping.start == start && start <= address;
}

static bool keep_arena(struct goacc_closing *closing)
{
    size_t n;
    while ((n = goacc_open_pages(closing->pages, closing->pages_room)) > closing->pages_room) {
        void *pages =
            reserve(closing, closing->pages, &closing->pages_room, n, sizeof closing->pages[0]);
        if (!pages)
            return false;
        closing->pages = pages;
    }
    for (size_t i = 0; i < n; i++) {
        struct goacc_range pages = closing->pages[i];
        if (!add(closing, &closing->keep, pages.start, pages.start + pages.bytes))
            return false;
    }
    return true;
}

static bool list_open(struct goacc_closing *closing, const struct goacc_range *open, size_t nopen,
                      const struct goacc_range *own, size_t nown, const uint64_t *threads,
                      size_t nthreads)
{
    struct goacc_spans *keep = &closing->keep;
    keep->n = closing->open.n = 0;
    for (size_t i = 0; i < nopen; i++) {
        uint64_t start = open[i].start, end = start + open[i].bytes;
        if (!add(closing, &closing->open, start, end) ||
            !add(closing, keep, page_up(start), page_down(end)))
            return false;
    }
    for (size_t i = 0; i < nown; i++)
        if (!add(closing, keep, own[i].start, own[i].start + own[i].bytes))
            return false;
    for (size_t i = 0; i < closing->system.n; i++)
        if (!add(closing, keep, closing->system.at[i].start, closing->system.at[i].end))
            return false;
    for (size_t i = 0; i < nthreads; i++) {
        uint64_t thread = threads[i], rseq = thread;
        if (&__rseq_offset)
            rseq += (uint64_t)__rseq_offset;
        if (!add(closing, keep, page_down(thread), page_up(thread + CONTROL_BLOCK)) ||
            !add(closing, keep, page_down(rseq), page_up(rseq + RSEQ)))
            return false;
    }
    if (!keep_arena(closing))
        return false;
    join_spans(keep);
    join_spans(&closing->open);
    return true;
}

static bool add_closed(struct goacc_closing *closing, uint64_t start, uint64_t end, int protection)
{
    struct goacc_closed *last = closing->nclosed ? &closing->closed[closing->nclosed - 1] : NULL;
    if (last && last->end == start && last->protection == protection) {
        last->end = end;
        return true;
    }
    void *p = reserve(closing, closing->closed, &closing->closed_room, closing->nclosed + 1,
                      sizeof closing->closed[0]);
    if (!p)
        return false;
    closing->closed = p;
    closing->closed[closing->nclosed++] = (struct goacc_closed){start, end, protection};
    return true;
}

/* The mappings, which ascend, less what is kept open. */
static bool list_closed(struct goacc_closing *closing)
{
    const struct goacc_spans *keep = &closing->keep;
    struct mappings mappings = begin_mappings(keep);
    struct goacc_closed mapping;
    size_t k = 0;
    int result;
    closing->nclosed = 0;
    while ((result = next_mapping(closing, &mappings, &mapping)) > 0) {
        uint64_t from = mapping.start;
        while (k < keep->n && keep->at[k].end <= from)
            k++;
        for (size_t j = k; from < mapping.end; j++) {
            uint64_t to = mapping.end;
            if (j < keep->n && keep->at[j].start < to)
                to = keep->at[j].start;
            if (from < to && !add_closed(closing, from, to, mapping.protection))
                result = -1;
            from = to < mapping.end ? keep->at[j].end : to;
        }
        if (result < 0)
            break;
    }
    goacc_system(SYS_close, mappings.file, 0, 0, 0, 0, 0);
    return result == 0;
}

/* Lists that grow lie in mappings that the lists must know: repeated until none grows. */
bool goacc_closing_list(struct goacc_closing *closing, const struct goacc_range *open, size_t nopen,
                        const struct goacc_range *own, size_t nown, const uint64_t *threads,
                        size_t nthreads)
{
    bool good;
    do {
        closing->grown = false;
        good =
            list_open(closing, open, nopen, own, nown, threads, nthreads) && list_closed(closing);
    } while (good && closing->grown);
    if (!good)
        closing->nclosed = 0;
    return good;
}

/* ------------------------------------------------------------------------------- close, open -- */

static long protect(const struct goacc_closed *closed, int protection)
{
    return goacc_system(SYS_mprotect, (long)closed->start, (long)(closed->end - closed->start),
                        protection, 0, 0, 0);
}

/* What refuses to be closed stays open. */
void goacc_closing_close(struct goacc_closing *closing)
{
    size_t kept = 0;
    for (size_t i = 0; i < closing->nclosed; i++) {
        struct goacc_closed closed = closing->closed[i];
        if (protect(&closed, PROT_NONE) == 0)
            closing->closed[kept++] = closed;
        else
            protect(&closed, closed.protection);
    }
    closing->nclosed = kept;
}

void goacc_closing_open(const struct goacc_closing *closing)
{
    for (size_t i = 0; i < closing->nclosed; i++)
        protect(&closing->closed[i], closing->closed[i].protection);
}

void goacc_closing_free(struct goacc_closing *closing)
{
    struct goacc_spans *spans[] = {&closing->system, &closing->constant, &closing->keep,
                                   &closing->open};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
        goacc_open_memory(NULL, spans[i]->at, spans[i]->room * sizeof(struct goacc_span), 0);
    goacc_open_memory(NULL, closing->text, closing->text_room, 0);
    goacc_open_memory(NULL, closing->pages, closing->pages_room * sizeof(struct goacc_range), 0);
    goacc_open_memory(NULL, closing->closed, closing->closed_room * sizeof(struct goacc_closed), 0);
}

const struct goacc_closed *goacc_closed_at(const struct goacc_closing *closing, uint64_t address)
{
    size_t low = 0, high = closing->nclosed;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (closing->closed[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < closing->nclosed && closing->closed[low].start <= address;
    return inside ? &closing->closed[low] : NULL;
}

bool goacc_everyone_may(const struct goacc_closing *closing, uint64_t address)
{
    return span_at(&closing->open, address) || span_at(&closing->constant, address);
}

bool goacc_is_system(const struct goacc_closing *closing, uint64_t address)
{
    return span_at(&closing->system, address) != NULL;
}
