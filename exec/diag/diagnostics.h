/* diagnostics.h - reports findings about the program (errors, warnings, notes, advice), with their helps, rules and
 * suppressions. The functions take the lock of diagnostics themselves. */
#ifndef RT_DIAGNOSTICS_H
#define RT_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_text_buffer;

/* Further location of a finding. event: what happened there; file NULL: unknown.
 *
 *      "mapped", "unmapped", "read", "written", "freed", "used"    to the data
 *      "agreed"    host and device were last equal
 *      "nearest"   the nearest object was mapped
 *      "end"       the region begins whose end unmapped the data
 *      "update"    an update moved nothing */
struct rt_related_location {
    const char *event, *file;
    int line;
};
/* Begin of a region: its kind, "compute", "target" or "data", and the return address of the call that begins it; pc 0:
 * no region. */
struct rt_region_begin {
    const char *kind;
    uintptr_t pc;
    bool is_end; /* the finding is about the region's end, which compilers attribute to a nearby statement */
};
struct rt_diagnostic {
    /* level: "error", "warning", "note", "advice"; code of error_codes.lua; both static */
    const char *level, *code;
    const char *rule; /* NULL: accdeep's own rule for the code, if any */
    uintptr_t pc;     /* return address of the access, construct or call; 0: unknown */
    /* names of the data, "u[0:16]", and of one wrong element, "u[17] of u[0:16]"; NULL: none */
    const char *object, *element;
    const char *second;            /* name of the second object; NULL: no second object */
    uint64_t slot;                 /* host address of the pointer that the finding is about; 0: none */
    struct rt_region_begin region; /* region whose kernel made the access, or whose end made the transfer */
    const char *work;              /* asynchronous work that no wait orders, as words; NULL: none */
    struct rt_related_location other, further[2];
    uint64_t bytes, times, ntransfers; /* cost: `bytes` bytes in `times` of `ntransfers` transfers; 0: no cost */
    uint64_t saved_ns;                 /* predicted time that the change would save, in nanoseconds; 0: not predicted */
    uint64_t objects;                  /* number of objects that the finding is about; 0: one */
    /* true: findings of this code form a group if their data were mapped at the same location (`other`). The first one
     * is printed, and the end of the program names the variables of the rest. */
    bool is_grouped;
    const char *lines;         /* further lines of text, which tell the related locations, too; NULL: none */
    const char *help, *openmp; /* help (NULL: the help of `code`) and its OpenMP wording (NULL: the same) */
};
/* Source location of a finding; `file` or `function` NULL: unknown. */
struct rt_source_location {
    const char *file, *function;
    int line;
};
/* Prints a finding if it is the first of its code, location and variable; counts repetitions, whose number the end
 * prints. Returns false if the finding was only counted, as a repetition or because it is suppressed. Callable from any
 * thread, with or without the lock. */
bool rt_emit_diagnostic(const struct rt_diagnostic *diagnostic, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns true, and counts a repetition, if a finding with this code, return address `pc` and object (the same
 * variable) was reported already. The caller then need not make its costly text. Returns false otherwise: the caller
 * must call rt_emit_diagnostic. */
bool rt_count_duplicate(const char *code, uintptr_t pc, const char *object);
/* Reports a finding without an object, at the code that returns to `pc` (0: unknown); repetitions of the same message
 * at the same location are only counted. rule NULL: accdeep's own rule for the code, if any. */
void rt_report(const char *level, const char *code, const char *rule, uintptr_t pc, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Prints how often each finding was repeated and the summary of the run, and completes the files of findings. Further
 * calls do nothing. */
void rt_emit_counts(void);
/* Returns the help for findings with the code `code`; NULL: the code is not known. */
const struct accd__help *rt_find_help(const char *code);
/* Returns the title of the rule `id`; NULL if id is NULL or no rule has it. */
const char *rt_find_rule_title(const char *id);
/* Returns the rule that the finding violates, as named in the documents of the rule profile; if the finding has none,
 * accdeep's own rule for its code. NULL: no rule applies. */
const char *rt_find_rule(const struct rt_diagnostic *diagnostic);
bool rt_uses_openmp_terms(void); /* returns true if the rule profile follows OpenMP */
/* Writes the finding's help, or else that of its code, to *to. The wording is OpenMP's if `rule` (NULL: the profile's
 * documents) is of OpenMP, otherwise OpenACC's. The objects' names replace {1|...} and {2|...}, unless they are
 * addresses. Returns false if there is no help. */
bool rt_format_help(const struct rt_diagnostic *diagnostic, const char *rule, struct rt_text_buffer *to);
/* Reads the suppressions in the file `path`. Returns 0; the number of the first wrong line; or -1 with errno set if the
 * file cannot be opened. */
int rt_load_suppressions(const char *path);
/* Counts the finding for the first suppression that matches it, and returns true; false: no suppression matches. */
bool rt_is_suppressed(const struct rt_diagnostic *diagnostic, const struct rt_source_location *location);
/* Calls unused(path, number), the suppression's file and line, for each suppression that matched no finding. */
void rt_for_each_unused_suppression(void (*unused)(const char *path, int number));

#endif
