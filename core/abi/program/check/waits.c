/* waits.c - what asynchronous transfers read and write on the host, until the program has waited
 * for them: an access of the host before that is a missing wait. The shadow leaves the first access
 * to each word to access.c. */
#include "shadow.h"

#include <stdlib.h>

enum { MOST = 1024 }; /* that are kept */
static struct goacc_transfer *pending[MOST];
static size_t npending;

static void forget_done(void)
{
    size_t n = 0;
    for (size_t i = 0; i < npending; i++)
        if (goacc_order_is_done(pending[i]->used.turn))
            free(pending[i]);
        else
            pending[n++] = pending[i];
    npending = n;
}

bool goacc_has_pending(void)
{
    return npending;
}

static bool meets(const struct goacc_transfer *transfer, uint64_t host, uint64_t bytes)
{
    return host < transfer->host + transfer->bytes && transfer->host < host + bytes;
}

/* Bytes whose shadow was cleared get one again; nothing else is known of them. */
static void hold(uint64_t host, uint64_t bytes)
{
    GOACC_EACH_PART(part, host, bytes)
    {
        part.bytes &= ~(goacc_having(&part, GOACC_PRESENT) * 0xf);
        goacc_change(&part, GOACC_ONLY | GOACC_READ, GOACC_PRESENT | GOACC_VALID);
    }
}

void goacc_hold_pending(uint64_t host, uint64_t bytes)
{
    for (size_t i = 0; i < npending; i++)
        if (meets(pending[i], host, bytes))
            hold(pending[i]->host, pending[i]->bytes);
}

/* Whether no order is needed for two transfers: none of them writes, or one that writes changes nothing. */
static bool is_harmless(const struct goacc_transfer *a, const struct goacc_transfer *b)
{
    return (!a->writes || a->idle) && (!b->writes || b->idle);
}

static void look_for_clash(const struct goacc_transfer *transfer)
{
    for (size_t i = 0; i < npending; i++) {
        const struct goacc_transfer *earlier = pending[i];
        if (!meets(earlier, transfer->host, transfer->bytes) || is_harmless(earlier, transfer) ||
            goacc_order_before(earlier->used.turn, transfer->used.turn))
            continue;
        const uint64_t at = transfer->host > earlier->host ? transfer->host : earlier->host;
        goacc_report_clash(&(struct goacc_access){at, 1, transfer->writes, transfer->used.pc, NULL}, false,
                           &earlier->used, earlier->writes, true);
        return;
    }
}

/* Whether a later transfer of the same strand stands for an earlier one, too. */
static bool replaces(const struct goacc_transfer *later, const struct goacc_transfer *earlier)
{
    return later->used.turn.strand == earlier->used.turn.strand && later->writes == earlier->writes &&
           later->idle <= earlier->idle && later->scalar <= earlier->scalar && later->host <= earlier->host &&
           earlier->host + earlier->bytes <= later->host + later->bytes;
}

static void keep(const struct goacc_transfer *transfer)
{
    size_t i = 0;
    while (i < npending && !replaces(transfer, pending[i]))
        i++;
    if (i == npending && npending < MOST && (pending[npending] = malloc(sizeof *transfer)))
        npending++;
    if (i < npending)
        *pending[i] = *transfer;
    goacc_checked.version++; /* the host's accesses are questions again */
}

void goacc_note_pending(const accd_event *event, const struct goacc_pair *pair, bool idle)
{
    const bool out = event->op == ACCD_OP_D2H;
    accd_present object;
    if ((!goacc_own.turn.strand && !npending) || !goacc.site ||
        (!out && goacc_is_value(event)) ||
        !accd_present_at(goacc.context, event->device, pair->host, 0, &object))
        return;
    const struct goacc_transfer transfer = {.used = {goacc_own.turn, goacc.site->call.pc, goacc.site->what},
                                            .writes = out,
                                            .idle = idle,
                                            .scalar = goacc_is_value(event) && event->bytes <= sizeof(double),
                                            .host = event->host,
                                            .bytes = event->bytes,
                                            .object = pair->host,
                                            .object_bytes = pair->bytes,
                                            .shown = goacc_shown(&object.info)};
    const char *file;
    int line;
    if (goacc_names_copy(transfer.shown.name) && goacc_line(transfer.used.pc, &file, &line, NULL))
        return; /* the compiler's own variable: with debug information, those of the program have names */
    forget_done();
    look_for_clash(&transfer);
    if (transfer.used.turn.strand)
        keep(&transfer);
}

void goacc_note_pending_copy(uint64_t host, uint64_t bytes, bool writes)
{
    if ((!goacc_own.turn.strand && !npending) || !goacc.site || !bytes || !goacc_cover(host, bytes))
        return;
    struct goacc_transfer transfer = {.used = {goacc_own.turn, goacc.site->call.pc, goacc.site->what},
                                      .writes = writes,
                                      .host = host,
                                      .bytes = bytes,
                                      .object = host,
                                      .object_bytes = bytes};
    goacc_spell(goacc.site, host, bytes, transfer.shown.name, sizeof transfer.shown.name);
    forget_done();
    look_for_clash(&transfer);
    if (!transfer.used.turn.strand)
        return;
    keep(&transfer);
    hold(host, bytes);
    GOACC_EACH_PART(part, host, bytes) { /* the next access is a question */
        part.bytes = goacc_having(&part, GOACC_VALID) / GOACC_VALID * 0xf;
        goacc_change(&part, GOACC_ONLY | GOACC_READ, 0);
    }
}

/* Whether an access needs a wait. */
static bool is_early(const struct goacc_access *access, const struct goacc_transfer *transfer)
{
    return access->write ? !transfer->scalar : transfer->writes && !transfer->idle;
}

void goacc_check_pending(const struct goacc_access *access, bool frees)
{
    const struct goacc_transfer *found = NULL; /* one that writes, if there is one */
    for (size_t i = 0; i < npending && !goacc_own.ends_group; i++) {
        const struct goacc_transfer *transfer = pending[i];
        if (meets(transfer, access->at, access->n) && is_early(access, transfer) &&
            !goacc_order_is_done(transfer->used.turn) && (!found || transfer->writes > found->writes))
            found = transfer;
    }
    if (found)
        goacc_report_unwaited(access, frees, found);
}
