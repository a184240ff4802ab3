// missing wait: a kernel changes an array while another queue's kernel, which names it, reads it.
int main(void)
{
    double a[1000] = {0}, b[1000] = {0};
#pragma acc data copy(a, b)
    for (int step = 0; step < 100; step++) {
#pragma acc parallel loop present(a, b) async(1)
        for (int i = 0; i < 1000; i++) {
#ifdef RIGHT
            b[i] = i; // a is named, and not touched
#else
            b[i] = a[i];
#endif
        }
#pragma acc parallel loop present(a) async(2) // strict: missing-wait
        for (int i = 0; i < 1000; i++)
            a[i] = i + step; // checked: missing-wait
#pragma acc wait
    }
    return a[4] != 103;
}
