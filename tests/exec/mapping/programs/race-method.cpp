// data race: a method adds to a member of its object in a loop.
struct stats {
    double total, values[64];
    void add()
    {
#pragma acc parallel loop present(this[0:1])
        for (int i = 0; i < 64; i++) {
#ifdef RIGHT
#pragma acc atomic update
#endif
            total += values[i]; // checked: data-race
        }
    }
};

int main()
{
    stats s = {};
    for (int i = 0; i < 64; i++)
        s.values[i] = i;
#pragma acc enter data copyin(s)
    s.add();
#pragma acc exit data copyout(s)
    return s.total != 2016;
}
