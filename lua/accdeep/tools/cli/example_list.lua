-- example_list.lua - the examples that `accdeep examples` lists and prints.

local example_list = {}

-- Subjects with their examples: the path in examples/, and a description of at most 80 columns.
example_list.subjects = {
  { "Begin here", {
    { "first.lua", "a scenario that explains itself; accdeep init writes it" },
    { "update_pointer.lua", "does an update of a structure keep its attached pointer?" },
    { "never_attached.lua", "a kernel follows a pointer that was never attached" },
    { "deep_copy.lua", "one clause copies a structure with its arrays" } } },
  { "Wrong results: programs for accdeep cc and accdeep exec, each with its cure", {
    { "wrong-results/update.c", "OpenACC: the host reads an old value" },
    { "wrong-results/update_cured.c", "the same, right" },
    { "wrong-results/pointer.cpp", "OpenMP: a pointer holds a host address" },
    { "wrong-results/pointer_cured.cpp", "the same, right" },
    { "wrong-results/section.f90", "Fortran: a section is too short" },
    { "wrong-results/section_cured.f90", "the same, right" },
    { "wrong-results/border.c", "nothing was written to the border of an array" },
    { "wrong-results/border_cured.c", "the same, right" },
    { "wrong-results/wait.c", "a result in a queue is not waited for" },
    { "wrong-results/wait_cured.c", "the same, right" },
    { "wrong-in-parallel/sum.c", "OpenACC: a sum without reduction" },
    { "wrong-in-parallel/sum_cured.c", "the same, right" },
    { "wrong-in-parallel/window.cpp", "C++: a scratch array that all iterations share" },
    { "wrong-in-parallel/window_cured.cpp", "the same, right" },
    { "wrong-in-parallel/bins.f90", "Fortran with OpenMP: counters that are not atomic" },
    { "wrong-in-parallel/bins_cured.f90", "the same, right" },
    { "wrong-in-parallel/smooth.c", "OpenMP: iterations that depend on each other" },
    { "wrong-in-parallel/smooth_cured.c", "the same, right" } } },
  { "Tutorial, step by step", {
    { "tutorial/01-flat-array.lua", "a kernel needs its data on the device" },
    { "tutorial/02-structure.lua", "a clause on a structure does not move what its pointer points to" },
    { "tutorial/03-attach.lua", "a deep copy by hand: map the structure, map the target, attach" },
    { "tutorial/04-shape.lua", "a shape says what a deep copy includes" },
    { "tutorial/05-nested.lua", "structures in structures, to any depth" },
    { "tutorial/06-part.lua", "named shapes exclude members; policies give directions" },
    { "tutorial/07-update.lua", "updates of whole objects and of single members" },
    { "tutorial/08-swap.lua", "the host swaps two pointers, and the device needs the same" },
    { "tutorial/09-mutable.lua", "parts are mapped and unmapped while the rest stays" },
    { "tutorial/10-vector.lua", "a C++ class with three pointers into one array" },
    { "tutorial/11-fortran.lua", "Fortran: components have bounds, so that no shape is needed" },
    { "tutorial/12-standard.lua", "standard OpenACC, to export as a C program" } } },
  { "Subjects", {
    { "deep_type.lua", "deep copy: one type, three shapes, and what each directive moves" },
    { "openmp.lua", "OpenMP: maps of members, mappers, indirect data" },
    { "groups.lua", "OpenMP: clauses that are declared once, and bound to constructs" },
    { "missing_wait.lua", "queues: a missing wait, and the order that shows it" },
    { "fortran.lua", "Fortran pointers: an attach writes bounds, too" },
    { "directory.lua", "nested data environments: pieces of one array share a block" } } },
  { "Vocabularies for accdeep explore", {
    { "explore/attach.lua", "attach and detach of a structure's pointer" },
    { "explore/deep.lua", "shapes and policies, and the same by hand" },
    { "explore/fortran.lua", "pointers and allocatables of Fortran" },
    { "explore/levels.lua", "levels of data regions, and sections that become one block" },
    { "explore/modifiers.lua", "modifiers of OpenACC's data clauses" },
    { "explore/openmp.lua", "map types, base pointers, sections of length zero" },
    { "explore/openmp-modifiers.lua", "modifiers and map types of OpenMP" } } },
  { "Further programs for accdeep cc and accdeep exec", {
    { "never_attached.c", "OpenACC: a pointer that was never attached" },
    { "never_attached_omp.c", "OpenMP: a pointer that is not attached" },
    { "stale.c", "a missing update: the end of a region overwrites a change" },
    { "missing_wait.c", "an update does not wait for a kernel in a queue" },
    { "relaxation.c", "a loop that maps its data for each kernel: what --advice says" },
    { "portable.c", "directives that documents and runtimes read differently" },
    { "ranks.c", "an MPI program that leaves data mapped" },
    { "cells.c", "deep copy by directives, which accdeep cc lowers" },
    { "cells_by_hand.c", "the same by hand" },
    { "cells.f90", "deep copy by directives in Fortran" } } },
}

return example_list
