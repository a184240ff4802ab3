// data race: none: a class with an array for each thread, iterators, and a local lambda.
template <int N> struct small {
    double v[N];
    double sum() const
    {
        double s = 0;
        for (int i = 0; i < N; i++)
            s += v[i];
        return s;
    }
};

int main()
{
    double a[64], b[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
#pragma acc parallel loop copyin(a) copyout(b)
    for (int i = 0; i < 64; i++) {
        small<4> t;
        auto at = [&](int k) { return a[(i + k) % 64]; };
        for (int k = 0; k < 4; k++)
            t.v[k] = at(k);
        b[i] = t.sum();
    }
    return b[0] != 6;
}
