/* By this file the runner knows the validation suite. */
#include <openacc.h>
#include <stdio.h>
