// device pointer on the host: std::memcpy in place of acc_memcpy_to_device.
#include <cstring>
#include <openacc.h>
int main()
{
    float a[300] = {1, 2, 3};
    void *d = acc_malloc(sizeof a);
#ifdef RIGHT
    acc_memcpy_to_device(d, a, sizeof a);
#else
    std::memcpy(d, a, sizeof a); // expect: device-pointer-on-host
#endif
    acc_free(d);
    return 0;
}
