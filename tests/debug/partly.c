#include "partly.h"

struct inner I;
