// The median of each three neighbours.
#include <algorithm>
#include <cstdio>

int main()
{
    int x[102], median[102], window[3];
    for (int i = 0; i < 102; i++)
        x[i] = i * 37 % 100;
#pragma acc parallel loop copyin(x) copyout(median[1:100]) private(window)
    for (int i = 1; i <= 100; i++) {
        for (int k = 0; k < 3; k++)
            window[k] = x[i - 1 + k];
        median[i] = std::max(std::min(window[0], window[1]), std::min(std::max(window[0], window[1]), window[2]));
    }
    std::printf("%d\n", median[50]);
}
