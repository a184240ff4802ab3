/* support.h - what the tests of the library share: an object with arrays, ways to say what a call gives. */
#ifndef EMBED_SUPPORT_H
#define EMBED_SUPPORT_H

#include "accdeep_internal.h"
#include "../core/support.h"

#include <accdeep.h>

struct deep {
    int n;
    float *a, *b;
};
static const char deep_text[] = "struct deep { int n; float *a, *b;\n"
                                "#pragma acc shape include(a[0:n], b[0:n])\n"
                                "};";

/* The call succeeds; otherwise its message is shown. */
#define fine(a, call)                                     \
    do {                                                  \
        if (!ok((call) == ACCD_OK, "%s", #call))          \
            printf("# %s\n", accd_last_error_message(a)); \
    } while (0)

/* The call fails with a status, a code and a message that begins so. */
static inline void failed(const accd_session *a, accd_status found, accd_status wanted, const char *code,
                          const char *message, const char *file, int line)
{
    const accd_error_detail *detail = accd_last_error(a);
    int good = found == wanted && detail->status == wanted && !strcmp(detail->code, code) &&
               !strncmp(detail->message, message, strlen(message)) && detail->rule;
    if (!tap_ok(good, file, line, "%s: %s", code, message))
        printf("#   found %s, %s\n", accd_status_code(found), accd_last_error_message(a));
}
#define refuses(a, call, status, code, message) failed((a), (call), (status), (code), (message), __FILE__, __LINE__)

static inline accd_session *open_session(const accd_session_config *config)
{
    accd_session *a = NULL;
    if (accd_session_new(&a, config) != ACCD_OK) {
        printf("Bail out! %s\n", accd_last_error_message(a));
        exit(1);
    }
    return a;
}

/* Nothing is present and no region is open. */
static inline void is_empty(accd_session *a)
{
    accd_context *context = accd_get_context(a);
    accd_stats stats;
    accd_level level;
    accd_get_stats(context, 0, &stats);
    ok(!stats.objects && !stats.live_bytes && !accd_level_get(context, 0, 0, &level) &&
           !accd__check_invariants(context),
       "the device is empty");
}

#endif
