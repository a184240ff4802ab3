// missing wait: the host reads what an asynchronous update copies.
int main(void)
{
    int a[16] = {0}, seen;
#pragma acc enter data copyin(a)
#pragma acc parallel loop present(a)
    for (int i = 0; i < 16; i++)
        a[i] = i;
#pragma acc update self(a) async(2)
#ifdef RIGHT
#pragma acc wait
#endif
    seen = a[4]; // checked: missing-wait
#pragma acc wait
#pragma acc exit data delete(a)
    return seen != 4;
}
