/* help.c - the rule of a finding and its help, in the words of the language. */
#include "runtime.h"
#include "text.h"

#include "abi/helps/helps.h"

#include <ctype.h>
#include <string.h>

/* The house rule behind an error that no document asks for. */
static const char *house_rule(const char *code)
{
    static const char *const rules[][2] = {
        {"file", "HOUSE-files"},
        {"out-of-memory", "HOUSE-memory"},
        {"misuse", "HOUSE-misuse"},
        {"unsupported", "HOUSE-version"},
        {"no-device", "DIR-1-04"},
        {"region-nesting", "DIR-4.3-06"},
        {"not-present", "ACC33-hd-1"},
        {"device-pointer-on-host", "ACC33-hd-1"},
        {"invalid-section", "ACC33-2.7.1-1"},
        {"null-pointer", "ACC33-3.2.18-1"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (!strcmp(rules[i][0], code))
            return rules[i][1];
    return NULL;
}

bool goacc_speaks_openmp(void)
{
    return goacc.options.rules && !strncmp(goacc.options.rules->documents, "OMP60", 5);
}

/* The rule that says the same in the profile's document. */
static const char *in_profile(const char *rule)
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
    if (rule && goacc_speaks_openmp())
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
            if (!strcmp(rule, rules[i][0]))
                return rules[i][1];
    return rule;
}

const char *goacc_rule_of(const struct goacc_finding *finding)
{
    return in_profile(finding->rule ? finding->rule : house_rule(finding->code));
}

const struct accd_help *goacc_help_entry(const char *code)
{
    const struct accd_help *help = accd_helps;
    while (help->code && strcmp(help->code, code) != 0)
        help++;
    return help->code ? help : NULL;
}

bool goacc_help_of(const struct goacc_finding *finding, const char *rule, struct goacc_text *to)
{
    const struct accd_help *help = goacc_help_entry(finding->code);
    const char *of = rule ? rule : goacc.options.rules ? goacc.options.rules->documents : "";
    const bool openmp = !strncmp(of, "OMP", 3) || !strncmp(of, "LLNL", 4);
    const char *text = help ? (openmp ? help->openmp : help->help) : "";
    if (finding->help)
        text = openmp && finding->openmp ? finding->openmp : finding->help;
    goacc_text_clear(to);
    for (const char *c = text; *c; c++) {
        const char *name = c[0] != '{' ? NULL : c[1] == '1' ? finding->object : c[1] == '2' ? finding->second : NULL;
        const char *close = c[0] == '{' ? strchr(c, '}') : NULL;
        if (!close)
            goacc_text(to, "%c", *c);
        else if (name && *name && !isdigit((unsigned char)*name))
            goacc_text(to, "%s", name);
        else
            goacc_text(to, "%.*s", (int)(close - c) - 3, c + 3);
        c = close ? close : c;
    }
    return to->n > 0;
}
