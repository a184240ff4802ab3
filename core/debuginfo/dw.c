/* dw.c - loads libdw, lists the files of this process, and reads attributes of entries (DIEs: libdw's records of
 * functions, variables and types). */
#ifdef HAVE_LIBDW
#include "debuginfo/dw.h"

#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Loads libdw.so.1 and finds its functions. Returns false if the library or a function is missing, or if the library
 * supports no ELF version. */
bool accd__dw_load(struct accd__dw *dw)
{
    static const struct {
        const char *name;
        size_t offset;
    } functions[] = {
#define X(function) {#function, offsetof(struct accd__dw, function)},
        ACCD_DW_FUNCTIONS(X)
#undef X
    };
    dw->library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!dw->library)
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = dlsym(dw->library, functions[i].name);
        if (!function)
            return false;
        memcpy((char *)dw + functions[i].offset, &function, sizeof function);
    }
    return dw->elf_version(EV_CURRENT) != EV_NONE;
}

/* Unloads libdw; does nothing if it is not loaded. Requires that all sessions of it were ended. */
void accd__dw_unload(struct accd__dw *dw)
{
    if (dw->library)
        dlclose(dw->library);
    dw->library = NULL;
}

/* Callback of libdw: opens the file `name` of a module when libdw first reads it. Returns the file descriptor, or -1 if
 * the file cannot be opened. Sets *file_p to a copy of the name; NULL: no file, or no memory. */
static int find_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file_p, Elf **elf_p)
{
    (void)module, (void)data, (void)base, (void)elf_p;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    *file_p = fd < 0 ? NULL : strdup(name);
    return fd;
}

/* Returns a new session of libdw without files; NULL on failure. */
Dwfl *accd__dw_new_session(struct accd__dw *dw)
{
    assert(dw->library);
    /* dwfl_standard_find_debuginfo is not used: it would also ask servers for separate debug files */
    dw->callbacks = (Dwfl_Callbacks){
        .find_elf = find_elf,
        .find_debuginfo = dw->dwfl_build_id_find_debuginfo,
        .section_address = dw->dwfl_offline_section_address,
    };
    return dw->dwfl_begin(&dw->callbacks);
}

/* Arguments of report_file. */
struct listing {
    struct accd__dw *dw;
    Dwfl *dwfl;
    unsigned long long *loads_p;
};

/* Returns the path of a loaded file; the program itself, whose name is empty, is /proc/self/exe. */
static const char *file_of(const struct dl_phdr_info *info)
{
    return *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
}

/* Callback of dl_iterate_phdr; arg: a struct listing. Adds a loaded file and its address range to the session, unless
 * the file has no path. Sets *loads_p to the number of files ever loaded. Returns 0, to continue. */
static int report_file(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct listing *listing = arg;
    uint64_t from = UINT64_MAX, to = 0;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD)
            continue;
        uint64_t page = part->p_align ? -part->p_align : UINT64_MAX;
        uint64_t start = info->dlpi_addr + (part->p_vaddr & page);
        uint64_t end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        from = start < from ? start : from;
        to = end > to ? end : to;
    }
    if (from < to && strchr(file_of(info), '/')) /* leaves out the kernel's vdso, which has no path and thus no file */
        listing->dw->dwfl_report_module(listing->dwfl, file_of(info), from, to);
    *listing->loads_p = info->dlpi_adds;
    return 0;
}

/* Adds the files in the memory of this process to the session `dwfl`, and sets *loads_p to the number of files ever
 * loaded. Returns false if libdw reports an error. */
bool accd__dw_list_files(struct accd__dw *dw, Dwfl *dwfl, unsigned long long *loads_p)
{
    assert(dwfl);
    struct listing listing = {dw, dwfl, loads_p};
    dw->dwfl_report_begin_add(dwfl);
    dl_iterate_phdr(report_file, &listing);
    return dw->dwfl_report_end(dwfl, NULL, NULL) == 0;
}

/* Sets *child_p to the first child of the entry `parent`; returns false if it has none or libdw fails. */
bool accd__dw_first_child(const struct accd__dw *dw, Dwarf_Die *parent, Dwarf_Die *child_p)
{
    return dw->dwarf_child(parent, child_p) == 0;
}

/* Replaces the entry *die by its next sibling; returns false if there is none or libdw fails. */
bool accd__dw_next_sibling(const struct accd__dw *dw, Dwarf_Die *die)
{
    return dw->dwarf_siblingof(die, die) == 0;
}

/* Sets *to to the entry to which the attribute `name` of `die` refers, or that of the entry of which `die` is an
 * instance. Returns false if there is no such attribute, or it does not refer to an entry. */
bool accd__dw_get_reference(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
    Dwarf_Attribute attribute;
    return dw->dwarf_attr_integrate(die, name, &attribute) && dw->dwarf_formref_die(&attribute, to);
}

/* Sets *to to the number in the attribute `name` of `die`, read as unsigned, because forms of fixed size must not be
 * sign-extended. Returns false if the attribute does not exist, or has the form of a signed number. */
bool accd__dw_get_number(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, uint64_t *to)
{
    Dwarf_Attribute attribute;
    return dw->dwarf_attr(die, name, &attribute) && dw->dwarf_formudata(&attribute, to) == 0;
}

/* Returns true if the entry `die` has the flag `name` (DW_AT_*), and it is set. */
bool accd__dw_get_flag(const struct accd__dw *dw, Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    bool is_set = false;
    return dw->dwarf_attr(die, name, &attribute) && dw->dwarf_formflag(&attribute, &is_set) == 0 && is_set;
}

/* Sets *to to the offset in bytes of the member or base class `die` in its structure; 0 without an attribute. Returns
 * false if the offset is an expression other than adding a constant, as for a virtual base class. */
bool accd__dw_member_offset(const struct accd__dw *dw, Dwarf_Die *die, uint64_t *to)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t n;
    *to = 0; /* the offset of a member of a union, which has no such attribute */
    if (!dw->dwarf_attr(die, DW_AT_data_member_location, &attribute) || dw->dwarf_formudata(&attribute, to) == 0)
        return true;
    if (dw->dwarf_getlocation(&attribute, &ops, &n) != 0 || n != 1 || ops->atom != DW_OP_plus_uconst)
        return false; /* the offset of a virtual base class is computed at run time */
    *to = ops->number;
    return true;
}

/* Returns true if the compilation unit that contains the entry `die` is in Fortran 77 to 2008. */
bool accd__dw_is_fortran(const struct accd__dw *dw, Dwarf_Die *die)
{
    Dwarf_Die unit;
    switch (dw->dwarf_srclang(dw->dwarf_diecu(die, &unit, NULL, NULL))) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

#endif
