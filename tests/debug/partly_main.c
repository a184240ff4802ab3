/* The debug information of this file only declares what the header defines. */
#include "partly.h"

struct outer {
    int n;
    struct inner in;
    struct lost gone[2];
    int after;
};

struct outer O;

int main(void)
{
    return O.n;
}
