/* dw.h - libdw, which reads debug information, loaded at run time: for the files of this process, or for one file by
 * name. An entry (DIE) is libdw's record of a function, variable or type; a session (Dwfl) is libdw's list of files.
 * Only files that are compiled with libdw's headers (HAVE_LIBDW) include this one. */
#ifndef ACCD_DW_H
#define ACCD_DW_H

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Calls the macro X once for each function of libdw that is used, with the name of the function. */
#define ACCD_DW_FUNCTIONS(X)        \
    X(elf_version)                  \
    X(dwfl_begin)                   \
    X(dwfl_end)                     \
    X(dwfl_errmsg)                  \
    X(dwfl_report_begin_add)        \
    X(dwfl_report_module)           \
    X(dwfl_report_offline)          \
    X(dwfl_report_end)              \
    X(dwfl_getmodules)              \
    X(dwfl_addrmodule)              \
    X(dwfl_module_addrname)         \
    X(dwfl_module_info)             \
    X(dwfl_module_nextcu)           \
    X(dwfl_module_getdwarf)         \
    X(dwfl_module_eh_cfi)           \
    X(dwfl_module_dwarf_cfi)        \
    X(dwfl_build_id_find_debuginfo) \
    X(dwfl_offline_section_address) \
    X(dwarf_get_units)              \
    X(dwarf_getalt)                 \
    X(dwarf_cfi_addrframe)          \
    X(dwarf_frame_cfa)              \
    X(dwarf_frame_register)         \
    X(dwarf_getsrc_die)             \
    X(dwarf_lineno)                 \
    X(dwarf_lineaddr)               \
    X(dwarf_linesrc)                \
    X(dwarf_getsrcfiles)            \
    X(dwarf_filesrc)                \
    X(dwarf_diecu)                  \
    X(dwarf_srclang)                \
    X(dwarf_child)                  \
    X(dwarf_siblingof)              \
    X(dwarf_haspc)                  \
    X(dwarf_lowpc)                  \
    X(dwarf_tag)                    \
    X(dwarf_diename)                \
    X(dwarf_hasattr)                \
    X(dwarf_attr)                   \
    X(dwarf_attr_integrate)         \
    X(dwarf_formref_die)            \
    X(dwarf_formudata)              \
    X(dwarf_formsdata)              \
    X(dwarf_formaddr)               \
    X(dwarf_formflag)               \
    X(dwarf_formstring)             \
    X(dwarf_getlocation)            \
    X(dwarf_getlocation_addr)       \
    X(dwarf_getlocation_attr)       \
    X(dwarf_peel_type)              \
    X(dwarf_bytesize)

/* libdw when it is loaded: pointers to its functions, one field for each name in ACCD_DW_FUNCTIONS, and the library. */
struct accd__dw {
#define X(name) __typeof__ (&(name))(name);
    ACCD_DW_FUNCTIONS(X)
#undef X
    void *library;            /* handle from dlopen; NULL: not loaded */
    Dwfl_Callbacks callbacks; /* functions that all sessions call to find files; sessions must end before the unload */
};

/* Loads libdw.so.1 into `dw`. Returns false if libdw is not installed, lacks one of the functions, or supports no ELF
 * version; accd__dw_unload must be called in any case. */
bool accd__dw_load(struct accd__dw *dw);
/* Unloads libdw, if it is loaded, after all sessions were ended. */
void accd__dw_unload(struct accd__dw *dw);

/* Returns a new session of libdw without files; NULL on failure. Separate debug files are found by their build ids, on
 * this machine only. */
Dwfl *accd__dw_new_session(struct accd__dw *dw);
/* Adds the files in the memory of this process to a session, and sets *loads_p to the number of loads in the process so
 * far. Returns false if libdw reports an error. */
bool accd__dw_list_files(struct accd__dw *dw, Dwfl *dwfl, unsigned long long *loads_p);

/* Sets *child_p to the first child of the entry `parent`; returns false if it has none. */
bool accd__dw_first_child(const struct accd__dw *dw, Dwarf_Die *parent, Dwarf_Die *child_p);
/* Replaces *die by the next sibling of the entry; returns false if *die is the last one. */
bool accd__dw_next_sibling(const struct accd__dw *dw, Dwarf_Die *die);
/* Sets *to to the entry that the attribute `name` (DW_AT_*) refers to. The attribute is that of `die` or, if it has
 * none, of the entry of which `die` is an instance (DW_AT_abstract_origin). Returns false if neither has one that
 * refers to an entry. */
bool accd__dw_get_reference(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, Dwarf_Die *to);
/* Sets *to to the unsigned number in the attribute `name` of `die`; returns false if the attribute does not exist, or
 * is no such number. */
bool accd__dw_get_number(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, uint64_t *to);
/* Returns true if the flag `name` of `die` exists and is set. */
bool accd__dw_get_flag(const struct accd__dw *dw, Dwarf_Die *die, unsigned name);
/* Sets *to to the offset in bytes of the member or base class `die` in its structure; 0 if it has no offset, as in a
 * union. Returns false if the offset is not constant, as that of a virtual base class. */
bool accd__dw_member_offset(const struct accd__dw *dw, Dwarf_Die *die, uint64_t *to);
/* Returns true if the compilation unit of `die` is in Fortran. */
bool accd__dw_is_fortran(const struct accd__dw *dw, Dwarf_Die *die);

#endif
