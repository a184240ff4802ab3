/* waits.c - what asynchronous transfers read and write on the host, until the program has waited
 * for them: an access of the host before that is a missing wait. The shadow leaves the first access
 * to each word to access.c. */
#include "abi/program/strict/order.h"
#include "shadow.h"

#include <stdlib.h>

enum { MOST = 1024 }; /* that are kept */
static struct goacc_transfer *pending[MOST];
static size_t npending;

static void forget_done(void)
{
    size_t n = 0;
    for (size_t i = 0; i < npending; i++)
        if (goacc_order_is_done(pending[i]->turn))
            free(pending[i]);
        else
            pending[n++] = pending[i];
    npending = n;
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
        if (host < pending[i]->host + pending[i]->bytes && pending[i]->host < host + bytes)
            hold(pending[i]->host, pending[i]->bytes);
}

void goacc_note_pending(const accd_event *event, const struct goacc_pair *pair, bool idle)
{
    enum { SMALL = 64 }; /* gcc may pass such variables by value, whatever the clause */
    const struct goacc_turn turn = goacc_own.turn;
    const bool out = event->op == ACCD_OP_D2H;
    accd_present object;
    if (!turn.strand || !goacc.site ||
        (!out && event->bytes <= SMALL && !strcmp(goacc.site->what, "compute")) ||
        !accd_present_at(goacc.context, event->device, pair->host, 0, &object))
        return;
    forget_done();
    struct goacc_transfer *transfer = npending < MOST ? malloc(sizeof *transfer) : NULL;
    if (!transfer)
        return;
    *transfer = (struct goacc_transfer){.turn = turn,
                                        .writes = out,
                                        .idle = idle,
                                        .host = event->host,
                                        .bytes = event->bytes,
                                        .object = pair->host,
                                        .object_bytes = pair->bytes,
                                        .pc = goacc.site->call.pc,
                                        .what = goacc.site->what,
                                        .shown = goacc_shown(&object.info)};
    pending[npending++] = transfer;
}

/* Whether an access needs a wait. A scalar that comes back from a kernel may be one that the kernel
 * has for itself: then the program does not read it, but may write it. */
static bool is_early(const struct goacc_access *access, const struct goacc_transfer *transfer)
{
    const bool scalar = transfer->bytes <= sizeof(double) && !strcmp(transfer->what, "compute");
    return access->write ? !scalar : transfer->writes && !transfer->idle;
}

void goacc_check_pending(const struct goacc_access *access)
{
    for (size_t i = 0; i < npending; i++) {
        const struct goacc_transfer *transfer = pending[i];
        if (access->at < transfer->host + transfer->bytes &&
            transfer->host < access->at + access->n && is_early(access, transfer) &&
            !goacc_order_is_done(transfer->turn))
            goacc_report_unwaited(access, transfer);
    }
}
