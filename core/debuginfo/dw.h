/* dw.h - libdw, which reads debug information: loaded when it is there, asked about the files of
 * this process or about one by name. Whoever includes this was built with its headers, HAVE_LIBDW. */
#ifndef ACCD_DW_H
#define ACCD_DW_H

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

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

struct accd__dw {
#define X(name) __typeof__ (&(name))(name);
    ACCD_DW_FUNCTIONS(X)
#undef X
    void *library;
    Dwfl_Callbacks callbacks; /* of sessions, which therefore end before accd__dw_unload */
};

/* false: libdw is not there, or too old; accd__dw_unload is due then, too. */
bool accd__dw_load(struct accd__dw *dw);
void accd__dw_unload(struct accd__dw *dw);

/* A session without files. Separate debug files are found by their build ids, in this machine. */
Dwfl *accd__dw_new_session(struct accd__dw *dw);
/* Adds the files in this process's memory, *loads_p: how often files had been loaded then. */
bool accd__dw_list_files(struct accd__dw *dw, Dwfl *dwfl, unsigned long long *loads_p);

/* Entries: the first child, then the next sibling; whether there is one. */
bool accd__dw_first_child(const struct accd__dw *dw, Dwarf_Die *parent, Dwarf_Die *child_p);
bool accd__dw_next_sibling(const struct accd__dw *dw, Dwarf_Die *die);
/* What an attribute refers to; a number it gives; whether it is there and set. */
bool accd__dw_get_reference(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, Dwarf_Die *to);
bool accd__dw_get_number(const struct accd__dw *dw, Dwarf_Die *die, unsigned name, uint64_t *to);
bool accd__dw_get_flag(const struct accd__dw *dw, Dwarf_Die *die, unsigned name);
/* The offset of a member or a base class; false: it is not a constant. */
bool accd__dw_member_offset(const struct accd__dw *dw, Dwarf_Die *die, uint64_t *to);
bool accd__dw_is_fortran(const struct accd__dw *dw, Dwarf_Die *die); /* by the unit it stands in */

#endif
