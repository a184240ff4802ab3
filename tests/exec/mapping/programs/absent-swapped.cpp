// absent data: after std::swap the pointer points to a block that is not mapped.
#include <utility>
int main()
{
    double *p = new double[16](), *q = new double[16]();
#ifdef RIGHT
#pragma acc enter data copyin(p[0:16], q[0:16])
#else
#pragma acc enter data copyin(p[0:16])
#endif
    std::swap(p, q);
#pragma acc parallel loop present(p[0:16]) // expect: not-present
    for (int i = 0; i < 16; i++)
        p[i] = 1;
#pragma acc exit data copyout(p[0:16], q[0:16])
    return p[3] != 1;
}
