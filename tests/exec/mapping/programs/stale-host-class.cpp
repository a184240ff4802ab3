// stale host data: a method reads the host's copy while the device has the newer one.
struct grid {
    enum { n = 24 };
    float *v = new float[n]();
    grid()
    {
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data copyin(v[0:n])
    }
    ~grid()
    {
#pragma acc exit data delete(v[0:n]) // strict: lost-change
#pragma acc exit data delete(this[0:1])
        delete[] v;
    }
    void step()
    {
#pragma acc parallel loop present(v[0:n])
        for (int i = 0; i < n; i++)
            v[i] += 1;
    }
    float norm() const
    {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += v[i]; // checked: stale-data
        return sum;
    }
};
int main()
{
    grid g;
    g.step();
#ifdef RIGHT
#pragma acc update self(g.v[0:24])
#endif
    return g.norm() < 0;
}
