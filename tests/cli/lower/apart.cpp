#include "apart.h"
#pragma acc shape type(apart) include(x[0:n])
int main() { apart a;
#pragma acc enter data copyin(a)
}
