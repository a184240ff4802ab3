/* kernel_prelude.cu - the CUDA text before every kernel made from a body: checked accesses to device memory.
 *
 * A kernel accepts only accesses and operations that the interpreter would certainly accept. Any other stops the
 * kernel: its writes are undone and the interpreter runs the body, so that the interpreter finds and reports all
 * errors. Integers have 64 bits and are converted into the range of their type; floating numbers are double, as in the
 * interpreter.
 *
 * Pointers carry the bounds {low, high} of the object that contains their target:
 *   {0, ~0}   unknown: the table of ranges decides.
 *   {0, 0}    the pointer cannot be followed.
 *   {1, 0}    the target is present in pieces, as several objects; therefore no single range contains it.
 *
 * Iterations that run in parallel must not depend on each other. Each word of four bytes has two owners: the iteration
 * that wrote the word, and the iteration that read it (MANY: several read it). An iteration that finds a different
 * owner stops the kernel, which is then run again by one thread.
 *
 * cuda/launch.c fills in the structures accd_launch, accd_range and accd_slot. */

/* Reasons to stop. cuda_runtime.lua has the text of each. */
enum {
    ACCD_BOUNDS = 1,
    ACCD_UNWRITTEN,
    ACCD_ATTACHED,
    ACCD_EXCLUDED,
    ACCD_DIVISION,
    ACCD_CONFLICT,
    ACCD_TURNS,
    ACCD_PIECES,
    ACCD_ESCAPES,
    ACCD_NAN,
};

typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
#define ACCD_MANY 0xffffffffu
#define ACCD_OBJECT 1
#define ACCD_HAS_EXCLUDED 2
#define ACCD_LOCAL 4

struct accd_pointer {
    u64 at, low, high;
};
struct accd_range {
    u64 low, high, flags, origin, bits, owners, saved;
};
struct accd_slot {
    u64 at, bytes, value, low, high;
};
struct accd_launch {
    u64 stopped, turns, parallel, writes;
    u64 ranges, nranges, slots, nslots, variables, owners, owner_words;
};
struct accd_local { /* a thread's own variable in memory */
    accd_range range;
    accd_local *next;
};
struct accd_thread {
    accd_launch *run;
    accd_local *locals;
    u64 thread, threads, turns;
    u32 me;
    int stopped;
};

static __device__ void accd_stop(accd_thread &t, u32 why, u32 site)
{
    atomicCAS(&t.run->stopped, 0ull, (u64)why << 32 | site);
    t.stopped = 1;
}

static __device__ accd_thread accd_begin_call(accd_launch *run)
{
    accd_thread t;
    t.run = run;
    t.locals = 0;
    t.thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    t.threads = (u64)gridDim.x * blockDim.x;
    t.turns = 0;
    t.me = ACCD_MANY;
    t.stopped = 0;
    return t;
}

/* True if the thread must stop: it used up its iterations, or another thread stopped (checked every 64th time).
   Called at every iteration of a loop. */
static __device__ bool accd_must_stop(accd_thread &t)
{
    if (++t.turns > t.run->turns && t.run->turns)
        accd_stop(t, ACCD_TURNS, 0);
    if (t.turns % 64 == 0 && *(volatile u64 *)&t.run->stopped)
        t.stopped = 1;
    return t.stopped;
}

/* ---- addresses ---- */

/* Returns the range that contains an address, or 0. Binary search: ranges are sorted and disjoint. */
static __device__ const accd_range *accd_find_object(const accd_thread &t, u64 at)
{
    const accd_range *ranges = (const accd_range *)t.run->ranges;
    u64 low = 0, high = t.run->nranges;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (ranges[middle].low <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at < ranges[low - 1].high ? &ranges[low - 1] : 0;
}

/* Returns the first slot that ends after an address, or the end of the table. Slots are sorted. */
static __device__ const accd_slot *accd_slot_after(const accd_thread &t, u64 at)
{
    const accd_slot *slots = (const accd_slot *)t.run->slots;
    u64 low = 0, high = t.run->nslots;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (slots[middle].at + 8 <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return slots + low;
}

static __device__ const accd_range *accd_kernel_range(accd_thread &t, accd_pointer p, u32 bytes, u32 site)
{
    if (t.stopped)
        return 0;
    if (p.at >= p.low && p.at <= p.high && bytes <= p.high - p.at) {
        const accd_range *range = accd_find_object(t, p.at);
        if (range && bytes <= range->high - p.at)
            return range;
        for (const accd_local *own = t.locals; own && !range; own = own->next)
            if (p.at >= own->range.low && p.at < own->range.high && bytes <= own->range.high - p.at)
                return &own->range;
    }
    accd_stop(t, ACCD_BOUNDS, site);
    return 0;
}

static __device__ bool accd_is_unusable(accd_pointer p)
{
    return p.high == 0 && p.low <= 1;
}

static __device__ accd_pointer accd_unknown(u64 at)
{
    accd_pointer p = {at, 0, ~0ull};
    return p;
}

static __device__ accd_pointer accd_moved(accd_pointer p, i64 bytes)
{
    p.at += (u64)bytes;
    return p;
}

/* Returns an array as a pointer to its first element, with the bounds of the array. */
static __device__ accd_pointer accd_decayed(accd_pointer p, u64 bytes)
{
    if (accd_is_unusable(p))
        return p;
    accd_pointer made = {p.at, p.at, p.at + bytes};
    return made;
}

/* Returns the address of an object; bounds that are known are kept. */
static __device__ accd_pointer accd_address(accd_pointer p, u64 bytes)
{
    return p.high == ~0ull ? accd_decayed(p, bytes) : p;
}

/* ---- written bytes and owners of words ---- */

static __device__ u64 accd_mask(u32 bytes)
{
    return (1ull << bytes) - 1;
}

static __device__ u64 accd_written(const accd_range *range, u64 at, u32 bytes)
{
    const volatile u64 *bits = (const volatile u64 *)range->bits;
    u64 i = at - range->origin, found = bits[i / 64] >> i % 64;
    if (i % 64 + bytes > 64)
        found |= bits[i / 64 + 1] << (64 - i % 64);
    return found & accd_mask(bytes);
}

static __device__ void accd_mark(const accd_range *range, u64 at, u32 bytes)
{
    u64 *bits = (u64 *)range->bits;
    u64 i = at - range->origin, mask = accd_mask(bytes);
    if (accd_written(range, at, bytes) == mask)
        return;
    if (range->flags & ACCD_LOCAL) { /* private to the thread; atomic operations cannot access them */
        bits[i / 64] |= mask << i % 64;
        if (i % 64 + bytes > 64)
            bits[i / 64 + 1] |= mask >> (64 - i % 64);
        return;
    }
    atomicOr(&bits[i / 64], mask << i % 64);
    if (i % 64 + bytes > 64)
        atomicOr(&bits[i / 64 + 1], mask >> (64 - i % 64));
}

/* Marks the words of an access and then checks for other owners. Because each thread marks before it checks, at least
   one of two conflicting iterations finds the other. */
static __device__ void accd_touch(accd_thread &t, const accd_range *range, u64 at, u32 bytes, bool writes, u32 site)
{
    if (range->flags & ACCD_LOCAL)
        return;
    u64 first = (at - range->origin) / 4, last = (at - range->origin + bytes - 1) / 4;
    for (u64 i = first; i <= last; i++) {
        u32 *writer = (u32 *)range->owners + 2 * i, *reader = writer + 1, before, other;
        if (writes) {
            before = atomicCAS(writer, 0u, t.me);
            __threadfence();
            other = atomicAdd(reader, 0u);
        } else {
            other = atomicCAS(reader, 0u, t.me);
            if (other && other != t.me)
                atomicExch(reader, ACCD_MANY);
            __threadfence();
            before = other = atomicAdd(writer, 0u);
        }
        if ((before && before != t.me) || (other && other != t.me))
            accd_stop(t, ACCD_CONFLICT, site);
    }
}

/* ---- accesses of at most eight bytes ---- */

static __device__ u64 accd_get(accd_thread &t, accd_pointer p, u32 bytes, u32 site)
{
    const accd_range *range = accd_kernel_range(t, p, bytes, site);
    if (!range)
        return 0;
    if (accd_written(range, p.at, bytes) != accd_mask(bytes)) {
        accd_stop(t, ACCD_UNWRITTEN, site);
        return 0;
    }
    if (t.run->parallel && t.run->writes)
        accd_touch(t, range, p.at, bytes, false, site);
    if (p.at % bytes == 0)
        switch (bytes) {
        case 1:
            return *(const volatile unsigned char *)p.at;
        case 2:
            return *(const volatile unsigned short *)p.at;
        case 4:
            return *(const volatile u32 *)p.at;
        default:
            return *(const volatile u64 *)p.at;
        }
    u64 value = 0;
    for (u32 i = 0; i < bytes; i++)
        value |= (u64)((const volatile unsigned char *)p.at)[i] << 8 * i;
    return value;
}

static __device__ void accd_put(accd_thread &t, accd_pointer p, u32 bytes, u64 value, u32 site)
{
    const accd_range *range = accd_kernel_range(t, p, bytes, site);
    if (!range)
        return;
    const accd_slot *slot = accd_slot_after(t, p.at), *end = (const accd_slot *)t.run->slots + t.run->nslots;
    for (; slot < end && slot->at < p.at + bytes; slot++)
        if (slot->bytes)
            return accd_stop(t, ACCD_ATTACHED, site);
    if (range->flags & ACCD_HAS_EXCLUDED && !accd_written(range, p.at, bytes))
        return accd_stop(t, ACCD_EXCLUDED, site);
    if (t.run->parallel)
        accd_touch(t, range, p.at, bytes, true, site);
    if (t.stopped)
        return;
    accd_mark(range, p.at, bytes);
    if (p.at % bytes == 0)
        switch (bytes) {
        case 1:
            *(volatile unsigned char *)p.at = (unsigned char)value;
            return;
        case 2:
            *(volatile unsigned short *)p.at = (unsigned short)value;
            return;
        case 4:
            *(volatile u32 *)p.at = (u32)value;
            return;
        default:
            *(volatile u64 *)p.at = value;
            return;
        }
    for (u32 i = 0; i < bytes; i++)
        ((volatile unsigned char *)p.at)[i] = (unsigned char)(value >> 8 * i);
}

static __device__ accd_pointer accd_get_pointer(accd_thread &t, accd_pointer p, u32 site)
{
    accd_pointer value = {accd_get(t, p, 8, site), 0, 0};
    const accd_slot *slot = accd_slot_after(t, p.at), *end = (const accd_slot *)t.run->slots + t.run->nslots;
    if (slot < end && slot->at == p.at && slot->value == value.at) {
        value.low = slot->low;
        value.high = slot->high;
        return value;
    }
    const accd_range *range = accd_find_object(t, value.at);
    if (range && !(range->flags & ACCD_OBJECT))
        return accd_unknown(value.at);
    if (range) {
        value.low = range->low;
        value.high = range->high;
    }
    return value;
}

static __device__ accd_pointer accd_put_pointer(accd_thread &t, accd_pointer p, accd_pointer value, u32 site)
{
    if (value.low == 1 && value.high == 0)
        accd_stop(t, ACCD_PIECES, site);
    for (const accd_local *own = t.locals; own; own = own->next)
        if (value.at >= own->range.low && value.at <= own->range.high)
            accd_stop(t, ACCD_ESCAPES, site);
    accd_put(t, p, 8, value.at, site);
    return value;
}

static __device__ void accd_copy(accd_thread &t, accd_pointer to, accd_pointer from, u64 bytes, u32 site)
{
    for (u64 i = 0; i < bytes && !t.stopped; i++)
        accd_put(t, accd_moved(to, (i64)i), 1, accd_get(t, accd_moved(from, (i64)i), 1, site), site);
}

/* Begins the life of a local variable in memory, with all bytes unwritten; returns its address. */
static __device__ accd_pointer accd_begin_local(accd_thread &t, accd_local &own, u64 *memory, u64 *bits, u64 bytes)
{
    if (!own.range.high) {
        own.next = t.locals;
        t.locals = &own;
    }
    own.range.low = own.range.origin = (u64)memory;
    own.range.high = (u64)memory + bytes;
    own.range.flags = ACCD_OBJECT | ACCD_LOCAL;
    own.range.bits = (u64)bits;
    for (u64 i = 0; i < (bytes + 63) / 64; i++)
        bits[i] = 0;
    accd_pointer p = {own.range.low, own.range.low, own.range.high};
    return p;
}

/* ---- numbers ---- */

union accd_number {
    u64 u;
    double d;
};
union accd_small_number {
    u32 u;
    float f;
};

static __device__ double accd_as_f64(u64 bits)
{
    accd_number n;
    n.u = bits;
    return n.d;
}
static __device__ u64 accd_f64_bits(accd_thread &t, double v, u32 site)
{
    accd_number n;
    n.d = v;
    if (v != v)
        accd_stop(t, ACCD_NAN, site);
    return n.u;
}
static __device__ double accd_as_f32(u64 bits)
{
    accd_small_number n;
    n.u = (u32)bits;
    return (double)n.f;
}
static __device__ u64 accd_f32_bits(accd_thread &t, double v, u32 site)
{
    accd_small_number n;
    n.f = (float)v;
    if (v != v)
        accd_stop(t, ACCD_NAN, site);
    return n.u;
}

static __device__ i64 accd_integer(double v)
{
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (i64)v : 0;
}

static __device__ i64 accd_unsigned(double v)
{
    return v >= 9223372036854775808.0 && v < 18446744073709551616.0 ? (i64)(u64)v : accd_integer(v);
}

static __device__ i64 accd_divided(accd_thread &t, i64 a, i64 b, bool is_unsigned, bool rest, u32 site)
{
    if (b == 0) {
        accd_stop(t, ACCD_DIVISION, site);
        return 0;
    }
    if (is_unsigned)
        return (i64)(rest ? (u64)a % (u64)b : (u64)a / (u64)b);
    if (b == -1)
        return rest ? 0 : (i64)(0 - (u64)a);
    return rest ? a % b : a / b;
}

/* Returns the number of elements between two addresses, rounded down. */
static __device__ i64 accd_distance(u64 a, u64 b, i64 size)
{
    i64 bytes = (i64)(a - b), n = bytes / size;
    return bytes % size < 0 ? n - 1 : n;
}

static __device__ i64 accd_shifted_right(i64 v, i64 n, bool is_signed)
{
    return is_signed ? v >> n : (i64)((u64)v >> n);
}

/* ---- saving and restoring device memory ---- */

static __device__ void accd_move_all(accd_launch *run, bool back)
{
    accd_thread t = accd_begin_call(run);
    const accd_range *ranges = (const accd_range *)run->ranges;
    const bool shared = run->nranges < gridDim.x; /* few ranges: all blocks share each of them */
    const u64 first = shared ? t.thread : threadIdx.x, step = shared ? t.threads : blockDim.x;
    for (u64 r = shared ? 0 : blockIdx.x; r < run->nranges; r += shared ? 1 : gridDim.x) {
        u64 from = back ? ranges[r].saved : ranges[r].low, to = back ? ranges[r].low : ranges[r].saved;
        u64 bytes = ranges[r].high - ranges[r].low, words = from % 8 == 0 && to % 8 == 0 ? bytes / 8 : 0;
        for (u64 i = first; i < words; i += step)
            ((u64 *)to)[i] = ((const u64 *)from)[i];
        for (u64 i = 8 * words + first; i < bytes; i += step)
            ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
    for (u64 i = t.thread; !back && i < run->owner_words; i += t.threads)
        ((u64 *)run->owners)[i] = 0;
}

extern "C" __global__ void accd_save(accd_launch *run)
{
    accd_move_all(run, false);
}
extern "C" __global__ void accd_restore(accd_launch *run)
{
    accd_move_all(run, true);
}

/* ---- the body ---- */

/* Made of the statements of the body; cuda_statement.lua appends it. */
static __device__ void accd_run_body(accd_thread &t);

extern "C" __global__ void accd_body(accd_launch *run)
{
    accd_thread t = accd_begin_call(run);
    accd_run_body(t);
}
