#include "hidden.h"
void g(hid &h) {
#pragma acc enter data copyin(h)
}
