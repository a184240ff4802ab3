# deb.cmake - what `make deb` packs: one package for Debian with all components, below /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME accdeep)
set(CPACK_PACKAGE_VERSION ${VERSION})
set(CPACK_PACKAGE_CONTACT "The authors of accdeep")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds data errors in OpenACC and OpenMP programs")
set(CPACK_PACKAGE_DESCRIPTION "It runs programs of gcc and clang on a simulated device, and reports missing
updates, unattached pointers, sections that are too short, and missing waits, at
the line of the program. Scenarios try what the documents say.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, libdw1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, gfortran, clang, graphviz")
include(CPack)
