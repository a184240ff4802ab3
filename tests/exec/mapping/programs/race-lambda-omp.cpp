// data race: a lambda in the loop changes a captured element that all iterations share.
int main()
{
    int a[64], n[1] = {0};
    for (int i = 0; i < 64; i++)
        a[i] = i;
#pragma omp target teams distribute parallel for map(to : a) map(tofrom : n)
    for (int i = 0; i < 64; i++) {
#ifdef RIGHT
        auto add = [&](int x) { __atomic_fetch_add(&n[0], x, __ATOMIC_RELAXED); };
#else
        auto add = [&](int x) { n[0] += x; }; // checked: data-race
#endif
        add(a[i]);
    }
    return n[0] != 2016;
}
