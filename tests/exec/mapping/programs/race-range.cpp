// data race: neighbours of a grid are changed in place.
#include <vector>

int main()
{
    std::vector<double> u(66, 1.0), next(66, 1.0);
    double *p = u.data(), *q = next.data();
#ifdef RIGHT
    double *to = q;
#else
    double *to = p;
#endif
#pragma acc parallel loop copy(p[0:66], to[0:66])
    for (int i = 1; i < 65; ++i)
        to[i] = 0.5 * (p[i - 1] + p[i + 1]); // checked: data-race
    return to[5] != 1.0;
}
