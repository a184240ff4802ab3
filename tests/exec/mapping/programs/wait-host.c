// missing wait: the host reads the result of an asynchronous kernel.
int main(void)
{
    int a[16] = {0};
#pragma acc parallel loop copy(a) async(1)
    for (int i = 0; i < 16; i++)
        a[i] = i;
#ifdef RIGHT
#pragma acc wait(1)
#endif
    int seen = a[4]; // checked: missing-wait
#pragma acc wait
    return seen != 4;
}
