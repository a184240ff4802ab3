#include "inside.h"
int main(void) { struct part p = {0}; g(&p); return 0; }
