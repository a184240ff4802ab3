/* debug.c - opens debug information; finds the file of the program (module) and the line for an address. */
#include "debug.h"

#include <assert.h>
#include <stddef.h>

#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* ------------------------------------------------------------------------------------- files -- */

/* Callback of dl_iterate_phdr: sets the number at `arg` to the number of files ever loaded into the process; stops
 * after the first file. */
static int count_loads(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(unsigned long long *)arg = info->dlpi_adds;
    return 1;
}

/* Returns the path of the file of a module (a file of the program in memory); "" if it is not known. */
static const char *file_of(const struct accd__debug_info *debug, Dwfl_Module *module)
{
    const char *file = debug->dw.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    return file ? file : "";
}

/* Returns true if the path `file` is that of the C library. */
static bool is_libc(const char *file)
{
    static const char libc[] = "/libc.so.";
    const char *last = strrchr(file, '/');
    return last && !strncmp(last, libc, sizeof libc - 1);
}

/* Returns true if `text` begins with one of the texts in `starts`, a list that ends with NULL. */
static bool starts_with_any(const char *text, const char *const *starts)
{
    while (*starts && strncmp(text, *starts, strlen(*starts)) != 0)
        starts++;
    return *starts;
}

/* Returns true if the path `file` is that of a library in a folder of the system, a runtime library of a compiler, or
 * accdeep's own. */
static bool is_system(const char *file)
{
    static const char *const folders[] = {"/lib/",       "/lib32/",       "/lib64/",    "/usr/lib/", "/usr/lib32/",
                                          "/usr/lib64/", "/usr/libexec/", "linux-vdso", NULL},
                             *const names[] = {
                                 "ld-linux",      "libc.",        "libm.",      "libmvec.",   "libpthread.",
                                 "libdl.",        "librt.",       "libgcc_s.",  "libstdc++.", "libc++.",
                                 "libgfortran.",  "libquadmath.", "libgomp.",   "libatomic.", "libomp.",
                                 "libomptarget.", "libtsan.",     "libaccdeep", NULL};
    const char *slash = strrchr(file, '/');
    return starts_with_any(file, folders) || starts_with_any(slash ? slash + 1 : file, names);
}

/* Returns the module (file of the program in memory) that contains an address. Lists the files of the process again
 * first if more were loaded. NULL: no module contains the address, or no memory. */
struct accd__debug_module *accd__find_module(struct accd__debug_info *debug, uint64_t address)
{
    assert(debug);
    Dwfl_Module *dwfl = debug->dw.dwfl_addrmodule(debug->dwfl, address);
    unsigned long long loads = debug->loads;
    if (!dwfl)
        dl_iterate_phdr(count_loads, &loads);
    if (!dwfl && loads != debug->loads && accd__dw_list_files(&debug->dw, debug->dwfl, &debug->loads))
        dwfl = debug->dw.dwfl_addrmodule(debug->dwfl, address);
    if (!dwfl)
        return NULL;
    struct accd__debug_module *module = debug->modules;
    while (module && module->dwfl != dwfl)
        module = module->next;
    if (module || !(module = accd__debug_alloc(debug, sizeof *module)))
        return module;
    module->dwfl = dwfl;
    module->is_libc = is_libc(file_of(debug, dwfl));
    module->is_system = is_system(file_of(debug, dwfl));
    module->next = debug->modules;
    return debug->modules = module;
}

/* ------------------------------------------------------------------------------- open, close -- */

/* Returns a new reader of debug information: loads libdw and lists the files of this process. NULL: libdw is missing
 * or fails, or no memory. */
struct accd__debug_info *accd__debug_open(void)
{
    struct accd__debug_info *debug = calloc(1, sizeof *debug);
    if (!debug)
        return NULL;
    if (accd__dw_load(&debug->dw))
        debug->dwfl = accd__dw_new_session(&debug->dw);
    if (debug->dwfl && accd__dw_list_files(&debug->dw, debug->dwfl, &debug->loads))
        return debug;
    accd__debug_close(debug);
    return NULL;
}

/* Frees the unwinding rules and the list of variables of a site (place of a call). */
static void close_site(struct accd__code_site *site)
{
    free(site->frame);
    free(site->variables.at);
}

/* Frees a reader of debug information with everything that it has returned, and unloads libdw; NULL does nothing. */
void accd__debug_close(struct accd__debug_info *debug)
{
    if (!debug)
        return;
    for (size_t i = 0; i < debug->sites.capacity; i++)
        if (debug->sites.at[i].key)
            close_site(debug->sites.at[i].value);
    for (struct accd__debug_module *module = debug->modules; module; module = module->next)
        free(module->globals.at);
    if (debug->dwfl)
        debug->dw.dwfl_end(debug->dwfl);
    accd__dw_unload(&debug->dw);
    free(debug->sites.at);
    free(debug->types.at);
    free(debug->symbols.at);
    free(debug->nodes);
    accd__debug_free_memory(debug);
    free(debug);
}

/* ------------------------------------------------------------------------------------- lines -- */

/* Sets the compilation unit of `site`, whose code contains the call, and the bias (memory address minus file
 * address). Returns false if no unit contains the call. Units are searched one by one, because not every compiler
 * writes a table of addresses. */
static bool find_unit(struct accd__debug_info *debug, struct accd__code_site *site)
{
    Dwarf_Die *unit = NULL;
    Dwfl_Module *module = site->module->dwfl;
    while ((unit = debug->dw.dwfl_module_nextcu(module, unit, &site->bias)))
        if (debug->dw.dwarf_haspc(unit, site->pc - 1 - site->bias) > 0) {
            site->unit = *unit;
            return true;
        }
    return false;
}

/* Returns the site (place in the code) of the call with return address `pc`, from the table of sites or read now.
 * NULL: `pc` is 0, or no memory. */
struct accd__code_site *accd__find_code_site(struct accd__debug_info *debug, uintptr_t pc)
{
    struct accd__code_site *site = accd__pointer_table_find(&debug->sites, pc);
    if (site || !pc || !(site = accd__debug_alloc(debug, sizeof *site)))
        return site;
    site->pc = pc;
    site->module = accd__find_module(debug, pc - 1);
    if (site->module && find_unit(debug, site)) {
        site->has_unit = true;
        accd__find_line(debug, site, false);
        accd__read_site_scope(debug, site);
    }
    if (accd__pointer_table_add(&debug->sites, pc, site))
        return site;
    close_site(site);
    return NULL;
}

/* Sets file, line and function of a call. Returns 0 if file or line is not known, 2 if the line is that of code
 * shortly before the call, otherwise 1. */
int accd__debug_find_line(struct accd__debug_info *debug, uintptr_t pc, const char **file_p, int *line_p,
                          const char **function_p)
{
    const struct accd__code_site *site = debug ? accd__find_code_site(debug, pc) : NULL;
    *file_p = site ? site->file : NULL;
    *line_p = site ? site->line : 0;
    *function_p = site ? site->function : NULL;
    if (!*file_p || !*line_p)
        return 0;
    return site->is_line_inexact ? 2 : 1;
}

/* Returns the compiler and options of the unit that contains a call; NULL: not known. */
const char *accd__debug_get_compiler(struct accd__debug_info *debug, uintptr_t pc)
{
    struct accd__code_site *site = debug ? accd__find_code_site(debug, pc) : NULL;
    Dwarf_Attribute producer;
    if (!site || !site->has_unit || !debug->dw.dwarf_attr(&site->unit, DW_AT_producer, &producer))
        return NULL;
    return debug->dw.dwarf_formstring(&producer);
}

/* Returns the linker's name of the function at an address; NULL: not known. Looks a name up once and caches it, because
 * libdw searches all symbols each time. */
const char *accd__debug_find_symbol(struct accd__debug_info *debug, uint64_t address)
{
    const char *name = accd__pointer_table_find(&debug->symbols, address);
    const struct accd__debug_module *module = name ? NULL : accd__find_module(debug, address);
    if (!module)
        return name;
    name = debug->dw.dwfl_module_addrname(module->dwfl, address);
    if (name)
        accd__pointer_table_add(&debug->symbols, address, (void *)(uintptr_t)name);
    return name;
}

/* Returns true if a site (place of a call) is in a system header or a system file; false for NULL. */
static bool is_system_site(const struct accd__code_site *site)
{
    return site && (site->in_header || (site->module && site->module->is_system));
}

/* Returns true if the code at `pc` is in a system header or a system file. */
bool accd__debug_is_system_code(struct accd__debug_info *debug, uintptr_t pc)
{
    return is_system_site(accd__find_code_site(debug, pc));
}

/* Returns true if the code at `pc` is in a file of the program, but in no compilation unit with debug information.
 * Returns false for symbols that begin with a dot. */
bool accd__debug_lacks_debug_info(struct accd__debug_info *debug, uintptr_t pc)
{
    const struct accd__code_site *site = accd__find_code_site(debug, pc);
    const char *symbol = site && site->module ? accd__debug_find_symbol(debug, pc - 1) : NULL;
    return site && site->module && !site->has_unit && !site->module->is_system && (!symbol || *symbol != '.');
}

/* Search of the stack: first for the frame of a call, then outwards for calls in functions of the program. */
struct caller_search {
    struct accd__debug_info *debug;
    struct accd__debug_call_frame from; /* the call; sp 0: not known */
    bool is_outside;                    /* the search has passed the frame of the call */
    unsigned frames;                    /* number of frames passed since */
    struct accd__debug_call_frame *calls;
    size_t n, capacity;
};

/* Callback of _Unwind_Backtrace; arg: a struct caller_search. After the frame of the call, adds the calls in functions
 * of the program to search->calls; ends the search when these are full, or after 64 frames. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *arg)
{
    enum { FRAMES_MOST = 64, RBP = 6 };
    struct caller_search *search = arg;
    int is_interrupted;
    /* the address in a function that a signal has interrupted is that of its next instruction */
    const uintptr_t ip = _Unwind_GetIPInfo(context, &is_interrupted), pc = ip + (is_interrupted != 0),
                    sp = _Unwind_GetCFA(context);
    if (!search->is_outside) {
        search->is_outside = pc == search->from.pc && (!search->from.sp || sp == search->from.sp);
        return _URC_NO_REASON;
    }
    const struct accd__code_site *site = accd__find_code_site(search->debug, pc);
    if (site && site->line && !is_system_site(site))
        search->calls[search->n++] = (struct accd__debug_call_frame){pc, sp, _Unwind_GetGR(context, RBP)};
    return search->n < search->capacity && ++search->frames < FRAMES_MOST ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

/* Stores the innermost enclosing calls in functions of the program. */
size_t accd__debug_find_callers(struct accd__debug_info *debug, struct accd__debug_call_frame from,
                                struct accd__debug_call_frame *calls, size_t capacity)
{
    assert(capacity > 0);
    struct caller_search search = {.debug = debug, .from = from, .calls = calls, .capacity = capacity};
    _Unwind_Backtrace(visit_frame, &search);
    return search.n;
}

/* Replaces *call, if it is in system code, by the innermost enclosing call in a function of the program. Leaves *call
 * unchanged if none of the next 64 frames has such a call. */
void accd__debug_unwind_to_program(struct accd__debug_info *debug, struct accd__debug_call_frame *call)
{
    struct accd__debug_call_frame outer;
    if (accd__debug_is_system_code(debug, call->pc) && accd__debug_find_callers(debug, *call, &outer, 1))
        *call = outer;
}

#else

/* Stubs for a build without libdw: all results mean "not known". */
struct accd__debug_info *accd__debug_open(void)
{
    return NULL;
}

void accd__debug_close(struct accd__debug_info *debug)
{
    (void)debug;
}

int accd__debug_find_line(struct accd__debug_info *debug, uintptr_t pc, const char **file_p, int *line_p,
                          const char **function_p)
{
    (void)debug, (void)pc;
    *file_p = *function_p = NULL;
    return *line_p = 0;
}

const char *accd__debug_get_compiler(struct accd__debug_info *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return NULL;
}

bool accd__debug_is_system_code(struct accd__debug_info *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return false;
}

size_t accd__debug_find_callers(struct accd__debug_info *debug, struct accd__debug_call_frame from,
                                struct accd__debug_call_frame *calls, size_t capacity)
{
    (void)debug, (void)from, (void)calls, (void)capacity;
    return 0;
}

void accd__debug_unwind_to_program(struct accd__debug_info *debug, struct accd__debug_call_frame *call)
{
    (void)debug, (void)call;
}

bool accd__debug_lacks_debug_info(struct accd__debug_info *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return false;
}

const char *accd__debug_find_symbol(struct accd__debug_info *debug, uint64_t address)
{
    (void)debug, (void)address;
    return NULL;
}

int accd__debug_find_name(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                          uint64_t bytes, struct accd__debug_name *name_p)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)name_p;
    return 0;
}

int accd__debug_find_element(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                             uint64_t address, uint64_t bytes, int64_t at, struct accd__debug_name *name_p,
                             struct accd__debug_name *element_p)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)at, (void)name_p, (void)element_p;
    return 0;
}

int accd__debug_is_padding(struct accd__debug_info *debug, const struct accd__debug_call_frame *call, uint64_t address,
                           uint64_t bytes, uint64_t at)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)at;
    return 0;
}

size_t accd__debug_find_pointers(struct accd__debug_info *debug, const struct accd__debug_call_frame *call,
                                 uint64_t address, uint64_t bytes, struct accd__debug_pointer *pointers,
                                 size_t capacity)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)pointers, (void)capacity;
    return 0;
}

uint64_t accd__debug_get_pointee_bytes(struct accd__debug_info *debug, uint64_t address)
{
    (void)debug, (void)address;
    return 0;
}

#endif
