// uninitialized data: the kernel writes the inner elements, and reads the outer ones, too.
int main()
{
    double u[18] = {}, v[18] = {};
    v[0] = v[17] = 1;
#ifdef RIGHT
#pragma acc data copyout(u) copy(v)
#else
#pragma acc data copyout(u) create(v)
#endif
    {
#pragma acc parallel loop present(v)
        for (int i = 1; i < 17; i++)
            v[i] = 1;
#pragma acc parallel loop present(u, v)
        for (int i = 1; i < 17; i++)
            u[i] = v[i - 1] + v[i + 1]; // checked: uninitialized-read
#pragma acc parallel present(u)
        u[0] = u[17] = 0;
    }
    return u[8] != 2;
}
