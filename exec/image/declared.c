/* declared.c - keeps the variables of declare directives at file scope present, and knows the static memory of the
 * program's modules. Called at the start and, through rt_declared_refresh, by calls that may follow dlopen or
 * dlclose.
 *
 * The compiler makes no call for declared variables. It lists their addresses and sizes in the section
 * .gnu.offload_vars of the program or library, and its kernels use them by name. The runtime therefore makes them
 * present from the start (ACC33-2.6.7-1), and swaps the bytes of host and device around each kernel:
 *
 *      before the kernel   host variable: host value     device copy: device value
 *      in the kernel       host variable: device value   device copy: host value
 *      after the kernel    host variable: host value     device copy: device value, with what the kernel wrote
 *
 * While the bytes are swapped, no other kernel or directive runs, but other threads of the host see the device's
 * values. The time of a swap grows with the size of the variables.
 *
 * Life of a module: a scan finds it (loaded), its table is read (is_read), and its variables are mapped in one region
 * for each device (open). After dlclose it is removed, before new modules are read, which may lie at its addresses. */
#include "base/context.h"
#include "base/runtime.h"
#include "diag/diagnostics.h"
#include "diag/errors.h"
#include "diag/label.h"
#include "lib/arena.h"
#include "lib/segments.h"
#include "lib/vector.h"
#include "allocatable.h"
#include "declared.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* flag in the size of an entry of the compiler's list: the variable is one of declare link */
static const uint64_t link_flag = (uint64_t)1 << 63;
/* DEVICES_MOST: largest number of devices. LARGE: the initial value of a variable of zeros is not stored if it has more
 * bytes */
enum { DEVICES_MOST = 64, LARGE = 1 << 20 };

/* Entry of the compiler's list of declared variables. */
struct declared_entry {
    char *host;
    uint64_t bytes; /* size; with link_flag, the variable is present only while a clause maps it */
};

/* Declared variable of a module. */
struct declared {
    char *host;
    uint64_t bytes;
    bool link;     /* clause link: the variable is present only while a clause maps it */
    char *initial; /* value at the program's start; NULL: unknown */
};

/* Module: the program, or a library that does not belong to the system, with its load address `base`. */
struct module {
    uintptr_t base;
    char path[512];
    struct declared *variables;
    size_t nvariables;
    accd_region *regions[DEVICES_MOST]; /* regions that hold the variables until the end */
    bool is_loaded;                     /* true if found by the latest scan */
    bool is_read, open; /* is_read: the list of declared variables was read; open: the variables are present */
};
static struct module *modules;
static size_t nmodules, modules_capacity;

/* Read-only memory of modules, sorted by address. */
static struct rt_range *constants;
static size_t nconstants, constants_capacity;
/* writable gap between two ranges of `constants`, in which rt_is_constant found an address last; 0 bytes: none yet */
static struct rt_range last_gap;
uint64_t rt_statics_low, rt_statics_bytes; /* start and size of static memory; 0 bytes: not known */

static unsigned long long seen_loads, seen_unloads; /* numbers of loads and unloads at the latest scan */
static bool has_late_instrumentation;               /* true if the library for instrumented programs was loaded late */
const struct link_map *rt_last_module;              /* last module of the dynamic linker's list at the latest scan */
#pragma weak _r_debug

/* -------------------------------------------------------------------------------------- file -- */

/* Mapped file of a module. */
struct file {
    const char *at;
    size_t size;
};

/* Maps a file for reading; the caller must unmap it. Returns false if the file cannot be read or is too short for an
 * ELF header. */
static bool map_file(struct file *file, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool large = !fstat(fd, &status) && status.st_size >= (off_t)sizeof(Elf64_Ehdr);
    file->size = large ? (size_t)status.st_size : 0;
    file->at = large ? mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    return file->at != MAP_FAILED;
}

/* Returns true if `bytes` bytes at `offset` lie within the file. */
static bool is_in_file(const struct file *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset;
}

/* Returns the list of declared variables in the memory of a module loaded at `base`, and stores its length in *n_p.
 * Returns NULL if the module has no such list or its file is malformed. */
static const struct declared_entry *find_table(const struct file *file, uintptr_t base, size_t *n_p)
{
    assert(file->at && n_p);
    static const char section_name[] = ".gnu.offload_vars";
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)file->at;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(file->at + head->e_shoff);
    if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_shentsize != sizeof *sections || head->e_shstrndx >= head->e_shnum ||
        !is_in_file(file, head->e_shoff, head->e_shnum * sizeof *sections))
        return NULL;
    const Elf64_Shdr *names = &sections[head->e_shstrndx];
    for (size_t i = 0; i < head->e_shnum; i++)
        if (sections[i].sh_flags & SHF_ALLOC &&
            is_in_file(file, names->sh_offset + sections[i].sh_name, sizeof section_name) &&
            !memcmp(file->at + names->sh_offset + sections[i].sh_name, section_name, sizeof section_name)) {
            *n_p = sections[i].sh_size / sizeof(struct declared_entry);
            return (const struct declared_entry *)(base + sections[i].sh_addr);
        }
    return NULL;
}

/* Relocates `initial`, a copy of the value that the file has for the variable of `bytes` bytes at `host`: writes the
 * addresses that the dynamic linker writes into the variable. base: load address of the module. */
static void relocate(const struct file *file, uintptr_t base, const char *host, uint64_t bytes, char *initial)
{
    assert(initial);
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)file->at;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(file->at + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_RELA || !(sections[i].sh_flags & SHF_ALLOC) ||
            !is_in_file(file, sections[i].sh_offset, sections[i].sh_size))
            continue;
        const Elf64_Rela *list = (const Elf64_Rela *)(const void *)(file->at + sections[i].sh_offset);
        for (size_t k = 0; k < sections[i].sh_size / sizeof *list; k++) {
            const uint64_t offset = base + list[k].r_offset - (uintptr_t)host;
            uint64_t word = base + (uint64_t)list[k].r_addend;
            if (offset >= bytes || bytes - offset < sizeof word)
                continue;
            /* R_X86_64_64 refers to a symbol, maybe of another module, so the linker's result in the variable is copied
             */
            if (ELF64_R_TYPE(list[k].r_info) == R_X86_64_64)
                memcpy(&word, host + offset, sizeof word);
            if (ELF64_R_TYPE(list[k].r_info) == R_X86_64_64 || ELF64_R_TYPE(list[k].r_info) == R_X86_64_RELATIVE)
                memcpy(initial + offset, &word, sizeof word);
        }
    }
}

/* Returns the value of a declared variable at the program's start, read from the file of the module at `base`; the
 * caller must free it. NULL: the variable lies in another module, is zero and larger than LARGE, the file is malformed,
 * or memory is exhausted. */
static char *read_initial_value(const struct file *file, uintptr_t base, const struct declared_entry *entry)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)file->at;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(file->at + head->e_phoff);
    const uint64_t bytes = entry->bytes & ~link_flag, address = (uintptr_t)entry->host;
    if (!is_in_file(file, head->e_phoff, head->e_phnum * sizeof *parts))
        return NULL;
    const Elf64_Phdr *part = rt_find_segment(parts, head->e_phnum, base, address, 1, 0);
    const uint64_t offset = part ? address - base - part->p_vaddr : 0;
    uint64_t file_bytes = part && offset < part->p_filesz ? part->p_filesz - offset : 0;
    file_bytes = file_bytes < bytes ? file_bytes : bytes;
    /* A variable without bytes in the file is zero; if it is large, its value is not stored, to save memory. */
    if (!part || (!file_bytes && bytes > LARGE) || !is_in_file(file, part->p_offset + offset, file_bytes))
        return NULL;
    char *initial = calloc(1, bytes);
    if (!initial)
        return NULL;
    memcpy(initial, file->at + part->p_offset + offset, file_bytes);
    relocate(file, base, entry->host, bytes, initial);
    return initial;
}

/* -------------------------------------------------------------------------------------- scan -- */

/* Callback of dl_iterate_phdr, for the first module only: stores the counts of loads and unloads in *ud, and the last
 * module of the linker's list in rt_last_module. The list is stable because no call that changes it is active here. */
static int count_module_loads(struct dl_phdr_info *info, size_t size, void *ud)
{
    (void)size;
    *(struct dl_phdr_info *)ud = *info;
    const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;
    while (map && map->l_next)
        map = map->l_next;
    rt_last_module = map && map->l_addr == _r_debug.r_ldbase ? map : NULL;
    return 1;
}

/* Callback of dl_iterate_phdr: records the read-only memory of a module, and the module itself unless it belongs to the
 * system. Returns 0, so that the iteration continues. Ends the program without memory; ud is not used. */
static int add_module(struct dl_phdr_info *info, size_t size, void *ud)
{
    (void)size, (void)ud;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_GNU_RELRO && (part->p_type != PT_LOAD || part->p_flags & PF_W))
            continue;
        if (!RT_RESERVE(rt_heap_realloc, constants, nconstants, constants_capacity))
            rt_fatal("out-of-memory", "no memory for the list of the program's libraries");
        constants[nconstants++] = (struct rt_range){info->dlpi_addr + part->p_vaddr, part->p_memsz};
    }
    has_late_instrumentation |= !rt.options.instrumented && strstr(path, "/libaccdeep-check.so");
    /* Libraries of the system have no declared variables. */
    if (!strncmp(path, "/lib/", 5) || !strncmp(path, "/usr/lib/", 9))
        return 0;
    for (size_t i = 0; i < nmodules; i++)
        if (modules[i].base == info->dlpi_addr && !strcmp(modules[i].path, path)) {
            modules[i].is_loaded = true;
            return 0;
        }
    if (!RT_RESERVE(rt_heap_realloc, modules, nmodules, modules_capacity))
        rt_fatal("out-of-memory", "no memory for the list of the program's libraries");
    struct module *module = &modules[nmodules++];
    *module = (struct module){.base = info->dlpi_addr, .is_loaded = true};
    snprintf(module->path, sizeof module->path, "%s", path);
    return 0;
}

/* Compares ranges by start, for qsort. */
static int compare_ranges(const void *a, const void *b)
{
    const struct rt_range *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Returns true if an address is in read-only memory of the program or a library, at the latest scan. Remembers the gap
 * around an address that is not, so that later calls are short. */
bool rt_is_constant(const void *host)
{
    uint64_t address = (uintptr_t)host;
    if (address - last_gap.start < last_gap.bytes)
        return false;
    const size_t low = rt_count_up_to(constants, nconstants, sizeof *constants, address);
    if (low && address - constants[low - 1].start < constants[low - 1].bytes)
        return true;
    last_gap.start = low ? constants[low - 1].start + constants[low - 1].bytes : 0;
    last_gap.bytes = (low < nconstants ? constants[low].start : UINT64_MAX) - last_gap.start;
    return false;
}

/* Search for executable memory at an address. is_code: the result. */
struct code_search {
    uint64_t address;
    bool is_code;
};

/* Callback of dl_iterate_phdr: sets `is_code` of the search *ud if the address lies in code of the module. Returns 1,
 * to stop, if found. */
static int find_code(struct dl_phdr_info *info, size_t size, void *ud)
{
    struct code_search *search = ud;
    (void)size;
    search->is_code = rt_find_segment(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, search->address, 1, PF_X);
    return search->is_code;
}

/* Returns true if code of the program or a library is at an address. */
bool rt_is_code(const void *address)
{
    struct code_search search = {.address = (uintptr_t)address};
    if (rt_is_constant(address))
        dl_iterate_phdr(find_code, &search);
    return search.is_code;
}

/* Sets the range of static memory: from the end of the last read-only range before the heap up to the heap. The range
 * is empty if the heap is not known, or if device memory may lie in it. */
void rt_find_static_range(void)
{
    const uint64_t heap = rt.heap_start;
    rt_statics_bytes = 0;
    if (!heap || heap == UINT64_MAX || rt_is_constant((const void *)(uintptr_t)(heap - 1)))
        return;
    if (rt.device_low < heap && rt.device_high > last_gap.start)
        return;
    rt_statics_low = last_gap.start;
    rt_statics_bytes = heap - last_gap.start;
}

/* Reads the compiler's list of a module's declared variables, if its file can be read. Read-only variables are listed,
 * too, but ignored, because host and device never differ. A variable of a library may lie in the program, where the
 * linker has placed the copy that both use. */
static void read_table(struct module *module)
{
    assert(!module->variables && !module->is_read);
    struct file file;
    size_t n = 0;
    if (!map_file(&file, module->path))
        return;
    const struct declared_entry *table = find_table(&file, module->base, &n);
    module->variables = table && n ? calloc(n, sizeof module->variables[0]) : NULL;
    for (size_t i = 0; module->variables && i < n; i++) {
        if (rt_is_constant(table[i].host))
            continue;
        module->variables[module->nvariables++] = (struct declared){
            .host = table[i].host,
            .bytes = table[i].bytes & ~link_flag,
            .link = table[i].bytes & link_flag,
            .initial = read_initial_value(&file, module->base, &table[i]),
        };
        rt_allocatable_add(table[i].host, table[i].bytes);
    }
    munmap((void *)(uintptr_t)file.at, file.size);
    if (module->nvariables)
        rt.has_declared = true;
    rt.fast_path_enabled &= !rt.has_declared;
}

/* Maps all declared variables of a module, except those of clause link, on each device, with the values that they had
 * at the program's start. Failure ends the program; without memory for the items, nothing is mapped. */
static void map_variables(struct module *module)
{
    assert(!module->open);
    accd_item *items = module->nvariables ? calloc(module->nvariables, sizeof *items) : NULL;
    size_t n = 0;
    for (size_t i = 0; items && i < module->nvariables; i++) {
        const struct declared *variable = &module->variables[i];
        if (variable->link || !variable->bytes)
            continue;
        items[n] = (accd_item){.host = variable->host, .bytes = variable->bytes, .action = ACCD_ACTION_COPYIN};
        rt_label_item_at_site(&items[n++]);
    }
    for (int device = 0; n && device < rt.options.devices && device < DEVICES_MOST; device++) {
        rt_check_status(accd_run_construct(rt.context,
                                           &(accd_construct){.device = device,
                                                             .kind = ACCD_KIND_REGION,
                                                             .items = items,
                                                             .nitems = n,
                                                             .name = rt_declared_region_name,
                                                             /* unlike any thread's: the region nests with no other */
                                                             .thread = module->base + 1},
                                           &module->regions[device]));
        for (size_t i = 0; i < module->nvariables; i++) {
            const struct declared *variable = &module->variables[i];
            uint64_t at = accd_device_address(rt.context, device, variable->host);
            if (!at || variable->link || !variable->initial)
                continue;
            rt_write_device(device, at, variable->initial, variable->bytes);
            RT_CALL_HOOKS(map_declared, device, variable->host, variable->initial, variable->bytes);
        }
    }
    free(items);
}

/* Removes an unloaded module from the list, with its regions and variables; the last module takes its place. */
static void remove_module(struct module *module)
{
    assert(nmodules > 0 && module < modules + nmodules);
    for (int device = 0; device < DEVICES_MOST; device++)
        /* abandoned, not ended, because an end would copy to host memory that no longer exists */
        accd_region_abandon(module->regions[device]);
    for (size_t i = 0; i < module->nvariables; i++) {
        rt_allocatable_remove(module->variables[i].host);
        free(module->variables[i].initial);
    }
    free(module->variables);
    *module = modules[--nmodules];
}

/* Lists all loaded modules and their read-only memory, and removes unloaded modules from the list. The caller reads the
 * lists of variables of new modules afterwards, because they may lie at addresses of unloaded ones. */
static void scan_modules(void)
{
    nconstants = last_gap.bytes = 0;
    for (size_t i = 0; i < nmodules; i++)
        modules[i].is_loaded = false;
    dl_iterate_phdr(add_module, NULL);
    qsort(constants, nconstants, sizeof *constants, compare_ranges);
    rt_find_static_range();
    for (size_t i = nmodules; i-- > 0;)
        if (!modules[i].is_loaded)
            remove_module(&modules[i]);
}

/* Reports, once, that a library that was compiled for checking was loaded into a program that was not. Ends a strict
 * run, because the library's kernels would access host memory of libaccdeep-check.so, which the page guard protects. */
static void report_late_instrumentation(void)
{
    static bool is_reported;
    const struct rt_diagnostic diagnostic = {
        .level = rt.options.strict ? "error" : "note",
        .code = "unsupported",
        .pc = rt.site ? rt.site->call.pc : 0,
    };
    if (!is_reported)
        rt_emit_diagnostic(
            &diagnostic,
            "nothing is checked: a library that was compiled for checking was loaded after the start; compile the "
            "program by accdeep cc, too");
    is_reported = true;
    if (rt.options.strict)
        rt_exit_with_error();
}

/* Scans the modules if the numbers of loads and unloads have changed since the latest scan, and maps the declared
 * variables of new modules. */
void rt_declared_rescan(void)
{
    struct dl_phdr_info info = {0};
    dl_iterate_phdr(count_module_loads, &info);
    if (info.dlpi_adds == seen_loads && info.dlpi_subs == seen_unloads)
        return;
    seen_loads = info.dlpi_adds;
    seen_unloads = info.dlpi_subs;
    scan_modules();
    RT_CALL_HOOKS(load_modules);
    if (has_late_instrumentation)
        report_late_instrumentation();
    for (size_t i = 0; i < nmodules; i++) {
        if (!modules[i].is_read)
            read_table(&modules[i]);
        modules[i].is_read = true;
        if (!modules[i].open)
            map_variables(&modules[i]);
        modules[i].open = true;
    }
}

/* Maps all declared variables in a new context. */
void rt_declared_init(void)
{
    assert(rt.context);
    for (size_t i = 0; i < nmodules; i++) { /* the regions belong to an earlier context */
        memset(modules[i].regions, 0, sizeof modules[i].regions);
        modules[i].open = false;
    }
    seen_loads = seen_unloads = 0;
    rt_allocatable_clear();
    rt_declared_rescan();
}

/* ----------------------------------------------------------------------------------- kernels -- */

/* Iterates over all declared variables: returns the next one, and NULL after the last. *module (index of a module) and
 * *location (index of a variable in that module) must be 0 at the first call; each call advances them. */
static const struct declared *get_next_variable(size_t *module, size_t *location)
{
    assert(module && location);
    for (; *module < nmodules; ++*module, *location = 0)
        if (*location < modules[*module].nvariables)
            return &modules[*module].variables[(*location)++];
    return NULL;
}

/* Returns the declared variable that contains an address; NULL if no declared variable contains it. */
static const struct declared *find_variable(const void *host)
{
    size_t m = 0, location = 0;
    for (const struct declared *v; rt.has_declared && (v = get_next_variable(&m, &location));)
        if ((uintptr_t)host - (uintptr_t)v->host < v->bytes)
            return v;
    return NULL;
}

/* Returns true if a declared variable contains the address. */
bool rt_is_declared(const void *host)
{
    return find_variable(host) != NULL;
}

/* Returns true if a declared variable without clause link contains the address. */
bool rt_is_declared_permanent(const void *host)
{
    const struct declared *variable = find_variable(host);
    return variable && !variable->link;
}

/* Stores the ranges of all declared variables unless `ranges` is NULL, and returns their number. */
size_t rt_get_declared_ranges(struct rt_range *ranges)
{
    size_t m = 0, location = 0, n = 0;
    for (const struct declared *v; (v = get_next_variable(&m, &location)); n++)
        if (ranges)
            ranges[n] = (struct rt_range){(uintptr_t)v->host, v->bytes};
    return n;
}

/* Returns true if the `bytes` bytes at `host` are only a part of a link variable, whose whole range is then stored in
 * *range. */
bool rt_is_part_of_link_variable(const void *host, uint64_t bytes, struct rt_range *range)
{
    const struct declared *variable = find_variable(host);
    if (!variable || !variable->link || (variable->host == host && variable->bytes == bytes))
        return false;
    *range = (struct rt_range){(uintptr_t)variable->host, variable->bytes};
    return true;
}

/* Returns the address of the declared pointer whose value is `host`. Otherwise returns the last one whose value is the
 * start of the malloc block with `host` (by is_in_block) and which is not attached on the thread's device. NULL:
 * neither exists. Link variables do not count. */
const void *rt_find_declared_pointer(const void *host, bool (*is_in_block)(uint64_t block, uint64_t at))
{
    const void *pointer = NULL; /* declared pointer, not yet attached, to the start of the block that contains `host` */
    size_t m = 0, location = 0;
    for (const struct declared *v; rt.has_declared && (v = get_next_variable(&m, &location));) {
        const uintptr_t data = v->link || v->bytes != sizeof(void *) ? 0 : rt_load_word(v->host);
        accd_attachment attachment;
        if (data == (uintptr_t)host)
            return v->host;
        if (data && is_in_block(data, (uintptr_t)host) &&
            !(accd_attachment_at(rt.context, rt_this_thread.device, v->host, &attachment) && attachment.high))
            pointer = v->host;
    }
    return pointer;
}

/* Swaps `bytes` bytes at two addresses, whose ranges must not overlap. */
static void swap_bytes(char *host, char *device, uint64_t bytes)
{
    assert(host != device);
    char buffer[512];
    for (uint64_t k = 0, n; k < bytes; k += n) {
        n = bytes - k < sizeof buffer ? bytes - k : sizeof buffer;
        memcpy(buffer, host + k, n);
        memcpy(host + k, device + k, n);
        memcpy(device + k, buffer, n);
    }
}

/* Swaps the host's bytes of all declared variables with those of their copies on the thread's device. Only present
 * parts are swapped: of a link variable, those that clauses map. */
void rt_swap_declared_variables(const struct rt_thread *self)
{
    size_t m = 0, location = 0;
    rt_allocatable_swap();
    for (const struct declared *v; rt.has_declared && (v = get_next_variable(&m, &location));) {
        const uint64_t low = (uintptr_t)v->host, high = low + v->bytes;
        uint64_t at = low, start, bytes;
        while (accd_present_overlapping(rt.context, self->device, &at, high, &start, &bytes)) {
            const uint64_t from = start > low ? start : low, to = at < high ? at : high;
            char *host = v->host + (from - low);
            const uint64_t device = accd_device_address(rt.context, self->device, host);
            swap_bytes(host, (char *)(uintptr_t)device, to - from);
        }
    }
}
