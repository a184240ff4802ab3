/* accdeep_rules.h - rule profiles: the decisions on which documents and runtimes differ. accdeep_core.h includes this
 * header. */
#ifndef ACCDEEP_RULES_H
#define ACCDEEP_RULES_H

/* Marks a function that the libraries export. */
#if defined(__GNUC__)
#define ACCD_API __attribute__((visibility("default")))
#else
#define ACCD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Types of the knobs of a rule profile: the decisions on which documents and runtimes differ. accdeep_rules.def
 * describes each knob. A knob with two values that ignore or reject something has the type accd_choice. */
typedef enum accd_choice { ACCD_CHOICE_IGNORE, ACCD_CHOICE_REJECT } accd_choice;
#define ACCD_CHOICE(name, about, rules, ignored, rejected)
#define ACCD_FLAG(name, about, rules, no, yes)
#define ACCD_VALUE(enumerator, word, meaning) enumerator,
#ifdef __GNUC__ /* C++98 allows no comma at the end of a list */
#define ACCD_KNOB(name, type, about, rules, values) __extension__ typedef enum type { values } type; /* NOLINT */
#else
#define ACCD_KNOB(name, type, about, rules, values) typedef enum type { values } type;
#endif
#include "accdeep_rules.def"

enum { /* ACCD_KNOBS: number of knobs in this version; ACCD_MAX_KNOBS: greatest number for which accd_rules has space */
       ACCD_KNOBS = 0
#define ACCD_KNOB(name, type, about, rules, values) +1 /* NOLINT(bugprone-macro-parentheses) */
#include "accdeep_rules.def"
       ,
       ACCD_MAX_KNOBS = 64
};
typedef struct accd_rules {
    const char *name;
    const char *documents; /* names of the documents whose rules events and errors cite, in order: "ACC33 TR14" */
#define ACCD_KNOB(name, type, about, rules, values) type name;
#include "accdeep_rules.def"
    int reserved[ACCD_MAX_KNOBS - ACCD_KNOBS]; /* zeros; knobs of later versions take this space, so that the size of
                                                  the structure stays the same */
} accd_rules;

/* Returns the built-in profile called `name` ("tr14", "openacc-3.3", or another one listed in accdeep_rules.def); NULL
 * if there is no such profile. */
ACCD_API const accd_rules *accd_find_rules(const char *name);
/* Returns the rule id in column `place` of row `row` of the table ACCD_RULE_MAP (core/base/rules.h), both counted from
 * 0; NULL if there is none. A row lists the ids of one rule in several documents. The string is constant. */
ACCD_API const char *accd_get_rule_id(unsigned row, unsigned place);

#ifdef __cplusplus
}
#endif

#endif
