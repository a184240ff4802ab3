/* symbolize.h - names of data and source lines of code, from debug information or from the compiler's arguments. A site
 * is a call of the program, by whose scope names are found. */
#ifndef RT_SYMBOLIZE_H
#define RT_SYMBOLIZE_H

#include "base/runtime.h"
#include "diagnostics.h"

/* Returns the end address of the structure that contains the member of `bytes` bytes at `member`, by the names that the
 * current call sees; 0: unknown. */
uintptr_t rt_find_aggregate_end(uintptr_t member, size_t bytes);
void rt_symbolize_init(void); /* stores the working directory, relative to which files are named */
/* Returns the return address in a lazy name ("@" and the address in hex), and stores the end of the name in *end_p,
 * unless end_p is NULL. Returns 0, and stores nothing, for any other name. */
uintptr_t rt_parse_lazy_name(const char *name, const char **end_p);
/* Stores in *name_p the program's name of the range of `bytes` bytes at `host`, as seen at a site. Returns false if the
 * name is unknown, or `site` is NULL. */
bool rt_find_name(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_name *name_p);
/* Copies `name` without subscripts: "s.a" for "s[1].a[0:4]". The copy is empty for an address or a lazy name. */
void rt_copy_variable_name(const char *name, char *to, size_t capacity);
/* Writes the program's name of the `bytes` bytes at `host` (0: of the object that begins there) to the buffer `to`,
 * with the bounds of a section. Returns false, and writes the address, if no name is known. */
bool rt_format_name(const struct rt_site *site, uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* Returns true if the byte at offset `at` of a range is known to be padding of the range's type. */
bool rt_is_padding(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at);
/* Writes the name of the element that contains the byte at offset `at` of a range, as in "u[17] of u[0:16]". Replaces
 * `object`, the range's name, by the name at the site if that is known; otherwise writes `object`. */
enum { RT_NAME_SIZE = 160 };
void rt_format_element(const struct rt_site *site, uint64_t host, uint64_t bytes, uint64_t at,
                       char object[RT_NAME_SIZE], char *to, size_t capacity);
/* Stores the pointers in the `bytes` bytes at `host`, as their type at the site has them, at most `capacity`. Returns
 * how many; 0 also if the type is unknown, or `site` is NULL. */
size_t rt_find_pointers(const struct rt_site *site, uint64_t host, uint64_t bytes, struct accd__debug_pointer *pointers,
                        size_t capacity);
/* Returns the size of the scalar that a Fortran pointer variable points to; 0: unknown or no such variable. */
uint64_t rt_find_pointee_bytes(uint64_t variable);
/* Records the location that the compiler passed with a call, for code without line information. The lock must be
 * held. */
void rt_record_location(const struct rt_site *site);
/* Writes the name and version of the compiler of a call's code, or "the compiler" without debug information. */
void rt_get_compiler_name(uintptr_t pc, char *name, size_t capacity);
/* Stores the location of the call that returns to `pc`. `function_p` may be NULL, and *function_p may become NULL.
 * Returns false, and stores nothing, if the line is unknown. */
bool rt_find_line(uintptr_t pc, const char **file_p, int *line_p, const char **function_p);
/* Function of the program that is active: its call of the next inner function, and its name with classes; "": unknown.
 */
struct rt_active_function {
    const char *file;
    int line;
    char name[160];
};
/* Functions that were active at a finding, the innermost first. */
struct rt_call_stack {
    struct rt_active_function functions[4];
    size_t n; /* 0: not known, or no function was called */
};
/* Stores the function that contains the call or access `pc` and those that have called it, the innermost first, at most
 * `capacity`. Functions of the system are left out. Returns how many; 0: `pc` is not active on this stack. */
size_t rt_find_active_functions(uintptr_t pc, struct rt_active_function *functions, size_t capacity);
bool rt_is_system_code(uintptr_t pc);   /* true if code belongs to a system library or header */
bool rt_lacks_debug_info(uintptr_t pc); /* true if code of the program has no debug information */
/* Replaces a call in system code on this stack by the enclosing call in the program's code. */
void rt_unwind_to_program(struct accd__debug_call_frame *call);
/* Replaces the context of a stopped function by that of its caller. Returns false if the caller is unknown. */
bool rt_unwind_frame(struct accd__debug_fault_context *fault_context);
/* Returns the symbol of the function at an address; NULL: no symbol. */
const char *rt_find_symbol(uintptr_t address);
/* Name of an object or attached pointer in reports (the address if it has no name), and its location if known. */
struct rt_display_name {
    char name[160];
    const char *file; /* NULL: unknown */
    int line;
};
struct rt_display_name rt_get_display_name(const accd_object_info *object); /* returns the name of an object */
/* Returns the location where an object was mapped; `file` NULL: unknown. */
struct rt_related_location rt_get_mapped_location(const accd_object_info *object);
/* Returns the name of an attached pointer. */
struct rt_display_name rt_get_pointer_display_name(const accd_attachment *pointer);
/* Name of the pointer at an address, as a site sees it, and a section of its target. */
struct rt_pointer_name {
    uint64_t slot;
    char name[1400], section[160]; /* section: "f.results[0:n]", in Fortran the name; "": unknown */
};
/* Names the pointer at `slot`. Returns false if the site has no name; then `name` locates it within a present object.
 */
bool rt_format_pointer(const struct rt_site *site, int device, uint64_t slot, struct rt_pointer_name *pointer);
/* Copies the `n` bytes at `host`, which may be unmapped, to `to`. Returns false if they cannot be read. */
bool rt_peek_memory(uint64_t host, char *to, size_t n);
/* Writes the name of the present object that the pointer at `host` points to. Returns false, and writes nothing, if
 * `bytes` is not a pointer's size, or if the pointer is unreadable, null or points to absent data. */
bool rt_format_pointer_target(uint64_t host, uint64_t bytes, char *to, size_t capacity);
/* Returns what happened at a related location, as words that begin a line of a report. */
const char *rt_get_event_phrase(const char *event);
/* Returns the begin of the region of a kernel's construct; site NULL: no region. */
struct rt_region_begin rt_get_kernel_region(const struct rt_site *site);
/* Returns the location of the code that returns to `pc` as a related location; `file` NULL: unknown. */
struct rt_related_location rt_get_related_location(const char *event, uintptr_t pc);
/* Writes the current call for a report: "exit data", "the end of the data region". Returns, for the end of a region,
 * its begin, as compilers attribute the end to a nearby statement; otherwise pc is 0. */
struct rt_region_begin rt_format_call(char *to, size_t capacity);
/* Writes " of FILE:LINE" for the call that returns to `pc`; an empty string if the line is not known. */
void rt_format_location(uintptr_t pc, char *to, size_t capacity);

#endif
