/* kernels.cu - the only kernel of the backend: moves many small pieces, eight threads for each.
 *
 * It moves pieces from a chunk, in which they lie side by side, to their places in the data (scatter), or back into a
 * chunk (gather), as the table says. Both addresses of a piece are equal modulo eight. Nothing is built from this
 * file: kernels.c has the same kernel as PTX of an ISA that old drivers know, so that no compiler is needed. */
struct piece {
    unsigned long long to, from, bytes;
};

extern "C" __global__ void accd__move_pieces(const struct piece *table, unsigned long long n)
{
    const unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
    const unsigned long long thread = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 8;
    for (unsigned long long i = thread / 8; i < n; i += threads / 8) {
        char *to = (char *)table[i].to;
        const char *from = (const char *)table[i].from;
        const unsigned long long bytes = table[i].bytes;
        unsigned long long at = -(unsigned long long)to % 8; /* offset of the first whole word */
        if (at > bytes)
            at = bytes;
        if (lane < at)
            to[lane] = from[lane];
        const unsigned long long end = at + (bytes - at) / 8 * 8;
        for (at += 8 * lane; at < end; at += 64)
            *(unsigned long long *)(to + at) = *(const unsigned long long *)(from + at);
        if (lane < bytes - end)
            to[end + lane] = from[end + lane];
    }
}
