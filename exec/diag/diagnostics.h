/* diagnostics.h - reports findings about the program (errors, warnings, notes, advice), with their helps, rules and
 * suppressions. The functions take the lock of diagnostics themselves. */
#ifndef RT_DIAGNOSTICS_H
#define RT_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rt_text_buffer;

/* Further location of a finding: where the data were mapped, unmapped, written last, or last equal on host and device.
 */
struct rt_related_location {
    /* event: what happened there, "mapped", "written" or "agreed"; "nearest": the nearest object was mapped; file NULL:
     * unknown */
    const char *event, *file;
    int line;
};
struct rt_diagnostic {
    /* level: "error", "warning", "note", "advice"; code of error_codes.lua; both static */
    const char *level, *code;
    const char *rule; /* NULL: accdeep's own rule for the code, if any */
    uintptr_t pc;     /* return address of the access, construct or call; 0: unknown */
    /* names of the data, "u[0:16]", and of one wrong element, "u[17] of u[0:16]"; NULL: none */
    const char *object, *element;
    const char *second; /* name of the second object; NULL: no second object */
    struct rt_related_location other, further[2];
    uint64_t bytes, times, ntransfers; /* cost: `bytes` bytes in `times` of `ntransfers` transfers; 0: no cost */
    uint64_t saved_ns;                 /* predicted time that the change would save, in nanoseconds; 0: not predicted */
    uint64_t objects;                  /* number of objects that the finding is about; 0: one */
    /* true: findings of this code form a group if their data were mapped at the same location (`other`). The first one
     * is printed, and the end of the program names the variables of the rest. */
    bool is_grouped;
    const char *lines;         /* further lines of text; NULL: no further lines */
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
/* Prints how often each finding was repeated, and completes the files of findings. Further calls do nothing. */
void rt_emit_counts(void);
/* Returns the length of the variable in "p[1].a[0:4]": all except the final section. */
size_t rt_variable_name_length(const char *name);
/* Returns true if two names denote the same variable or member, in whichever section: u[0:4] and u[4:4]. */
bool rt_is_same_variable(const char *a, const char *b);
/* Returns the help for findings with the code `code`; NULL: the code is not known. */
const struct accd__help *rt_find_help(const char *code);
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
/* Returns the number of the first line that contains all `words`, a NULL-terminated list, in the source file of the
 * code at `pc`. Stores the file's name. 0: no such line, or the file is unknown or cannot be read. */
int rt_find_source_line(uintptr_t pc, const char *const words[], const char **file_p);
/* Returns the clause of a requires directive that makes devices share the host's memory, found in the source text
 * because gcc leaves no other trace of it. NULL: none. */
const char *rt_find_requires_clause(uintptr_t pc);

#endif
