// data race: none: private copies, locals, disjoint elements, atomics, reductions, and equal indices of one iteration.
int main(void)
{
    int a[64], b[64], h[4] = {0}, t[4], s = 0, last;
    for (int i = 0; i < 64; i++)
        a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b) copy(h, s) private(t) reduction(+ : s)
    for (int i = 0; i < 64; i++) {
        int local[2] = {a[i], a[63 - i]};
        for (int k = 0; k < 4; k++)
            t[k] = local[k % 2];
        last = t[3];
        b[i] = last;
        b[i] += t[0];
        s += b[i];
#pragma acc atomic update
        h[a[i] % 4] += 1;
    }
#pragma acc parallel loop gang copy(a)
    for (int i = 0; i < 8; i++) {
        int sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int k = 0; k < 8; k++)
            sum += a[i * 8 + k];
#pragma acc loop vector
        for (int k = 0; k < 8; k++)
            a[i * 8 + k] = sum + k;
        a[i * 8] += a[i * 8 + 7];
    }
    return h[1] != 16 || s != 64 * 63;
}
