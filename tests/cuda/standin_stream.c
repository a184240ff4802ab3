/* standin_stream.c - streams of the stand-in driver, and events.
 *
 * Work is done as late as may be: when the host waits for it, or when a stream that the host waits for waits
 * for it. One stream's end says nothing of another's. Clocks tell what comes behind what for sure, whenever
 * it is done: by its place in a stream, by an event, because the host saw the end of one before it gave the
 * other. To use a stream's memory without that is an error for good, and so is to find it gone.
 *
 * The threads of the host count as one: what one has seen, all have. */
#include "standin_driver.h"

struct cu_event_object {
    struct cu_context_object *context;
    size_t stream; /* that it was recorded in, with the last ticket then; ticket 0: in none */
    uint64_t upto;
    struct standin_clock behind;
    unsigned asked;
};

static struct cu_stream_object **streams; /* by place; NULL: free */
static size_t nstreams;
static struct standin_clock host; /* what it has seen the end of */
static uint64_t tickets;

static void *must_have(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

/* ----------------------------------------------------------------------------------- clocks -- */

static void widen(struct standin_clock *clock, size_t n)
{
    if (n <= clock->n)
        return;
    clock->upto = must_have(realloc(clock->upto, n * sizeof clock->upto[0]));
    memset(clock->upto + clock->n, 0, (n - clock->n) * sizeof clock->upto[0]);
    clock->n = n;
}

static void join(struct standin_clock *clock, const struct standin_clock *other)
{
    widen(clock, other->n);
    for (size_t i = 0; i < other->n; i++)
        if (other->upto[i] > clock->upto[i])
            clock->upto[i] = other->upto[i];
}

static void clock_forget(struct standin_clock *clock)
{
    free(clock->upto);
    *clock = (struct standin_clock){0};
}

bool standin_is_behind(const struct standin_clock *clock, const struct standin_allocation *allocation)
{
    size_t place = (size_t)allocation->stream;
    return allocation->stream == ANYWHERE || (place < clock->n && clock->upto[place] >= allocation->ticket);
}

uint64_t standin_ticket(void)
{
    return ++tickets;
}

uint64_t standin_issue(struct cu_stream_object *stream)
{
    join(&stream->behind, &host);
    stream->given = stream->behind.upto[stream->place] = standin_ticket();
    return stream->given;
}

/* ------------------------------------------------------------------------------------- work -- */

struct row {
    uint64_t to, from, bytes;
};

static bool kernel_may_use(const struct standin_work *kernel, const struct cu_context_object *context, uint64_t dev,
                           uint64_t bytes)
{
    return standin_reachable(dev, bytes, context, kernel->ticket) &&
           standin_is_behind(&kernel->behind, standin_allocation_at(dev));
}

/* The kernel of the backend. An address it may not use is a sticky error, as on a GPU. */
static cu_result move_pieces(const struct standin_work *work, struct cu_context_object *context)
{
    if (!kernel_may_use(work, context, work->to, work->bytes * sizeof(struct row)))
        return standin_lose(context, CU_ILLEGAL_ADDRESS);
    for (uint64_t i = 0; i < work->bytes; i++) {
        struct row row;
        memcpy(&row, standin_content(work->to + i * sizeof row), sizeof row);
        if (!kernel_may_use(work, context, row.to, row.bytes) || !kernel_may_use(work, context, row.from, row.bytes))
            return standin_lose(context, CU_ILLEGAL_ADDRESS);
        if ((row.to - row.from) % 8)
            return standin_lose(context, CU_MISALIGNED_ADDRESS);
        memcpy(standin_content(row.to), standin_content(row.from), row.bytes);
    }
    return CU_OK;
}

static cu_result run_kernel(const struct standin_work *work, struct cu_context_object *context)
{
    if (!kernel_may_use(work, context, work->to, 1))
        return standin_lose(context, CU_ILLEGAL_ADDRESS);
    standin_open(work, context);
    work->function->run(work->function->kernel, work->to, work->blocks, work->threads);
    standin_close();
    return CU_OK;
}

/* What it was told to use may be gone by now. */
static cu_result do_copy(const struct standin_work *work, struct cu_context_object *context)
{
    bool in = work->kind != COPY_OUT, out = work->kind != COPY_IN && !work->source;
    uint64_t at_host = work->kind == COPY_OUT ? work->to : work->from;
    if ((in && !standin_reachable(work->to, work->bytes, context, work->ticket)) ||
        (out && !standin_reachable(work->from, work->bytes, context, work->ticket)) ||
        (work->pinned && !standin_pinned(at_host, work->bytes)))
        return standin_lose(context, CU_ILLEGAL_ADDRESS);
    const char *from = work->source;
    if (!from)
        from = out ? standin_content(work->from) : (const char *)(uintptr_t)work->from;
    memcpy(in ? standin_content(work->to) : (char *)(uintptr_t)work->to, from, work->bytes);
    return CU_OK;
}

static bool is_pending(size_t place, uint64_t upto)
{
    const struct cu_stream_object *stream = place < nstreams ? streams[place] : NULL;
    return stream && stream->first && stream->first->ticket <= upto;
}

static struct standin_work *take_first(struct cu_stream_object *stream)
{
    struct standin_work *work = stream->first;
    stream->first = work->next;
    if (!stream->first)
        stream->last = &stream->first;
    return work;
}

static void free_work(struct standin_work *work)
{
    free(work->source);
    clock_forget(&work->behind);
    free(work);
}

/* Nothing goes round in circles: what an event stands for was given before whatever waits for it. */
static cu_result drain_upto(size_t place, uint64_t upto)
{
    struct cu_context_object *context = streams[place]->context;
    while (is_pending(place, upto)) {
        struct standin_work *work = take_first(streams[place]);
        if (work->kind == MOVE_PIECES)
            (void)move_pieces(work, context);
        else if (work->kind == KERNEL)
            (void)run_kernel(work, context);
        else if (work->kind != WAIT)
            (void)do_copy(work, context);
        else if (is_pending(work->stream, work->upto))
            (void)drain_upto(work->stream, work->upto);
        free_work(work);
    }
    return context->sticky;
}

cu_result standin_drain(struct cu_stream_object *stream)
{
    return drain_upto(stream->place, stream->given);
}

cu_result standin_drain_context(const struct cu_context_object *context)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] && streams[i]->context == context && standin_drain(streams[i]) == CU_OK)
            join(&host, &streams[i]->behind);
    return context->sticky;
}

static void free_stream(struct cu_stream_object *stream)
{
    while (stream->first)
        free_work(take_first(stream));
}

cu_result standin_lose(struct cu_context_object *context, cu_result error)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] && streams[i]->context == context)
            free_stream(streams[i]);
    return context->sticky = error;
}

/* Streams that were not given back keep their place: there is more to be given back. */
void standin_end_context(struct cu_context_object *context)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] && streams[i]->context == context && streams[i]->destroyed) {
            (void)standin_drain(streams[i]);
            join(&host, &streams[i]->behind);
        }
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] && streams[i]->context == context)
            free_stream(streams[i]);
}

static void append(struct cu_stream_object *stream, struct standin_work work)
{
    struct standin_work *copy = must_have(malloc(sizeof *copy));
    *copy = work;
    *stream->last = copy;
    stream->last = &copy->next;
}

bool standin_usable(const struct cu_stream_object *stream)
{
    return stream && !stream->destroyed && standin_current() && stream->context == standin_current();
}

/* ----------------------------------------------------------------------------------- copies -- */

static bool overlap(uint64_t a, uint64_t b, uint64_t bytes)
{
    return a - b < bytes || b - a < bytes;
}

static bool stream_may_use(const struct cu_stream_object *stream, uint64_t dev)
{
    return standin_is_behind(&stream->behind, standin_allocation_at(dev));
}

/* at_call: the source is read now, by whatever way. */
static cu_result copy(struct cu_stream_object *stream, enum standin_kind kind, uint64_t to, uint64_t from,
                      uint64_t bytes, bool at_call)
{
    bool in = kind != COPY_OUT, out = kind != COPY_IN;
    struct standin_work work = {.kind = kind, .to = to, .from = from, .bytes = bytes};
    if (!standin_usable(stream))
        return CU_INVALID_HANDLE;
    if ((in ? !standin_reachable(to, bytes, stream->context, UINT64_MAX) : standin_on_device(to)) ||
        (out ? !standin_reachable(from, bytes, stream->context, UINT64_MAX) : standin_on_device(from)) ||
        (in && out && overlap(to, from, bytes)))
        return CU_INVALID_VALUE;
    work.ticket = standin_issue(stream);
    if ((in && !stream_may_use(stream, to)) || (out && !stream_may_use(stream, from)))
        return standin_lose(stream->context, CU_ILLEGAL_ADDRESS);
    if (at_call) {
        work.source = must_have(malloc(bytes + 1));
        memcpy(work.source, out ? standin_content(from) : (const char *)(uintptr_t)from, bytes);
    }
    if (kind == COPY_OUT)
        work.pinned = standin_pinned(to, bytes);
    else if (kind == COPY_IN)
        work.pinned = !at_call && standin_pinned(from, bytes);
    append(stream, work);
    return CU_OK;
}

static cu_result synchronize(struct cu_stream_object *stream)
{
    cu_result result = standin_drain(stream);
    if (result == CU_OK)
        join(&host, &stream->behind);
    return result;
}

/* Pageable memory is read before the call returns, and written before it does. */
cu_result cuMemcpyHtoDAsync_v2(cu_address to, const void *from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyHtoDAsync_v2, CU_UNKNOWN)
    uint64_t at = (uint64_t)(uintptr_t)from;
    result = copy(stream, COPY_IN, to, at, bytes, !standin_pinned(at, bytes));
    END;
}

cu_result cuMemcpyDtoHAsync_v2(void *to, cu_address from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyDtoHAsync_v2, CU_UNKNOWN)
    uint64_t at = (uint64_t)(uintptr_t)to;
    result = copy(stream, COPY_OUT, at, from, bytes, false);
    if (result == CU_OK && !standin_pinned(at, bytes))
        result = synchronize(stream);
    END;
}

cu_result cuMemcpyDtoDAsync_v2(cu_address to, cu_address from, size_t bytes, cu_stream stream)
{
    BEGIN(cuMemcpyDtoDAsync_v2, CU_UNKNOWN)
    result = copy(stream, COPY_WITHIN, to, from, bytes, false);
    END;
}

#if STANDIN_VERSION >= 12080
/* first: the copy that the attributes begin with. */
static bool sound(const struct cu_copy_attributes *attributes, const size_t *first, size_t nattributes, size_t n)
{
    if (!n || !nattributes || nattributes > n || first[0])
        return false;
    for (size_t i = 0; i < nattributes; i++)
        if (first[i] >= n || (i && first[i] <= first[i - 1]) ||
            (attributes[i].access != CU_ACCESS_STREAM && attributes[i].access != CU_ACCESS_DURING_CALL))
            return false;
    return true;
}

/* Copies of a batch come in whatever order: backwards. */
static cu_result batch(cu_address *to, cu_address *from, const size_t *bytes, size_t n,
                       const struct cu_copy_attributes *attributes, const size_t *first, size_t nattributes,
                       cu_stream stream)
{
    if (!sound(attributes, first, nattributes, n))
        return CU_INVALID_VALUE;
    cu_result result = CU_OK;
    bool pageable = false;
    for (size_t i = n, k = nattributes - 1; i-- > 0 && result == CU_OK;) {
        k -= i < first[k];
        bool in = standin_on_device(to[i]), out = standin_on_device(from[i]);
        result = !in && !out ? CU_INVALID_VALUE
                             : copy(stream,
                                    in && out ? COPY_WITHIN
                                    : in      ? COPY_IN
                                              : COPY_OUT,
                                    to[i], from[i], bytes[i], attributes[k].access == CU_ACCESS_DURING_CALL);
        pageable = pageable || (!in && !standin_pinned(to[i], bytes[i]));
    }
    return result == CU_OK && pageable ? synchronize(stream) : result;
}
#endif

#if STANDIN_VERSION >= 13000
cu_result cuMemcpyBatchAsync_v2(cu_address *to, cu_address *from, size_t *bytes, size_t n,
                                struct cu_copy_attributes *attributes, size_t *first, size_t nattributes,
                                cu_stream stream)
{
    BEGIN(cuMemcpyBatchAsync_v2, CU_UNKNOWN)
    result = batch(to, from, bytes, n, attributes, first, nattributes, stream);
    END;
}
#elif STANDIN_VERSION >= 12080
cu_result cuMemcpyBatchAsync(cu_address *to, cu_address *from, size_t *bytes, size_t n,
                             struct cu_copy_attributes *attributes, size_t *first, size_t nattributes, size_t *failed,
                             cu_stream stream)
{
    BEGIN(cuMemcpyBatchAsync, CU_UNKNOWN)
    *failed = SIZE_MAX;
    result = batch(to, from, bytes, n, attributes, first, nattributes, stream);
    END;
}
#endif

/* ---------------------------------------------------------------------------------- kernels -- */

cu_result cuLaunchKernel(cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                         unsigned bz, unsigned shared, cu_stream stream, void **parameters, void **extra)
{
    BEGIN(cuLaunchKernel, CU_UNKNOWN)
    if (!function || !gx || gy != 1 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || shared || extra ||
        (!function->kernel && bx % 32)) {
        result = CU_INVALID_VALUE;
    } else if (!standin_usable(stream)) {
        result = CU_INVALID_HANDLE;
    } else {
        struct standin_work work = {.kind = function->kernel ? KERNEL : MOVE_PIECES,
                                    .ticket = standin_issue(stream),
                                    .to = *(const uint64_t *)parameters[0],
                                    .function = function,
                                    .blocks = gx,
                                    .threads = bx};
        if (!function->kernel)
            work.bytes = *(const uint64_t *)parameters[1];
        join(&work.behind, &stream->behind);
        append(stream, work);
    }
    END;
}

/* ---------------------------------------------------------------------------------- streams -- */

/* A stream that was destroyed has its place until the host knows that it has no work left: then all that is
 * said of the place holds of the next one. */
static size_t free_place(void)
{
    for (size_t i = 0; i < nstreams; i++) {
        struct cu_stream_object *stream = streams[i];
        if (stream && stream->destroyed && !stream->first && i < host.n && host.upto[i] >= stream->given) {
            clock_forget(&stream->behind);
            free(stream);
            streams[i] = NULL;
        }
        if (!streams[i])
            return i;
    }
    streams = must_have(realloc(streams, (nstreams + 1) * sizeof streams[0]));
    streams[nstreams] = NULL;
    return nstreams++;
}

cu_result cuStreamCreate(cu_stream *stream_p, unsigned flags)
{
    BEGIN(cuStreamCreate, CU_OUT_OF_MEMORY)
    if (!standin_current() || flags > CU_STREAM_NON_BLOCKING_FLAG) {
        result = CU_INVALID_CONTEXT;
    } else {
        struct cu_stream_object *stream = must_have(calloc(1, sizeof *stream));
        stream->context = standin_current();
        stream->place = free_place();
        stream->last = &stream->first;
        widen(&stream->behind, nstreams);
        *stream_p = streams[stream->place] = stream;
        standin.live++;
    }
    END;
}

/* What it was given is done some time, by who waits for it through an event or at the end of the context. */
cu_result cuStreamDestroy_v2(cu_stream stream)
{
    BEGIN(cuStreamDestroy_v2, CU_INVALID_HANDLE)
    if (!standin_usable(stream)) {
        result = CU_INVALID_HANDLE;
    } else {
        stream->destroyed = true;
        standin.live--;
    }
    END;
}

cu_result cuStreamSynchronize(cu_stream stream)
{
    BEGIN(cuStreamSynchronize, CU_UNKNOWN)
    result = standin_usable(stream) ? synchronize(stream) : CU_INVALID_HANDLE;
    END;
}

/* Who asks in vain often enough has it done, so that asking comes to an end. */
static cu_result poll_stream(size_t place, uint64_t upto, const struct standin_clock *behind, unsigned *asked)
{
    cu_result result = CU_OK;
    if (is_pending(place, upto)) {
        if (!standin.polls || ++*asked % standin.polls)
            return CU_NOT_READY;
        result = drain_upto(place, upto);
    }
    *asked = 0;
    if (result == CU_OK)
        join(&host, behind);
    return result;
}

cu_result cuStreamQuery(cu_stream stream)
{
    BEGIN(cuStreamQuery, CU_UNKNOWN)
    result = standin_usable(stream) ? poll_stream(stream->place, stream->given, &stream->behind, &stream->asked)
                                    : CU_INVALID_HANDLE;
    END;
}

/* ----------------------------------------------------------------------------------- events -- */

static bool event_usable(const struct cu_event_object *event)
{
    return event && standin_current() && event->context == standin_current();
}

cu_result cuEventCreate(cu_event *event, unsigned flags)
{
    BEGIN(cuEventCreate, CU_OUT_OF_MEMORY)
    if (!standin_current()) {
        result = CU_INVALID_CONTEXT;
    } else if (flags & ~(unsigned)CU_EVENT_DISABLE_TIMING_FLAG) {
        result = CU_INVALID_VALUE;
    } else {
        *event = standin_make(sizeof **event);
        (*event)->context = standin_current();
    }
    END;
}

/* It stands for what the stream was given so far, not for what it stood for before. */
cu_result cuEventRecord(cu_event event, cu_stream stream)
{
    BEGIN(cuEventRecord, CU_UNKNOWN)
    if (!event_usable(event) || !standin_usable(stream)) {
        result = CU_INVALID_HANDLE;
    } else {
        clock_forget(&event->behind);
        join(&event->behind, &stream->behind);
        event->stream = stream->place;
        event->upto = stream->given;
        event->asked = 0;
    }
    END;
}

/* The event may be of another context, and be recorded again before the stream gets there. */
cu_result cuStreamWaitEvent(cu_stream stream, cu_event event, unsigned flags)
{
    BEGIN(cuStreamWaitEvent, CU_UNKNOWN)
    if (!event || !standin_usable(stream)) {
        result = CU_INVALID_HANDLE;
    } else if (flags) {
        result = CU_INVALID_VALUE;
    } else {
        join(&stream->behind, &event->behind);
        if (event->stream != stream->place && is_pending(event->stream, event->upto))
            append(stream,
                   (struct standin_work){
                       .kind = WAIT, .ticket = standin_issue(stream), .stream = event->stream, .upto = event->upto});
    }
    END;
}

cu_result cuEventQuery(cu_event event)
{
    BEGIN(cuEventQuery, CU_UNKNOWN)
    result = event_usable(event) ? poll_stream(event->stream, event->upto, &event->behind, &event->asked)
                                 : CU_INVALID_HANDLE;
    END;
}

cu_result cuEventSynchronize(cu_event event)
{
    BEGIN(cuEventSynchronize, CU_UNKNOWN)
    if (!event_usable(event))
        result = CU_INVALID_HANDLE;
    else if (is_pending(event->stream, event->upto))
        result = drain_upto(event->stream, event->upto);
    if (result == CU_OK)
        join(&host, &event->behind);
    END;
}

cu_result cuEventDestroy_v2(cu_event event)
{
    BEGIN(cuEventDestroy_v2, CU_INVALID_HANDLE)
    if (!event_usable(event)) {
        result = CU_INVALID_HANDLE;
    } else {
        clock_forget(&event->behind);
        standin_unmake(event);
    }
    END;
}
