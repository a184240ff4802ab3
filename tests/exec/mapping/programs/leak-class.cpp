// leak: the destructor does not unmap what the constructor has mapped.
struct buffer {
    int v[8] = {};
    buffer()
    {
#pragma acc enter data copyin(this[0:1]) // expect: still-mapped
    }
    ~buffer()
    {
#ifdef RIGHT
#pragma acc exit data delete(this[0:1])
#endif
    }
};
int main()
{
    static buffer b;
    return b.v[0];
}
