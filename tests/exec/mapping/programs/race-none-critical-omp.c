// data race: none: threads of one team change a variable in one critical region.
int main(void)
{
    int n = 0, last = 0;
#pragma omp target parallel for map(tofrom : n, last) lastprivate(last)
    for (int i = 0; i < 64; i++) {
#pragma omp critical
        n++;
        last = i;
    }
    return n != 64 || last != 63;
}
