# Lua 5.4, LPeg and the Lua modules argparse and dkjson, wherever this system has them: found by CMAKE_PREFIX_PATH, by
# pkg-config, in the usual folders, by the interpreter itself, or given as one of these variables:
#   ACCDEEP_LUA                             the interpreter
#   ACCDEEP_LUA_INCLUDE                     the folder of lua.h
#   ACCDEEP_LUA_STATIC, ACCDEEP_LUA_SHARED  Lua as an archive, as a shared library
#   ACCDEEP_LPEG_STATIC, ACCDEEP_LPEG_SHARED, ACCDEEP_LPEG_MODULE
#                                           LPeg as an archive, as a shared library, as lpeg.so that Lua loads
# OFF hides what is there. The results are these variables, STANDS_ALONE, and what to link: LUA_OF_PROGRAM,
# LPEG_OF_PROGRAM, LUA_OF_LIBRARY (nothing: no libaccdeep.so), LPEG_OF_LIBRARY.
set(missing)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_search_module(LUA_PC QUIET lua5.4>=5.4 lua-5.4>=5.4 lua54>=5.4 lua>=5.4)
endif()
find_package(Lua 5.4 EXACT QUIET)
find_program(ACCDEEP_LUA NAMES lua5.4 lua-5.4 lua54 lua)
find_path(ACCDEEP_LUA_INCLUDE lua.h HINTS ${LUA_PC_INCLUDEDIR} ${LUA_PC_INCLUDE_DIRS} ${LUA_INCLUDE_DIR}
  PATH_SUFFIXES lua5.4 lua-5.4 lua54)
foreach(kind STATIC SHARED)
  set(end ${CMAKE_${kind}_LIBRARY_SUFFIX})
  find_library(ACCDEEP_LUA_${kind} NAMES liblua5.4${end} liblua-5.4${end} liblua54${end} liblua${end}
    NAMES_PER_DIR HINTS ${LUA_PC_LIBDIR} ${LUA_PC_LIBRARY_DIRS} PATH_SUFFIXES lua5.4 lua-5.4 lua54)
endforeach()
find_library(ACCDEEP_LPEG_STATIC NAMES liblua5.4-lpeg.a liblpeg.a NAMES_PER_DIR HINTS ${LUA_PC_LIBDIR})
if(ACCDEEP_LUA_SHARED) # elsewhere it may need another library of Lua
  get_filename_component(beside_lua ${ACCDEEP_LUA_SHARED} DIRECTORY)
  find_library(ACCDEEP_LPEG_SHARED NAMES liblua5.4-lpeg.so liblpeg.so PATHS ${beside_lua} NO_DEFAULT_PATH)
endif()
if(ACCDEEP_LUA AND NOT DEFINED ACCDEEP_LPEG_MODULE)
  execute_process(COMMAND ${ACCDEEP_LUA} -e "print(package.searchpath('lpeg', package.cpath) or '')"
    OUTPUT_VARIABLE module OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(ACCDEEP_LPEG_MODULE "${module}" CACHE FILEPATH "lpeg.so, which Lua loads")
endif()

# A file without a version in its name may be of another Lua: each says its own.
if(ACCDEEP_LUA_INCLUDE)
  file(STRINGS ${ACCDEEP_LUA_INCLUDE}/lua.h is_right REGEX "define LUA_VERSION_NUM[ \t]+504")
  if(NOT is_right)
    list(APPEND missing "lua.h of Lua 5.4 (${ACCDEEP_LUA_INCLUDE}/lua.h is of another version)")
  endif()
else()
  list(APPEND missing "lua.h of Lua 5.4")
endif()
foreach(kind STATIC SHARED)
  if(ACCDEEP_LUA_${kind})
    file(STRINGS ${ACCDEEP_LUA_${kind}} is_right REGEX "LuaVersion: Lua 5[.]4" LIMIT_COUNT 1)
    if(NOT is_right)
      message(STATUS "${ACCDEEP_LUA_${kind}} is of another version of Lua than 5.4")
      set(ACCDEEP_LUA_${kind} OFF)
    endif()
  endif()
endforeach()
if(ACCDEEP_LUA)
  execute_process(COMMAND ${ACCDEEP_LUA} -e "
    if _VERSION ~= 'Lua 5.4' then io.write(';lua5.4, the interpreter (${ACCDEEP_LUA} is ', _VERSION, ')') return end
    local found, argparse = pcall(require, 'argparse')
    if not found or not argparse 'accdeep'.add_help_command then io.write ';the Lua module argparse 0.7 or later' end
    if not package.searchpath('dkjson', package.path) then io.write ';the Lua module dkjson' end
    " OUTPUT_VARIABLE modules)
  list(APPEND missing ${modules})
else()
  list(APPEND missing "lua5.4, the interpreter")
endif()

# What is linked. Two archives make the program and libaccdeep.a stand alone. Otherwise both use the shared library of
# Lua, as libaccdeep.so always does, so that a program has one Lua. LPeg that cannot be linked is loaded at run time.
set(STANDS_ALONE FALSE)
set(LUA_OF_PROGRAM ${ACCDEEP_LUA_SHARED})
set(LPEG_OF_PROGRAM ${ACCDEEP_LPEG_STATIC})
set(LPEG_OF_LIBRARY ${ACCDEEP_LPEG_SHARED})
foreach(product PROGRAM LIBRARY)
  if(NOT LPEG_OF_${product})
    set(LPEG_OF_${product} accdeep-lpeg)
  endif()
endforeach()
if(ACCDEEP_LUA_STATIC AND ACCDEEP_LPEG_STATIC)
  set(STANDS_ALONE TRUE)
  set(LUA_OF_PROGRAM ${ACCDEEP_LUA_STATIC})
  message(STATUS "Lua and LPeg are parts of the program and of libaccdeep.a, which stand alone")
elseif(NOT ACCDEEP_LUA_SHARED)
  list(APPEND missing "the shared library of Lua 5.4, or archives of both Lua and LPeg")
elseif(ACCDEEP_LPEG_STATIC)
  message(STATUS "the program and libaccdeep.a do not stand alone: they need ${ACCDEEP_LUA_SHARED}")
elseif(ACCDEEP_LPEG_MODULE)
  message(STATUS "the program and libaccdeep.a do not stand alone: they need ${ACCDEEP_LUA_SHARED} and load "
    "${ACCDEEP_LPEG_MODULE}")
else()
  list(APPEND missing "LPeg for Lua 5.4")
endif()
set(LUA_OF_LIBRARY)
if(ACCDEEP_LUA_SHARED AND (ACCDEEP_LPEG_SHARED OR ACCDEEP_LPEG_MODULE))
  set(LUA_OF_LIBRARY ${ACCDEEP_LUA_SHARED})
else()
  message(STATUS "libaccdeep.so is left out: there is no shared library of Lua 5.4, or none of LPeg")
endif()
if(missing)
  list(JOIN missing "\n    " missing)
  message(FATAL_ERROR "accdeep needs Lua 5.4, no older and no newer one. Missing:\n"
    "    ${missing}\n"
    "  Debian 12, Ubuntu 24.04 and later: lua5.4 liblua5.4-dev lua-lpeg lua-lpeg-dev lua-argparse lua-dkjson\n"
    "  Fedora, RHEL with EPEL: lua lua-devel lua-lpeg; SUSE: lua54 lua54-devel lua54-lpeg\n"
    "  Alpine: lua5.4 lua5.4-dev lua5.4-lpeg; Arch: lua54 and LPeg for it\n"
    "  anywhere: luarocks --lua-version 5.4 install lpeg (argparse, dkjson)\n"
    "What is elsewhere is named by CMAKE_PREFIX_PATH, LUA_PATH and LUA_CPATH, or the variables in lua/find.cmake.")
endif()
