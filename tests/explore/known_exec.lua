-- accdeep exec under libgomp-12: differences from scenarios that `accdeep explore --exec` finds, and why.

local NULL = "gcc 12 passes a null address for such a section, as for absent data: accdeep exec cannot tell."

local known = {}

known.acc_pointers = {
  { "p = 0; enter data copyin(p[0:4])", "error null-pointer", NULL },
  { "p = 0; exit data delete(p[0:4])", "error null-pointer", NULL },
  { "p = 0; update device(p[0:4])", "error null-pointer", NULL },
  { "p = 0; data copy(p[0:4])", "error null-pointer", NULL },
}

return known
