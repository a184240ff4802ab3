/* protection_map.c - builds the protection map from the modules of the process and its mappings.
 *
 *      mappings, private and writable   [======]     [==========]        [====]     from the operating system
 *      exempt: open, own, system, arena    [=]          [==]             [====]     merged, whole pages
 *      protected                        [=] [=]      [==]  [====]                   mappings without exempt
 *
 * INVARIANTS. Each list is sorted by address and disjoint after merge_intervals. All lists lie in the arena, so that
 * they stay readable while memory is protected. If a list grows while the map is built, the arena may have a new
 * mapping, and the map is built again. After rt_protection_scan_modules no function takes a lock of the C library.
 * Called by page_guard.c. */
#include "lib/segments.h"
#include "lib/vector.h"
#include "protection_map.h"

#include <assert.h>
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

/* CONTROL_BLOCK: bytes of a thread's control block, from the thread pointer on. RSEQ: bytes of the area for restartable
 * sequences, at __rseq_offset from the thread pointer; older C libraries do not define this variable. The operating
 * system writes to that area whenever it moves a thread, even a sleeping one. */
#pragma weak __rseq_offset
extern const ptrdiff_t __rseq_offset;
enum { CONTROL_BLOCK = 4096, RSEQ = 64 };

/* ------------------------------------------------------------------------------------- lists -- */

/* Returns `items` with capacity for `needed` elements of `size` bytes, moved if it has grown. Then *capacity is the new
 * number of elements, and protections->has_grown is set. Returns NULL without memory; `items` is unchanged then. */
static void *reserve_items(struct rt_protection_map *protections, void *items, size_t *capacity, size_t needed,
                           size_t size)
{
    assert(size);
    if (needed <= *capacity)
        return items;
    size_t new_capacity = needed + needed / 2 + 64;
    void *p = rt_arena_realloc(NULL, items, *capacity * size, new_capacity * size);
    if (!p)
        return NULL;
    *capacity = new_capacity;
    protections->has_grown = true;
    return p;
}

/* Appends the interval from `start` to `end` to a list, unless the interval is empty. Returns false without memory. */
static bool add_interval(struct rt_protection_map *protections, struct rt_interval_list *spans, uint64_t start,
                         uint64_t end)
{
    if (start >= end)
        return true;
    void *at = reserve_items(protections, spans->at, &spans->capacity, spans->n + 1, sizeof spans->at[0]);
    if (!at)
        return false;
    spans->at = at;
    spans->at[spans->n++] = (struct rt_interval){start, end};
    return true;
}

/* Restores the order of the binary heap at[0] to at[n - 1], whose root has the largest start, if element i is
 * too small for its place. */
static void sift_down(struct rt_interval *at, size_t i, size_t n)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && at[child].start < at[child + 1].start)
            child++;
        if (at[i].start >= at[child].start)
            return;
        struct rt_interval span = at[i];
        at[i] = at[child];
        at[child] = span;
    }
}

/* Sorts n intervals by start. qsort is not used, because it may call malloc. */
static void heap_sort(struct rt_interval *at, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift_down(at, i, n);
    while (n-- > 1) {
        struct rt_interval last = at[n];
        at[n] = at[0];
        at[0] = last;
        sift_down(at, 0, n);
    }
}

/* Sorts the intervals of a list by start, and joins intervals that overlap or touch. */
static void merge_intervals(struct rt_interval_list *spans)
{
    if (spans->n == 0)
        return;
    heap_sort(spans->at, spans->n);
    size_t last = 0;
    for (size_t i = 1; i < spans->n; i++) {
        struct rt_interval next = spans->at[i];
        if (next.start > spans->at[last].end)
            spans->at[++last] = next;
        else if (next.end > spans->at[last].end)
            spans->at[last].end = next.end;
    }
    spans->n = last + 1;
}

/* Returns the interval of a list that contains an address; NULL if there is none. The list must be sorted and disjoint.
 */
static const struct rt_interval *find_interval(const struct rt_interval_list *spans, uint64_t address)
{
    const size_t n = rt_count_up_to(spans->at, spans->n, sizeof *spans->at, address);
    return n && address < spans->at[n - 1].end ? &spans->at[n - 1] : NULL;
}

/* ----------------------------------------------------------------------------------- modules -- */

/* State of an iteration by list_module. modules: number of modules listed; 0 at the end: nothing was loaded
 * or unloaded, so that the old lists are still right. has_failed: true without memory. */
struct module_listing {
    struct rt_protection_map *protections;
    size_t modules;
    bool has_failed;
};

/* Returns true if `text` begins with `prefix`. */
static bool starts_with(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

/* Returns true if a path is in a library folder of the system, or if its file name is that of the C library's
 * or a compiler's runtime libraries. */
static bool is_system_path(const char *path)
{
    static const char *const folders[] = {"/lib/",       "/lib32/",     "/lib64/",       "/usr/lib/",
                                          "/usr/lib32/", "/usr/lib64/", "/usr/libexec/", "linux-vdso"};
    static const char *const names[] = {
        "ld-linux", "ld-2.",      "libc.",   "libc-2.",       "libm.",     "libm-2.",    "libmvec",      "libpthread",
        "libdl.",   "libdl-2.",   "librt.",  "librt-2.",      "libgcc_s.", "libstdc++.", "libgfortran.", "libquadmath.",
        "libgomp.", "libatomic.", "libomp.", "libomptarget.", "libdw.",    "libdw-",     "libelf.",      "libelf-"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (starts_with(path, folders[i]))
            return true;
    const char *slash = strrchr(path, '/');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (starts_with(slash ? slash + 1 : path, names[i]))
            return true;
    return false;
}

/* Tables that a module's dynamic section names: symbols, their names, relocations of data [0] and of calls [1] with
 * their sizes in bytes, and the table of called addresses (plt). Fields of absent tables are 0. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
    uint64_t plt;
};

/* Returns the absolute address of a pointer in the dynamic section. The C library has relocated such pointers in some
 * modules only. */
static uint64_t get_absolute_address(const struct dl_phdr_info *info, uint64_t pointer)
{
    return pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer;
}

/* Reads the tables of the module `info` from its dynamic section into *t. Fields of absent tables are not changed. */
static void read_tables(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic, struct tables *t)
{
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uint64_t address = get_absolute_address(info, dynamic->d_un.d_ptr);
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

/* Returns true if a loaded segment of the module `info` contains the address. */
static bool is_in_module(const struct dl_phdr_info *info, uint64_t address)
{
    return rt_find_segment(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, address, 1, 0);
}

/* Returns true if a module is this library or lies in a system path. `number` is its position in the list of modules;
 * the program itself, number 0, is never a system module. */
static bool is_system_module(const struct dl_phdr_info *info, size_t number)
{
    return is_in_module(info, (uintptr_t)is_system_module) || (number > 0 && is_system_path(info->dlpi_name));
}

/* Callback of dl_iterate_phdr: returns 0, to continue, if the address *address_p is outside of the module. Returns 2 if
 * the module is a system library and 1 if it is any other module. */
static int is_system_symbol(struct dl_phdr_info *info, size_t size, void *address_p)
{
    (void)size;
    return is_in_module(info, *(uint64_t *)address_p) ? is_system_path(info->dlpi_name) + 1 : 0;
}

/* Returns true if the variable `name`, which the linker has copied from a library into the program, belongs to a system
 * library, as stdout does. Returns false if a library of the program defines it. */
static bool is_system_variable(const char *name)
{
    uint64_t address = (uintptr_t)dlsym(RTLD_NEXT, name);
    return !address || dl_iterate_phdr(is_system_symbol, &address) != 1;
}

/* Adds parts of a module that any code may read to `constant`: the linker's tables, and variables of the
 * system's libraries that the linker has copied into the module. They share pages with variables of the
 * program. Returns false without memory. */
static bool add_tables(struct rt_protection_map *protections, const struct dl_phdr_info *info, const struct tables *t)
{
    struct rt_interval_list *constant = &protections->constant;
    struct rt_interval got_range = {UINT64_MAX, 0};
    size_t slots = 3 + t->bytes[1] / sizeof(ElfW(Rela));
    if (t->plt && !add_interval(protections, constant, t->plt, t->plt + slots * sizeof(ElfW(Addr))))
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
            got_range.start = slot < got_range.start ? slot : got_range.start;
            got_range.end = slot + 8 > got_range.end ? slot + 8 : got_range.end;
            break;
        case R_X86_64_COPY:
            if (is_system_variable(t->names + symbol->st_name) &&
                !add_interval(protections, constant, slot, slot + symbol->st_size))
                return false;
            break;
        }
    }
    return add_interval(protections, constant, got_range.start, got_range.end);
}

/* Adds the whole image of a system module (`is_system`) to `system`; for any other module, adds the linker's
 * tables to `constant`. Returns false without memory. */
static bool add_module(struct rt_protection_map *protections, const struct dl_phdr_info *info, bool is_system)
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
            if (!add_interval(protections, &protections->constant, from, to))
                return false;
        } else if (part->p_type == PT_DYNAMIC && !is_system) {
            read_tables(info, (const ElfW(Dyn) *)from, &tables);
        }
    }
    if (is_system)
        return start >= end || add_interval(protections, &protections->system, rt_page_down(start), rt_page_up(end));
    return add_tables(protections, info, &tables);
}

/* Callback of dl_iterate_phdr: adds a module to the lists. The first call returns 1, which stops the iteration, if no
 * module was loaded or unloaded since the last listing. Returns 1 without memory, too; `has_failed` is set then. */
static int list_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct module_listing *module_listing = arg;
    struct rt_protection_map *protections = module_listing->protections;
    if (module_listing->modules == 0) {
        if (protections->nloaded == info->dlpi_adds && protections->nunloaded == info->dlpi_subs)
            return 1;
        protections->nloaded = protections->nunloaded = 0;
        protections->system.n = protections->constant.n = 0;
    }
    module_listing->has_failed = !add_module(protections, info, is_system_module(info, module_listing->modules++));
    if (module_listing->has_failed)
        return 1;
    protections->nloaded = info->dlpi_adds;
    protections->nunloaded = info->dlpi_subs;
    return 0;
}

/* Lists the loaded modules again if modules were loaded or unloaded. Returns false without memory. */
bool rt_protection_scan_modules(struct rt_protection_map *protections)
{
    struct module_listing module_listing = {protections, 0, false};
    dl_iterate_phdr(list_module, &module_listing);
    if (module_listing.has_failed) {
        protections->nloaded = 0;
        return false;
    }
    if (module_listing.modules > 0) {
        merge_intervals(&protections->system);
        merge_intervals(&protections->constant);
    }
    return true;
}

/* ---------------------------------------------------------------------------------- mappings -- */

/* Iterator over the mappings of the process, in ascending order. It does not change errno. */
struct mappings {
    long file;      /* file number of /proc/self/maps, or negative */
    uint64_t from;  /* address from which the next query searches a mapping */
    const char *at; /* position in the text of /proc/self/maps; NULL: queries are used instead of the text */
    /* intervals that queries skip, as their mappings are not needed (the text has them, too); NULL: no such
     * intervals */
    const struct rt_interval_list *skipped_intervals;
};

/* Argument of the query for one mapping: PROCMAP_QUERY of Linux 6.11 and later. */
struct query {
    uint64_t bytes, flags, address, start, end, mapping_flags, page_bytes, offset, inode;
    uint32_t major, minor, name_bytes, id_bytes;
    uint64_t name, id;
};
enum { READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8, THIS_OR_NEXT = 16 };

/* Reads /proc/self/maps into protections->text, where mappings->at then points. Returns false without memory, or if the
 * file cannot be read. */
static bool read_text(struct rt_protection_map *protections, struct mappings *mappings)
{
    size_t length = 0;
    ssize_t nread;
    do {
        char *text =
            reserve_items(protections, protections->text, &protections->text_capacity, length + RT_PAGE_SIZE + 1, 1);
        protections->text = text ? text : protections->text;
        nread = text ? rt_raw_syscall(SYS_read, mappings->file, (long)(text + length), RT_PAGE_SIZE, 0, 0, 0) : -1;
        length += nread > 0 ? (size_t)nread : 0;
    } while (nread > 0);
    if (nread == 0)
        protections->text[length] = '\0';
    mappings->at = protections->text;
    return nread == 0;
}

/* Reads a hexadecimal number at *at, and moves *at past it; 0 if there is no digit. */
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

/* Parses lines "start-end rwxp offset ..." from *at on, up to the next private writable mapping, which is written to
 * *mapping_p. Moves *at past the line. Returns false at the end of the text. */
static bool parse_mapping_line(const char **at, struct rt_protected_range *mapping_p)
{
    while (**at) {
        uint64_t start = read_hex(at);
        *at += **at == '-';
        uint64_t end = read_hex(at);
        const char *flags = *at + (**at == ' ');
        *at = strchrnul(*at, '\n');
        *at += **at == '\n';
        if (*at - flags > 4 && flags[1] == 'w' && flags[3] == 'p') {
            int protection = PROT_WRITE | (flags[0] == 'r' ? PROT_READ : 0) | (flags[2] == 'x' ? PROT_EXEC : 0);
            *mapping_p = (struct rt_protected_range){start, end, protection};
            return true;
        }
    }
    return false;
}

/* Writes the next private writable mapping to *mapping_p and returns 1. Returns 0 if there is no further mapping, -1 if
 * the mappings cannot be read. Uses the query of Linux 6.11 if the first one succeeds, otherwise the text. */
static int next_mapping(struct rt_protection_map *protections, struct mappings *mappings,
                        struct rt_protected_range *mapping_p)
{
    while (!mappings->at) {
        const struct rt_interval *skipped_intervals =
            mappings->skipped_intervals ? find_interval(mappings->skipped_intervals, mappings->from) : NULL;
        if (skipped_intervals)
            mappings->from = skipped_intervals->end;
        struct query query = {.bytes = sizeof query, .flags = WRITABLE | THIS_OR_NEXT, .address = mappings->from};
        const long result =
            rt_raw_syscall(SYS_ioctl, mappings->file, (long)_IOWR('f', 17, struct query), (long)&query, 0, 0, 0);
        if (result) {
            if (result == -ENOENT)
                return 0;
            if (mappings->from || !read_text(protections, mappings))
                return -1;
            break;
        }
        mappings->from = query.end;
        if (query.mapping_flags & SHARED)
            continue;
        *mapping_p = (struct rt_protected_range){query.start, query.end,
                                                 PROT_WRITE | (query.mapping_flags & READABLE ? PROT_READ : 0) |
                                                     (query.mapping_flags & EXECUTABLE ? PROT_EXEC : 0)};
        return 1;
    }
    return parse_mapping_line(&mappings->at, mapping_p);
}

/* Opens /proc/self/maps for an iteration; the caller must close the file. skipped_intervals: see struct mappings. A
 * failure is noticed by next_mapping. */
static struct mappings begin_mappings(const struct rt_interval_list *skipped_intervals)
{
    const char *path = "/proc/self/maps";
    return (struct mappings){.file = rt_raw_syscall(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0),
                             .skipped_intervals = skipped_intervals};
}

/* Returns true if the private writable mapping that contains `address` begins at `start`. */
bool rt_is_private_mapping(struct rt_protection_map *protections, uint64_t start, uint64_t address)
{
    struct mappings mappings = begin_mappings(NULL);
    struct rt_protected_range mapping = {0};
    int result;
    while ((result = next_mapping(protections, &mappings, &mapping)) > 0 && mapping.end <= address)
        ;
    rt_raw_syscall(SYS_close, mappings.file, 0, 0, 0, 0, 0);
    return result > 0 && mapping.start == start && start <= address;
}

/* Adds the pages of the arena to `exempt`. Returns false without memory. */
static bool exempt_arena(struct rt_protection_map *protections)
{
    size_t n;
    while ((n = rt_arena_list_pages(protections->pages, protections->pages_capacity)) > protections->pages_capacity) {
        void *pages = reserve_items(protections, protections->pages, &protections->pages_capacity, n,
                                    sizeof protections->pages[0]);
        if (!pages)
            return false;
        protections->pages = pages;
    }
    for (size_t i = 0; i < n; i++) {
        struct rt_range pages = protections->pages[i];
        if (!add_interval(protections, &protections->exempt, pages.start, pages.start + pages.bytes))
            return false;
    }
    return true;
}

/* Fills the lists `exempt` (pages not to protect) and `allowed` (ranges of the caller) for a run, sorted and
 * merged. open, own_ranges, threads: see rt_protection_build. Returns false without memory. */
static bool list_exempt(struct rt_protection_map *protections, const struct rt_range *open, size_t nopen,
                        const struct rt_range *own_ranges, size_t nown, const uint64_t *threads, size_t nthreads)
{
    struct rt_interval_list *keep = &protections->exempt;
    keep->n = protections->allowed.n = 0;
    for (size_t i = 0; i < nopen; i++) {
        uint64_t start = open[i].start, end = start + open[i].bytes;
        if (!add_interval(protections, &protections->allowed, start, end) ||
            !add_interval(protections, keep, rt_page_up(start), rt_page_down(end)))
            return false;
    }
    for (size_t i = 0; i < nown; i++)
        if (!add_interval(protections, keep, own_ranges[i].start, own_ranges[i].start + own_ranges[i].bytes))
            return false;
    for (size_t i = 0; i < protections->system.n; i++)
        if (!add_interval(protections, keep, protections->system.at[i].start, protections->system.at[i].end))
            return false;
    for (size_t i = 0; i < nthreads; i++) {
        uint64_t thread = threads[i], rseq = thread;
        if (&__rseq_offset)
            rseq += (uint64_t)__rseq_offset;
        if (!add_interval(protections, keep, rt_page_down(thread), rt_page_up(thread + CONTROL_BLOCK)) ||
            !add_interval(protections, keep, rt_page_down(rseq), rt_page_up(rseq + RSEQ)))
            return false;
    }
    if (!exempt_arena(protections))
        return false;
    merge_intervals(keep);
    merge_intervals(&protections->allowed);
    return true;
}

/* Appends a range to `protected`, or extends the last range of that list if they touch and have the same protection.
 * Ranges must be added in ascending order. Returns false without memory. */
static bool add_protected(struct rt_protection_map *protections, uint64_t start, uint64_t end, int protection)
{
    assert(start < end &&
           (!protections->nprotected || protections->protected[protections->nprotected - 1].end <= start));
    struct rt_protected_range *last =
        protections->nprotected ? &protections->protected[protections->nprotected - 1] : NULL;
    if (last && last->end == start && last->protection == protection) {
        last->end = end;
        return true;
    }
    void *p = reserve_items(protections, protections->protected, &protections->protected_capacity,
                            protections->nprotected + 1, sizeof protections->protected[0]);
    if (!p)
        return false;
    protections->protected = p;
    protections->protected[protections->nprotected++] = (struct rt_protected_range){start, end, protection};
    return true;
}

/* Fills `protected` with the parts of mappings that are not in `exempt`. Both lists are in ascending order. Returns
 * false without memory, or if the mappings cannot be read. */
static bool list_protected(struct rt_protection_map *protections)
{
    const struct rt_interval_list *keep = &protections->exempt;
    struct mappings mappings = begin_mappings(keep);
    struct rt_protected_range mapping;
    size_t k = 0;
    int result;
    protections->nprotected = 0;
    while ((result = next_mapping(protections, &mappings, &mapping)) > 0) {
        uint64_t from = mapping.start;
        while (k < keep->n && keep->at[k].end <= from)
            k++;
        for (size_t j = k; from < mapping.end; j++) {
            uint64_t to = mapping.end;
            if (j < keep->n && keep->at[j].start < to)
                to = keep->at[j].start;
            if (from < to && !add_protected(protections, from, to, mapping.protection))
                result = -1;
            from = to < mapping.end ? keep->at[j].end : to;
        }
        if (result < 0)
            break;
    }
    rt_raw_syscall(SYS_close, mappings.file, 0, 0, 0, 0, 0);
    return result == 0;
}

/* Lists the exempt pages and the ranges to protect; repeats both if a list has moved to new memory. Returns
 * false, with no range to protect, without memory or if the mappings cannot be read. */
bool rt_protection_build(struct rt_protection_map *protections, const struct rt_range *open, size_t nopen,
                         const struct rt_range *own_ranges, size_t nown, const uint64_t *threads, size_t nthreads)
{
    assert((open || !nopen) && (own_ranges || !nown) && (threads || !nthreads));
    bool success;
    do {
        protections->has_grown = false;
        success =
            list_exempt(protections, open, nopen, own_ranges, nown, threads, nthreads) && list_protected(protections);
    } while (success && protections->has_grown);
    if (!success)
        protections->nprotected = 0;
    return success;
}

/* ------------------------------------------------------------------------ protect, unprotect -- */

/* Makes all listed ranges PROT_NONE; removes those that the operating system refuses to protect. */
void rt_protection_apply(struct rt_protection_map *protections)
{
    size_t nprotected = 0;
    for (size_t i = 0; i < protections->nprotected; i++) {
        struct rt_protected_range protected = protections->protected[i];
        if (rt_protect_pages(protected.start, protected.end, PROT_NONE) == 0)
            protections->protected[nprotected++] = protected;
        else
            rt_protect_pages(protected.start, protected.end, protected.protection);
    }
    protections->nprotected = nprotected;
}

/* Gives all listed ranges the protection again that the program has set. */
void rt_protection_lift(const struct rt_protection_map *protections)
{
    for (size_t i = 0; i < protections->nprotected; i++) {
        const struct rt_protected_range protected = protections->protected[i];
        rt_protect_pages(protected.start, protected.end, protected.protection);
    }
}

/* Returns the memory of all lists to the arena. */
void rt_protection_free(struct rt_protection_map *protections)
{
    struct rt_interval_list *spans[] = {&protections->system, &protections->constant, &protections->exempt,
                                        &protections->allowed};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
        rt_arena_realloc(NULL, spans[i]->at, spans[i]->capacity * sizeof(struct rt_interval), 0);
    rt_arena_realloc(NULL, protections->text, protections->text_capacity, 0);
    rt_arena_realloc(NULL, protections->pages, protections->pages_capacity * sizeof(struct rt_range), 0);
    rt_arena_realloc(NULL, protections->protected, protections->protected_capacity * sizeof(struct rt_protected_range),
                     0);
}

/* Returns the listed range that contains an address; NULL: the address is not protected. */
const struct rt_protected_range *rt_find_protected_range(const struct rt_protection_map *protections, uint64_t address)
{
    const struct rt_protected_range *protected = protections->protected;
    const size_t n = rt_count_up_to(protected, protections->nprotected, sizeof *protected, address);
    return n && address < protected[n - 1].end ? &protected[n - 1] : NULL;
}

/* Returns true if an address is in a range of the caller that stays open (`allowed`), or in one that any code
 * may read (`constant`). */
bool rt_is_unrestricted(const struct rt_protection_map *protections, uint64_t address)
{
    return find_interval(&protections->allowed, address) || find_interval(&protections->constant, address);
}

/* Returns true if an address is in the image of a system library. */
bool rt_is_system_library_address(const struct rt_protection_map *protections, uint64_t address)
{
    return find_interval(&protections->system, address) != NULL;
}
