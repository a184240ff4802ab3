// Sections whose pointer and length change in their region, elements of arrays, bit-fields and plain structures in updates.
#include <stdio.h>
#include <stdlib.h>
struct v { int n; double *x; 
#pragma acc shape include(x[0:n])
};
static struct v make(int n) { struct v a = { n, calloc(n, 8) }; return a; }
static int calls; static int three(void) { calls++; return 3; }
int main(void) {
  struct v t[3] = { make(2), make(3), make(4) }, *p = t; int n = 3;
#pragma acc data copy(p[0:n])
  {
#pragma acc parallel loop present(p[0:n])
    for (int i = 0; i < n; i++) p[i].x[0] += 1;
    n = 1; p = t + 1;
    for (int k = 0; k < 3; k++) { if (k == 1) continue; if (k == 2) break; }
  }
  p = t;
#pragma acc parallel loop copy(p[0:three()])
  for (int i = 0; i < 3; i++) p[i].x[0] += 1;
  printf("%g %g %g\n", t[0].x[0], t[1].x[0], t[2].x[0]);
#pragma acc enter data copyin(t)
#pragma acc parallel loop present(t)
  for (int i = 0; i < 3; i++) t[i].x[0] += 1;
#pragma acc exit data copyout(t)
  printf("%g\n", t[2].x[0]);
  return 0; }
