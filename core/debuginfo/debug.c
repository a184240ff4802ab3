/* debug.c - the files of the program: places that calls come from, their lines. */
#include "debug.h"

#include <stddef.h>

#ifdef HAVE_LIBDW
#include "debug_dw.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* ------------------------------------------------------------------------------------- files -- */

static int count_loads(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    *(unsigned long long *)arg = info->dlpi_adds;
    return 1;
}

static const char *file_of(const struct goacc_debug *debug, Dwfl_Module *module)
{
    const char *file = debug->dw.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    return file ? file : "";
}

static bool is_libc(const char *file)
{
    static const char libc[] = "/libc.so.";
    const char *last = strrchr(file, '/');
    return last && !strncmp(last, libc, sizeof libc - 1);
}

static bool starts_with_any(const char *text, const char *const *starts)
{
    while (*starts && strncmp(text, *starts, strlen(*starts)) != 0)
        starts++;
    return *starts;
}

/* Of a library in a folder of the system, of a runtime of the compiler in a folder of its own, or
 * of accdeep's own. */
static bool is_system(const char *file)
{
    static const char *const
        folders[] = {"/lib/",       "/lib32/",       "/lib64/",    "/usr/lib/", "/usr/lib32/",
                     "/usr/lib64/", "/usr/libexec/", "linux-vdso", NULL},
        *const names[] = {
            "ld-linux",      "libc.",        "libm.",      "libmvec.",   "libpthread.",
            "libdl.",        "librt.",       "libgcc_s.",  "libstdc++.", "libc++.",
            "libgfortran.",  "libquadmath.", "libgomp.",   "libatomic.", "libomp.",
            "libomptarget.", "libtsan.",     "libaccdeep", NULL};
    const char *slash = strrchr(file, '/');
    return starts_with_any(file, folders) || starts_with_any(slash ? slash + 1 : file, names);
}

struct goacc_module *goacc_module_at(struct goacc_debug *debug, uint64_t address)
{
    Dwfl_Module *dwfl = debug->dw.dwfl_addrmodule(debug->dwfl, address);
    unsigned long long loads = debug->loads;
    if (!dwfl)
        dl_iterate_phdr(count_loads, &loads);
    if (!dwfl && loads != debug->loads && accd_dw_list_files(&debug->dw, debug->dwfl, &debug->loads))
        dwfl = debug->dw.dwfl_addrmodule(debug->dwfl, address);
    if (!dwfl)
        return NULL;
    struct goacc_module *module = debug->modules;
    while (module && module->dwfl != dwfl)
        module = module->next;
    if (module || !(module = goacc_take(debug, sizeof *module)))
        return module;
    module->dwfl = dwfl;
    module->is_libc = is_libc(file_of(debug, dwfl));
    module->is_system = is_system(file_of(debug, dwfl));
    module->next = debug->modules;
    return debug->modules = module;
}

/* ------------------------------------------------------------------------------- open, close -- */

struct goacc_debug *goacc_debug_open(void)
{
    struct goacc_debug *debug = calloc(1, sizeof *debug);
    if (!debug)
        return NULL;
    if (accd_dw_load(&debug->dw))
        debug->dwfl = accd_dw_begin(&debug->dw);
    if (debug->dwfl && accd_dw_list_files(&debug->dw, debug->dwfl, &debug->loads))
        return debug;
    goacc_debug_close(debug);
    return NULL;
}

static void close_site(struct goacc_site *site)
{
    free(site->frame);
    free(site->variables.at);
}

void goacc_debug_close(struct goacc_debug *debug)
{
    if (!debug)
        return;
    for (size_t i = 0; i < debug->sites.room; i++)
        if (debug->sites.at[i].key)
            close_site(debug->sites.at[i].value);
    for (struct goacc_module *module = debug->modules; module; module = module->next)
        free(module->globals.at);
    if (debug->dwfl)
        debug->dw.dwfl_end(debug->dwfl);
    accd_dw_unload(&debug->dw);
    free(debug->sites.at);
    free(debug->types.at);
    free(debug->symbols.at);
    free(debug->nodes);
    goacc_give_back(debug);
    free(debug);
}

/* ------------------------------------------------------------------------------------- lines -- */

/* The unit whose code contains the call. Not every compiler writes a table of addresses, so each
 * unit is asked. */
static bool find_unit(struct goacc_debug *debug, struct goacc_site *site)
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

/* Code that the compiler has made has line 0: the line before it is near. */
static void find_line(struct goacc_debug *debug, struct goacc_site *site)
{
    enum { STEPS = 8 };
    Dwarf_Addr at = site->pc - 1 - site->bias;
    for (int i = 0; i < STEPS && !site->line; i++) {
        Dwarf_Line *line = debug->dw.dwarf_getsrc_die(&site->unit, at);
        if (!line || debug->dw.dwarf_lineno(line, &site->line) || debug->dw.dwarf_lineaddr(line, &at))
            return;
        site->file = debug->dw.dwarf_linesrc(line, NULL, NULL);
        site->near = i > 0;
        at--;
    }
}

struct goacc_site *goacc_site_at(struct goacc_debug *debug, uintptr_t pc)
{
    struct goacc_site *site = goacc_table_find(&debug->sites, pc);
    if (site || !pc || !(site = goacc_take(debug, sizeof *site)))
        return site;
    site->pc = pc;
    site->module = goacc_module_at(debug, pc - 1);
    if (site->module && find_unit(debug, site)) {
        site->has_unit = true;
        find_line(debug, site);
        goacc_site_scope(debug, site);
    }
    if (goacc_table_add(&debug->sites, pc, site))
        return site;
    close_site(site);
    return NULL;
}

int goacc_debug_line(struct goacc_debug *debug, uintptr_t pc, const char **file_p, int *line_p,
                     const char **function_p)
{
    const struct goacc_site *site = debug ? goacc_site_at(debug, pc) : NULL;
    *file_p = site ? site->file : NULL;
    *line_p = site ? site->line : 0;
    *function_p = site ? site->function : NULL;
    if (!*file_p || !*line_p)
        return 0;
    return site->near ? 2 : 1;
}

const char *goacc_debug_compiler(struct goacc_debug *debug, uintptr_t pc)
{
    struct goacc_site *site = debug ? goacc_site_at(debug, pc) : NULL;
    Dwarf_Attribute producer;
    if (!site || !site->has_unit || !debug->dw.dwarf_attr(&site->unit, DW_AT_producer, &producer))
        return NULL;
    return debug->dw.dwarf_formstring(&producer);
}

/* libdw looks through all symbols each time. */
const char *goacc_debug_symbol(struct goacc_debug *debug, uint64_t address)
{
    const char *name = goacc_table_find(&debug->symbols, address);
    const struct goacc_module *module = name ? NULL : goacc_module_at(debug, address);
    if (!module)
        return name;
    name = debug->dw.dwfl_module_addrname(module->dwfl, address);
    if (name)
        goacc_table_add(&debug->symbols, address, (void *)(uintptr_t)name);
    return name;
}

static bool is_system_site(const struct goacc_site *site)
{
    return site && (site->in_header || (site->module && site->module->is_system));
}

bool goacc_debug_is_system(struct goacc_debug *debug, uintptr_t pc)
{
    return is_system_site(goacc_site_at(debug, pc));
}

bool goacc_debug_is_missing(struct goacc_debug *debug, uintptr_t pc)
{
    const struct goacc_site *site = goacc_site_at(debug, pc);
    const char *symbol = site && site->module ? goacc_debug_symbol(debug, pc - 1) : NULL;
    return site && site->module && !site->has_unit && !site->module->is_system &&
           (!symbol || *symbol != '.');
}

/* What is looked for on the stack: the frame of the call, then one of the program's own functions around it. */
struct way_out {
    struct goacc_debug *debug;
    struct goacc_call *call;
    bool is_outside;
    unsigned frames;
};

static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *arg)
{
    enum { FRAMES_MOST = 64, RBP = 6 };
    struct way_out *way = arg;
    const uintptr_t pc = _Unwind_GetIP(context), sp = _Unwind_GetCFA(context);
    if (!way->is_outside) {
        way->is_outside = pc == way->call->pc && sp == way->call->sp;
        return _URC_NO_REASON;
    }
    const struct goacc_site *site = goacc_site_at(way->debug, pc);
    if (site && site->line && !is_system_site(site)) {
        *way->call = (struct goacc_call){pc, sp, _Unwind_GetGR(context, RBP)};
        return _URC_NORMAL_STOP;
    }
    return ++way->frames < FRAMES_MOST ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

void goacc_debug_leave_system(struct goacc_debug *debug, struct goacc_call *call)
{
    struct way_out way = {.debug = debug, .call = call};
    if (goacc_debug_is_system(debug, call->pc))
        _Unwind_Backtrace(visit_frame, &way);
}

#else

/* Built without libdw: nothing is known. */
struct goacc_debug *goacc_debug_open(void)
{
    return NULL;
}

void goacc_debug_close(struct goacc_debug *debug)
{
    (void)debug;
}

int goacc_debug_line(struct goacc_debug *debug, uintptr_t pc, const char **file_p, int *line_p,
                     const char **function_p)
{
    (void)debug, (void)pc;
    *file_p = *function_p = NULL;
    return *line_p = 0;
}

const char *goacc_debug_compiler(struct goacc_debug *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return NULL;
}

bool goacc_debug_is_system(struct goacc_debug *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return false;
}

void goacc_debug_leave_system(struct goacc_debug *debug, struct goacc_call *call)
{
    (void)debug, (void)call;
}

bool goacc_debug_is_missing(struct goacc_debug *debug, uintptr_t pc)
{
    (void)debug, (void)pc;
    return false;
}

const char *goacc_debug_symbol(struct goacc_debug *debug, uint64_t address)
{
    (void)debug, (void)address;
    return NULL;
}

int goacc_debug_name(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address,
                     uint64_t bytes, struct goacc_name *name_p)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)name_p;
    return 0;
}

int goacc_debug_element(struct goacc_debug *debug, const struct goacc_call *call, uint64_t address, uint64_t bytes,
                        int64_t at, struct goacc_name *name_p, struct goacc_name *element_p)
{
    (void)debug, (void)call, (void)address, (void)bytes, (void)at, (void)name_p, (void)element_p;
    return 0;
}

uint64_t goacc_debug_pointee(struct goacc_debug *debug, uint64_t address)
{
    (void)debug, (void)address;
    return 0;
}

#endif
