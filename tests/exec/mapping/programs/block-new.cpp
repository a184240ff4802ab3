// outside of a block: the section begins inside of an array of new[], and has one element more.
int main()
{
    int n = 7;
    int *a = new int[10]();
#ifndef RIGHT
    n++;
#endif
#pragma acc enter data copyin(a[3:n]) // checked: invalid-section
#pragma acc exit data delete(a[3:n])
    delete[] a;
}
