// nothing: a kernel with more variables than most have, with OpenMP.
int main(int count, char **arguments)
{
    int x[8];
    (void)arguments;
    int a0 = count + 0, a1 = count + 1, a2 = count + 2, a3 = count + 3, a4 = count + 4, a5 = count + 5, a6 = count + 6, a7 = count + 7;
    int b0 = count + 0, b1 = count + 1, b2 = count + 2, b3 = count + 3, b4 = count + 4, b5 = count + 5, b6 = count + 6, b7 = count + 7;
    int c0 = count + 0, c1 = count + 1, c2 = count + 2, c3 = count + 3, c4 = count + 4, c5 = count + 5, c6 = count + 6, c7 = count + 7;
    int d0 = count + 0, d1 = count + 1, d2 = count + 2, d3 = count + 3, d4 = count + 4, d5 = count + 5, d6 = count + 6, d7 = count + 7;
    int e0 = count + 0, e1 = count + 1, e2 = count + 2, e3 = count + 3, e4 = count + 4, e5 = count + 5, e6 = count + 6, e7 = count + 7;
#pragma omp target map(from: x)
    for (int i = 0; i < 8; i++) {
        x[i] = i;
        x[i] += a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
        x[i] += b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7;
        x[i] += c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
        x[i] += d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7;
        x[i] += e0 + e1 + e2 + e3 + e4 + e5 + e6 + e7;
    }
    return x[7] != 7 + 40 * count + 5 * 28;
}
