/* findings.c - sentences, rules and helps of the findings of findings.h. */
#include "base/runtime.h"
#include "diag/errors.h"
#include "diag/symbolize.h"
#include "findings.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Returns the name of a finding's element; "data" if they were unmapped meanwhile and have no name any more. */
static const char *get_element(const struct rt_diagnostic *finding)
{
    return finding->element ? finding->element : "data";
}

/* Sets the code and the rule of a finding, and its help unless it has one. openmp NULL: the same as `help`. */
static void complete(struct rt_diagnostic *finding, const char *code, const char *rule, const char *help,
                     const char *openmp)
{
    assert(finding->level && code);
    finding->code = code;
    if (!finding->rule)
        finding->rule = rule;
    if (!finding->help) {
        finding->help = help;
        finding->openmp = openmp;
    }
}

/* Stores the update that names the finding's variable and from which gcc has left it out, if there is one. Returns true
 * if that update has explained an earlier finding: one update that moves nothing is one mistake. */
static bool is_explained_by_update(struct rt_diagnostic *finding)
{
    static uint64_t explained; /* a bit for each such update */
    char variable[RT_NAME_SIZE];
    struct rt_related_location location;
    if (!finding->object)
        return false;
    snprintf(variable, sizeof variable, "%.*s", (int)strcspn(finding->object, "[(.-%"), finding->object);
    const size_t number = rt_find_empty_update(variable, &location);
    if (!number)
        return false;
    const uint64_t bit = (uint64_t)1 << (number - 1);
    const bool is_explained = explained & bit;
    explained |= bit;
    finding->further[0] = location;
    finding->help = "call acc_update_device for {1|the variable}, which gcc keeps, in place of the update";
    finding->openmp = NULL;
    return is_explained;
}

/* Reports a read of an old value, unless an update from which gcc has left out variables explains it and another one.
 */
void rt_emit_stale_data(struct rt_diagnostic finding, const char *actor, const char *verb, bool on_device)
{
    complete(&finding, "stale-data", "ACC33-upd-1",
             on_device ? "send the change to the device before: update device({1|...})"
                       : "fetch the change from the device before: update self({1|...})",
             on_device ? "send the change to the device before: target update to({1|...})"
                       : "fetch the change from the device before: target update from({1|...})");
    if (on_device && is_explained_by_update(&finding))
        return;
    rt_emit_diagnostic(&finding, "%s %s an old value of %s: no transfer has %s change", actor, verb,
                       get_element(&finding), on_device ? "sent the host's" : "fetched the device's");
}

/* Reports a read of an old value after its data were unmapped. */
void rt_emit_stale_after_unmap(struct rt_diagnostic finding, const char *actor)
{
    complete(&finding, "stale-data", "ACC33-upd-1",
             "copy the data back as they are unmapped: copyout({1|...}), or copy",
             "copy the data back as they are unmapped: map(from: {1|...}), or tofrom");
    rt_emit_diagnostic(&finding, "%s reads an old value of %s: its data were unmapped without the device's change",
                       actor, get_element(&finding));
}

/* Reports a transfer over a newer value. */
void rt_emit_overwritten_change(struct rt_diagnostic finding, bool on_device)
{
    char call[200];
    finding.region = rt_format_call(call, sizeof call);
    complete(&finding, "overwritten-change", "ACC33-upd-1",
             on_device ? "update self({1|...}) after the device's change, or send only what the host has changed"
                       : "update device({1|...}) after the host's change, or fetch only what the device has changed",
             on_device
                 ? "target update from({1|...}) after the device's change, or send only what the host has changed"
                 : "target update to({1|...}) after the host's change, or fetch only what the device has changed");
    rt_emit_diagnostic(&finding, "%s overwrites the %s's change of %s", call, on_device ? "device" : "host",
                       get_element(&finding));
}

/* Reports a change that an unmap loses. */
void rt_emit_lost_change(struct rt_diagnostic finding)
{
    char call[200] = "the end of the program";
    if (rt.site)
        finding.region = rt_format_call(call, sizeof call);
    complete(&finding, "lost-change", NULL, NULL, NULL);
    rt_emit_diagnostic(&finding, "%s unmaps %s: the device's change is not copied to the host", call,
                       get_element(&finding));
}

/* Reports a read of an element without a value. */
void rt_emit_uninitialized_read(struct rt_diagnostic finding, const char *actor, bool on_device)
{
    complete(&finding, "uninitialized-read", "ACC33-2.7-1", NULL, NULL);
    rt_emit_diagnostic(&finding,
                       on_device ? "%s reads %s, to which nothing was written on the device"
                                 : "%s reads %s, a copy of device memory that nothing was written to",
                       actor, get_element(&finding));
}

/* Reports a copy of an element without a value. */
void rt_emit_uninitialized_copy(struct rt_diagnostic finding)
{
    char call[200];
    finding.region = rt_format_call(call, sizeof call);
    complete(&finding, "uninitialized-read", NULL, NULL, NULL);
    rt_emit_diagnostic(&finding, "%s copies %s to the host, to which nothing was written on the device", call,
                       get_element(&finding));
}

/* Reports two accesses that no wait orders. */
void rt_emit_missing_wait(struct rt_diagnostic finding, const char *actor, const char *verb, const char *side,
                          const struct rt_access_origin *earlier, const char *earlier_verb)
{
    char work[1300], waited[60], help[160], call[200];
    if (rt.site && finding.pc == rt.site->call.pc && !strncmp(actor, "end ", strlen("end "))) {
        finding.region = rt_format_call(call, sizeof call);
        actor = call;
    }
    rt_format_origin(earlier, work, sizeof work);
    rt_format_waited_stream(earlier->epoch, waited, sizeof waited);
    rt_format_wait_help(earlier->epoch, help, sizeof help);
    finding.work = work;
    complete(&finding, "missing-wait", "ACC33-async-2", help, NULL);
    rt_emit_diagnostic(&finding, "%s %s %s%s without a wait for %s, which %s it", actor, verb, get_element(&finding),
                       side, waited, earlier_verb);
}
