-- libgomp of gcc 12: differences that `accdeep explore` finds, each with its smallest program, and why.
-- tests/explore/run compares.

local IF_PRESENT = "libgomp transfers nothing for a part: the range counts as absent. The profile has an "
  .. "error, so that a part is noticed."
local EXTENDS = "libgomp defect: of a range that begins before present data, `enter data` looks at the end "
  .. "only. It counts the present part and goes on."
local UPDATE_BEYOND = "libgomp defect: `update` looks for any present data in the range, and copies all of "
  .. "the range: bytes beyond the block."
local UPDATE_MEMBER = "gcc 12 updates the section's pointer, too, and libgomp ends the program where that is absent."
local BIAS = "libgomp defect: `update` of a section that does not begin at 0 moves the attached pointer on the device."
local CLOBBERED = "libgomp copies attached pointers as they are, so the host now holds a device address. "
  .. "Clauses on it are errors of accdeep."
local NULL_ACC = "libgomp takes a section of a null pointer for absent data, or maps nothing. The profile has an error."
local MEMBERS_COUNT = "libgomp defect: members that are mapped together once more all count for one of them; "
  .. "the others leave too early."
local EXIT_BEYOND = "libgomp defect: `exit data` of a range that is present in part removes, and copies, "
  .. "beyond the present data."
local UPDATE_PART = "libgomp ends the program where a part of an update's list item is present; OpenMP "
  .. "leaves out what is absent."
local IMPLICIT_PART = "an array of which a part is present is mapped implicitly: libgomp has no error, and the "
  .. "kernel writes beyond that part."
local REGION = "libgomp defect: a region's end does not count data that left in the region and came back: "
  .. "they stay present."
local DETACH = "libgomp defect: the end of a map detaches the pointer, and ends the program if it was not "
  .. "attached; absent data are no error."
local DETACHES = "libgomp detaches a pointer at the end of each map of its section, though the target may stay. "
  .. "OpenMP has no detach."
local DANGLES = "libgomp detaches at the end of maps of the section alone: where the target leaves otherwise, the "
  .. "pointer keeps its device address."
local COPIED_OUT = "libgomp defect: an attached pointer is copied out as it is: the host gets a device address."
local NULL_OMP = "libgomp maps nothing for a section of a null pointer."
local MEMBER_BEFORE = "libgomp takes a member in front of a present one for a further object."
local FREED = "libgomp defect: members of a structure that left in the region are copied at the region's end, from "
  .. "memory of the device that may be freed."

local SAME_TARGET = "libgomp defect: where two sections of one directive overlap, the pointer of the second is not "
  .. "attached, or the first is not mapped."
local AGAIN_TOGETHER = "libgomp defect: members that were mapped one by one are not taken together, though all are "
  .. "present."
local LAST_MEMBER = "libgomp counts members of a present structure one after the other: at the region's end only the "
  .. "last one is copied out."
local UPDATE_ATTACHES = "libgomp defect: `update` of a section attaches its pointer, though no clause did."

local TOGETHER = "ends: exit N: Trying to map into device [ADDRESS..ADDRESS) structure element when other mapped "
  .. "elements from the same structure weren't mapped together with it"

local TWO_LENGTHS = "libgomp ends the program where a directive that maps the structure has two sections of one "
  .. "pointer that begin together and have different lengths. accdeep maps the longer one."
local CHAIN = "gcc 12 does not attach present pointers on the way to a list item."

local known = {}

known.acc_arrays = {
  { "enter data copyin(a[1:2]); update self(a) if_present", "error partially-present", IF_PRESENT },
  { "enter data create(a[2:2]); enter data copyin(a)", "error partially-present", EXTENDS },
  { "enter data create(a[2:2]); enter data copyin(a[1:2])", "error partially-present", EXTENDS },
  { "data create(a[0:2]); update device(a[1:2])", "error partially-present", UPDATE_BEYOND },
}

known.acc_attach = {
  { "enter data copyin(a); update device(s.d[1:2])", "ends: exit N: [ADDRESS,N] is not mapped", UPDATE_MEMBER },
  { "enter data copyin(s.d[0:4]); enter data copyin(s)", "error partially-present", EXTENDS },
  { "enter data copyin(s.d[0:4]); update self(s)", "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(s.d[0:4]); update device(s)", "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(s.d[0:4]); update device(s.d[1:2])", "device pointer", BIAS },
  { "enter data copyin(s.d[0:4]); s.d = a + 2; enter data copyin(s.d[0:4])", "error partially-present", EXTENDS },
  { "enter data copyin(s.d[0:4]); s.d = a + 2; update device(s.d[1:2])", "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(s); enter data copyin(s.d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(s); exit data copyout(s.d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(s); data copyin(s.d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
}

known.acc_pointers = {
  { "enter data copyin(p[2:2]); enter data copyin(p[0:4])", "error partially-present", EXTENDS },
  { "p = 0; enter data copyin(p[0:4])", "error null-pointer", NULL_ACC },
  { "p = 0; exit data delete(p[0:4])", "error null-pointer", NULL_ACC },
  { "p = 0; update device(p[0:4])", "error null-pointer", NULL_ACC },
  { "p = 0; data copy(p[0:4])", "error null-pointer", NULL_ACC },
  { "enter data copyin(a); enter data copyin(p); enter data attach(p); update self(p); enter data copyin(p[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(a); enter data copyin(p); enter data attach(p); update self(p); enter data copyin(p[2:2])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(a); enter data copyin(p); enter data attach(p); update self(p); data copy(p[0:4])",
    "error device-pointer-on-host", CLOBBERED },
}

known.acc_members = {
  { "enter data copyin(s.y); update device(s)", "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(s.x, s.z); enter data copyin(s)", "error partially-present", EXTENDS },
  { "enter data copyin(s.x, s.z); enter data copyin(s.x, s.z); exit data copyout(s.x)",
    "device presence", MEMBERS_COUNT },
  { "enter data copyin(s.x, s.z); enter data copyin(s.x, s.z); data copy(s.x, s.z); exit data copyout(s.x); end",
    "device presence", MEMBERS_COUNT },
  { "enter data copyin(s.x, s.z); exit data copyout(s.x); enter data copyin(s.x); enter data copyin(s.x, s.z)",
    TOGETHER, AGAIN_TOGETHER },
  { "enter data copyin(s.x, s.z); exit data copyout(s.x); enter data copyin(s.x); data copy(s.x, s.z)",
    TOGETHER, AGAIN_TOGETHER },
  { "enter data copyin(s); data copy(s.x, s.z); exit data copyout(s.x); serial present(s.x) { s.x = 9 }; end",
    "host value", LAST_MEMBER },
}

-- Only --every finds this: both members are present behind one word, too, so no longer program begins with the two.
known.acc_apart = {
  { "enter data copyin(s.z); enter data copyin(s.x); enter data copyin(s.x, s.z)", TOGETHER, AGAIN_TOGETHER },
}

known.omp_arrays = {
  { "target enter data map(to: a[1:2]); target exit data map(release: a)", "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: a[1:2]); target exit data map(delete: a)", "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: a[1:2]); target update from(a)",
    "ends: exit N: Trying to update [ADDRESS..ADDRESS) object when only [ADDRESS..ADDRESS) is mapped", UPDATE_PART },
  { "target enter data map(alloc: a[2:2]); target update to(a[1:2])",
    "ends: exit N: Trying to update [ADDRESS..ADDRESS) object when only [ADDRESS..ADDRESS) is mapped", UPDATE_PART },
  { "target data map(alloc: a[0:2]); target exit data map(from: a[1:2])", "error partially-present", EXIT_BEYOND },
  { "target data map(alloc: a[0:2]); target { a[2] = 9 }", "error not-present", IMPLICIT_PART },
  { "target enter data map(to: a[1:2]); target enter data map(to: a[1:2]); target exit data map(from: a)",
    "error partially-present", EXIT_BEYOND },
  { "target data map(tofrom: a); target exit data map(from: a); target enter data map(to: a); end",
    "device presence", REGION },
}

known.omp_attach = {
  { "target enter data map(to: s); target exit data map(release: s.d[0:4])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: s.d[0:4]); target exit data map(release: a)", "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: a); target enter data map(to: s, s.d[0:4]); target exit data map(release: s.d[0:4])",
    "device pointer", DETACHES },
  { "target enter data map(to: s.d[0:4]); s.d = a + 2; target exit data map(release: s.d[0:4])",
    "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: s.d[0:4]); s.d = a + 2; target update to(s.d[1:2])",
    "ends: exit N: Trying to update [ADDRESS..ADDRESS) object when only [ADDRESS..ADDRESS) is mapped", UPDATE_PART },
  { "target data map(tofrom: s); target enter data map(to: s.d[0:4]); end", "host pointer", COPIED_OUT },
  { "target enter data map(to: s); target enter data map(to: a); target data map(to: s.d[0:4]); end",
    "device pointer", DETACHES },
  { "target enter data map(to: s); target data map(to: s.d[0:4]); target exit data map(release: s.d[0:4]); "
    .. "target exit data map(release: s.d[0:4])",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: s); target data map(to: s.d[0:4]); target exit data map(release: s.d[0:4]); end",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: a); target enter data map(to: s, s.d[0:4]); target exit data map(release: a); "
    .. "target exit data map(release: a)",
    "device pointer", DANGLES },
  { "target data map(to: s.d[0:4]); target exit data map(release: s.d[0:4]); target enter data map(to: a); end",
    "device presence", REGION },
}

known.omp_pointers = {
  { "target enter data map(to: p); target exit data map(from: p[0:4])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: p[0:4]); target exit data map(delete: a)", "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: p[2:2]); target update to(p[0:4])",
    "ends: exit N: Trying to update [ADDRESS..ADDRESS) object when only [ADDRESS..ADDRESS) is mapped", UPDATE_PART },
  { "p = 0; target enter data map(to: p[0:4])", "error null-pointer", NULL_OMP },
  { "p = 0; target exit data map(from: p[0:4])", "error null-pointer", NULL_OMP },
  { "p = 0; target update to(p[0:4])", "error null-pointer", NULL_OMP },
  { "p = 0; target data map(tofrom: p[0:4])", "error null-pointer", NULL_OMP },
  { "target enter data map(to: a); target enter data map(to: p, p[0:4]); target exit data map(from: p[0:4])",
    "device pointer", DETACHES },
  { "target enter data map(to: a); target enter data map(to: p, p[0:4]); target exit data map(delete: a)",
    "device pointer", DANGLES },
  { "target enter data map(to: p[2:2]); target enter data map(to: p[2:2]); target exit data map(from: p[0:4])",
    "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: p, p[0:4]); p = 0; target enter data map(to: p, p[0:4])",
    "error null-pointer", NULL_OMP },
  { "target enter data map(to: a); target enter data map(to: p); target data map(tofrom: p[0:4]); end",
    "device pointer", DETACHES },
  { "target enter data map(to: p); target data map(tofrom: p[0:4]); target exit data map(from: p[0:4]); "
    .. "target exit data map(from: p[0:4])",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: p); target data map(tofrom: p[0:4]); target exit data map(from: p[0:4]); end",
    "ends: exit N: attach count underflow", DETACH },
  { "target data map(tofrom: p[0:4]); target exit data map(from: p[0:4]); target enter data map(to: a); end",
    "device presence", REGION },
}

known.omp_members = {
  { "target enter data map(to: s.x); target update to(s)",
    "ends: exit N: Trying to update [ADDRESS..ADDRESS) object when only [ADDRESS..ADDRESS) is mapped", UPDATE_PART },
  { "target enter data map(to: s.y); target enter data map(to: s.x)", "error not-present", MEMBER_BEFORE },
  { "target enter data map(to: s.y); target exit data map(from: s)", "error partially-present", EXIT_BEYOND },
  { "target enter data map(to: s); target data map(tofrom: s.x, s.z); target exit data map(from: s.x); end",
    "ends: exit N: invalid device address", FREED },
  { "target data map(tofrom: s.x, s.z); target exit data map(from: s.x); target enter data map(to: s.x); end",
    "error partially-present", REGION },
  { "target data map(tofrom: s.x, s.z); target exit data map(from: s.x); target enter data map(to: s); end",
    "device presence", REGION },
  { "target data map(alloc: s); target data map(tofrom: s.x, s.z); target exit data map(delete: s.x, s.z); end",
    "host value", FREED },
}

known.acc_elements = {
  { "enter data copyin(t[1:1]); enter data copyin(t)", "error partially-present", EXTENDS },
  { "enter data copyin(t); enter data copyin(t[0].d[0:4], t[1].d[1:2]); enter data copyin(t[1].d[0:4])",
    "error partially-present", EXTENDS },
  { "enter data copyin(t); (t[1].d = a); enter data copyin(t[0].d[0:4], t[1].d[1:2])",
    "ends: exit N: pointer target not mapped for attach", SAME_TARGET },
  { "enter data copyin(t); enter data copyin(t[0].d[0:4]); update self(t); enter data copyin(t[0].d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[0].d[0:4]); update self(t); enter data copyin(t[0].d[0:4], t[1].d[1:2])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[0].d[0:4]); update self(t); exit data copyout(t[0].d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[1].d[0:4]); update self(t); enter data copyin(t[1].d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[1].d[0:4]); update self(t); exit data copyout(t[1].d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[1].d[0:4]); update self(t); data copy(t[1].d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(t); enter data copyin(t[0].d[0:4], t[1].d[1:2]); t[1].d = a; exit data delete(t[1].d[0:4]); "
    .. "enter data copyin(t[0].d[0:4], t[1].d[1:2])", "device presence", SAME_TARGET },
}

known.acc_nested = {
  { "enter data copyin(s); update device(t.s[0:1])", "ends: exit N: [ADDRESS,N] is not mapped", UPDATE_MEMBER },
  { "enter data copyin(s.d[0:4]); enter data copyin(s)", "error partially-present", EXTENDS },
  { "enter data copyin(s.d[0:4]); update self(t.s[0:1])", "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(t); enter data copyin(s); update device(t.s[0:1])", "device pointer", UPDATE_ATTACHES },
  { "enter data copyin(t); enter data copyin(s.d[0:4]); update device(t.s[0:1])",
    "error partially-present", UPDATE_BEYOND },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(t.s[0:1]); enter data copyin(s.d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(t.s[0:1]); enter data copyin(t.s->d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
  { "enter data copyin(s); enter data copyin(s.d[0:4]); update self(t.s[0:1]); exit data copyout(s.d[0:4])",
    "error device-pointer-on-host", CLOBBERED },
}

known.omp_nested = {
  { "target enter data map(to: t); target exit data map(release: t.s[0:1])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: t); target exit data map(from: t.s[0:1])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: s); target exit data map(release: s.d[0:4])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: s); target exit data map(from: s.d[0:4])",
    "ends: exit N: no attachment counters for struct", DETACH },
  { "target enter data map(to: s); target enter data map(to: t, t.s[0:1]); target exit data map(release: t.s[0:1])",
    "device pointer", DETACHES },
  { "target enter data map(to: s); target enter data map(to: t, t.s[0:1]); target exit data map(from: t.s[0:1])",
    "device pointer", DETACHES },
  { "target data map(tofrom: t.s[0:1]); target enter data map(to: s.d[0:4]); end", "host pointer", COPIED_OUT },
  { "target enter data map(to: t); target data map(tofrom: t.s[0:1]); target exit data map(release: t.s[0:1]); "
    .. "target exit data map(release: t.s[0:1])",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: t); target data map(tofrom: t.s[0:1]); target exit data map(release: t.s[0:1]); "
    .. "target exit data map(from: t.s[0:1])",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: t); target data map(tofrom: t.s[0:1]); target exit data map(release: t.s[0:1]); end",
    "ends: exit N: attach count underflow", DETACH },
  { "target enter data map(to: s); target enter data map(to: a); target enter data map(to: s.d[0:4]); "
    .. "target exit data map(release: s.d[0:4])",
    "device pointer", DETACHES },
  { "target enter data map(to: s); target enter data map(to: a); target enter data map(to: s.d[0:4]); "
    .. "target exit data map(from: s.d[0:4])",
    "device pointer", DETACHES },
  { "target data map(tofrom: t.s[0:1]); target exit data map(release: t.s[0:1]); target enter data map(to: s); end",
    "device presence", REGION },
}

known.omp_together = {
  { "target data map(always, from: b); target exit data map(release: a) map(delete: b); end", "host value", FREED },
  { "target data map(tofrom: a, b); target exit data map(from: a, b); target enter data map(to: a) map(alloc: b); end",
    "device presence", REGION },
}

local ALREADY = "ends: exit N: Trying to map into device [ADDRESS..ADDRESS) object when [ADDRESS..ADDRESS) is already "
  .. "mapped"

known.omp_ends = {
  { "target enter data map(to: s, s.d[0:4]) map(to: s.d[0:2])", ALREADY, TWO_LENGTHS },
  { "target enter data map(to: s.x, s.d[0:4]) map(to: s.d[0:2])", ALREADY, TWO_LENGTHS },
}

known.omp_chains = {
  { "target enter data map(to: t); target enter data map(to: t.s->d)", "device pointer", CHAIN },
  { "target enter data map(to: t); target enter data map(to: u.t->s->x)", "device pointer", CHAIN },
  { "target enter data map(to: t); target enter data map(to: t.s->x, t.s->d[0:4])", "device pointer", CHAIN },
  { "target enter data map(to: t.s->d); target enter data map(to: u.t->s->x)", "error not-present", MEMBER_BEFORE },
  { "target enter data map(to: t.s->d); target enter data map(to: t.s->x, t.s->d[0:4])", "error not-present",
    MEMBER_BEFORE },
}

return known
