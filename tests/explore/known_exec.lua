-- accdeep exec on programs of gcc 12: differences from scenarios that `accdeep explore --exec` finds, and why.

local NULL = "gcc 12 passes a null address for such a section, as for absent data: accdeep exec cannot tell."
local BEYOND = "an array of which a part is present is mapped implicitly: accdeep exec lets the kernel run, and only "
  .. "--strict and checked programs tell what it touches."
local ABSENT = "the address is one of the device: accdeep exec takes it for absent data, for which exit data does "
  .. "nothing."

local CHAIN = "gcc 12 does not attach present pointers on the way to a list item."

local known = {}

known.acc_attach = {
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(s); exit data copyout(s.d[0:4])",
    "error device-pointer-on-host", ABSENT },
}

known.acc_elements = {
  { "enter data copyin(t); enter data copyin(t[0].d[0:4]); update self(t); exit data copyout(t[0].d[0:4])",
    "error device-pointer-on-host", ABSENT },
  { "enter data copyin(t); enter data copyin(t[1].d[0:4]); update self(t); exit data copyout(t[1].d[0:4])",
    "error device-pointer-on-host", ABSENT },
}

known.acc_nested = {
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(t.s[0:1]); exit data copyout(s.d[0:4])",
    "error device-pointer-on-host", ABSENT },
}

known.acc_pointers = {
  { "p = 0; enter data copyin(p[0:4])", "error null-pointer", NULL },
  { "p = 0; exit data delete(p[0:4])", "error null-pointer", NULL },
  { "p = 0; update device(p[0:4])", "error null-pointer", NULL },
  { "p = 0; data copy(p[0:4])", "error null-pointer", NULL },
}

known.omp_arrays = {
  { "target data map(alloc: a[0:2]); target { a[2] = 9 }", "error not-present", BEYOND },
  { "target enter data map(alloc: a[2:2]); target data map(alloc: a[0:2]); target { a[2] = 9 }", "device value",
    BEYOND },
}

known.omp_pointers = {
  { "p = 0; target enter data map(to: p[0:4])", "error null-pointer", NULL },
  { "p = 0; target enter data map(to: p, p[0:4])", "error null-pointer", NULL },
  { "p = 0; target exit data map(from: p[0:4])", "error null-pointer", NULL },
  { "p = 0; target update to(p[0:4])", "error null-pointer", NULL },
  { "p = 0; target data map(tofrom: p[0:4])", "error null-pointer", NULL },
}

known.omp_chains = {
  { "target enter data map(to: t); target enter data map(to: t.s->d)", "device pointer", CHAIN },
  { "target enter data map(to: t); target enter data map(to: u.t->s->x)", "device pointer", CHAIN },
  { "target enter data map(to: t); target enter data map(to: t.s->x, t.s->d[0:4])", "device pointer", CHAIN },
}

return known
