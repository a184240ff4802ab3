# accdeep_add_scenarios(FILE... [PREFIX prefix] [ARGUMENTS arg...]) - a test for each scenario, named prefix
# and file; the arguments go to `accdeep run`. So scenarios run with ctest -j, and show up in what
# `ctest --output-junit` writes.
function(accdeep_add_scenarios)
  cmake_parse_arguments(PARSE_ARGV 0 scenarios "" "PREFIX" "ARGUMENTS")
  foreach(file IN LISTS scenarios_UNPARSED_ARGUMENTS)
    add_test(NAME ${scenarios_PREFIX}${file} COMMAND accdeep::program run ${scenarios_ARGUMENTS} ${file}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  endforeach()
endfunction()
