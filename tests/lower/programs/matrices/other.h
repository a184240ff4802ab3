#ifndef OTHER_H
#define OTHER_H
#include "vector.h"
#include "matrix.h"
#endif
