// use after unmap: the block of a member is unmapped, and the object stays.
struct list {
    int n, *at;
};
int main()
{
    list l = {8, new int[8]()};
    int value = 0;
#pragma acc enter data copyin(l)
#pragma acc enter data copyin(l.at[0:8])
#ifdef RIGHT
#pragma acc parallel present(l) copyout(value)
    value = l.at[2];
#pragma acc exit data delete(l.at[0:8])
#else
#pragma acc exit data delete(l.at[0:8])
#pragma acc parallel present(l) copyout(value)
    value = l.at[2]; // expect: host-pointer-on-device
#endif
#pragma acc exit data delete(l)
    delete[] l.at;
    return value;
}
