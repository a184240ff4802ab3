-- unreached.lua - calls of raise that no test of tests/raises.lua reaches: by module of lua/accdeep, a part of the
-- call's text and the reason.
return {
  ["lowering/codegen.lua"] = {
    ["if to ~= first + i - 1"] = "registers of the level around would have to lie between those of a call's arguments",
  },
  ["backend/cuda/init.lua"] = {
    ["does not compile"] = "an error of accdeep itself: the kernel that it made is wrong",
  },
  ["backend/statement.lua"] = {
    ["more than half of the steps"] = "needs a limit of steps: tests/cli/limit",
  },
  ["run/session.lua"] = {
    ["more than the limit allows"] = "needs a limit of memory: tests/cli/memory",
    ["bytes of memory left"] = "needs a host without memory and a run without a limit of it",
    ["a construct failed, but"] = "an error of accdeep itself: a construct that failed has changed something",
  },
  ["script/vocabulary.lua"] = {
    ["not the last statement"] = "needs `accdeep explore`: tests/cli/explore.test",
  },
  ["script/scenario.lua"] = {
    ["declare_from is for"] = "needs a run that is not trusted: the example of `accdeep explain declare_from`",
    ["there is no place for pictures"] = "needs a run that draws no pictures: tests/cli/draw.test",
    ["if flaw then"] = "needs `accdeep conform`, where a case that shows nothing is an error",
  },
  ["steps/runner.lua"] = {
    ["no region is open"] = "programs of explore and random steps end open regions only",
  },
  ["tools/explore/transition_system.lua"] = {
    ["the file has no vocabulary"] = "needs `accdeep explore`: tests/cli/explore.test",
  },
  ["tools/lower/fortran_designators.lua"] = {
    ["it has no components"] = "needs `accdeep lower`: tests/cli/lower_fortran.test",
    ["has no component '%s'"] = "needs `accdeep lower`: tests/cli/lower_fortran.test",
  },
  ["tools/lower/fortran_unit.lua"] = {
    ["'%s' has no %s"] = "needs `accdeep lower`: tests/cli/lower_fortran.test",
  },
  ["types/fortran_dynamic_types.lua"] = {
    ["points to no type"] = "only the program itself writes the records of types that descriptors point to",
  },
}
