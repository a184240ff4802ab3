// missing wait: the host changes data that an asynchronous update still sends.
int main(void)
{
    double a[100] = {0};
#pragma acc enter data create(a)
#pragma acc update device(a) async(3)
#ifdef RIGHT
#pragma acc wait(3)
#endif
    a[50] = 1; // checked: missing-wait
#pragma acc wait // strict: missing-wait
#pragma acc exit data delete(a)
    return 0;
}
