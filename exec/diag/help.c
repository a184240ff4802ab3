/* help.c - finds the rule of a finding, and writes its help in the terms of the rule's language. Called by
 * diagnostics.c and report_file.c. */
#include "base/runtime.h"
#include "lib/text_buffer.h"
#include "diagnostics.h"

#include "abi/helps/helps.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the documents of the rule profile are OpenMP's; false before the options are read. */
bool rt_uses_openmp_terms(void)
{
    return rt.options.rules && !strncmp(rt.options.rules->documents, "OMP60", 5);
}

/* Returns the equivalent of `rule` in the profile's document: another rule, or `rule` itself. NULL: the document has no
 * equivalent. */
static const char *find_rule_in_profile(const char *rule)
{
    static const char *const rules[][2] = {
        {"ACC33-2.6.7-4", "OMP60-map-6"}, {"ACC33-2.7-1", "OMP60-map-5"},
        {"ACC33-2.7.1-1", "OMP60-sec-1"}, {"ACC33-att-6", "OMPEX-struct_map-6"},
        {"ACC33-att-8", "OMP60-map-8"},   {"ACC33-det-1", "OMP60-map-7"},
        {"ACC33-gloss-2", "OMP60-sec-1"}, {"ACC33-impl-1", "OMP60-map-11"},
        {"ACC33-hd-1", "OMP60-api-12"},   {"DIR-1-04", "OMP60-api-2"},
        {"DIR-4.3-06", "OMP60-tgt-1"},    {"ACC33-upd-1", "OMP60-upd-1"},
        {"ACC33-async-2", NULL},          {"ACC33-async-4", NULL},
    };
    if (rule && rt_uses_openmp_terms())
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
            if (!strcmp(rule, rules[i][0]))
                return rules[i][1];
    return rule;
}

/* Returns the rule that a finding violates, as named in the documents of the rule profile: the finding's own rule, or
 * accdeep's rule for its code. NULL: no rule applies. */
const char *rt_find_rule(const struct rt_diagnostic *diagnostic)
{
    const struct accd__help *help = rt_find_help(diagnostic->code);
    return find_rule_in_profile(diagnostic->rule || !help ? diagnostic->rule : help->rule);
}

/* Returns the entry of accd__help_table for the code `code` of a finding; NULL: the code is not known. */
const struct accd__help *rt_find_help(const char *code)
{
    const struct accd__help *help = accd__help_table;
    while (help->code && strcmp(help->code, code) != 0)
        help++;
    return help->code ? help : NULL;
}

static int compare_ids(const void *id, const void *entry)
{
    return strcmp(id, ((const struct accd__rule_title *)entry)->id);
}

/* Returns the title of the rule `id`; NULL if id is NULL or no rule has it. */
const char *rt_find_rule_title(const char *id)
{
    const struct accd__rule_title *entry = NULL;
    if (id)
        entry = bsearch(id, accd__rule_titles, accd__rule_title_count, sizeof *entry, compare_ids);
    return entry ? entry->title : NULL;
}

/* Writes the finding's help to *to, with the names of its objects. Returns false if the help is empty. */
bool rt_format_help(const struct rt_diagnostic *diagnostic, const char *rule, struct rt_text_buffer *to)
{
    assert(diagnostic->code && to);
    const struct accd__help *help = rt_find_help(diagnostic->code);
    const char *documents = rule ? rule : rt.options.rules ? rt.options.rules->documents : "";
    const bool openmp = !strncmp(documents, "OMP", 3) || !strncmp(documents, "LLNL", 4);
    const char *text = help ? (openmp ? help->openmp : help->help) : "";
    if (diagnostic->help)
        text = openmp && diagnostic->openmp ? diagnostic->openmp : diagnostic->help;
    rt_text_clear(to);
    for (const char *c = text; *c; c++) {
        const char *name = c[0] != '{'   ? NULL
                           : c[1] == '1' ? diagnostic->object
                           : c[1] == '2' ? diagnostic->second
                                         : NULL;
        const char *close = c[0] == '{' ? strchr(c, '}') : NULL;
        if (!close)
            rt_text_append(to, "%c", *c);
        else if (name && *name && !isdigit((unsigned char)*name))
            rt_text_append(to, "%s", name);
        else
            rt_text_append(to, "%.*s", (int)(close - c) - 3, c + 3);
        c = close ? close : c;
    }
    return to->n > 0;
}
