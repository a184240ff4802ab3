// rules: tr14x - the same program as C++.
#include "variants.c"
