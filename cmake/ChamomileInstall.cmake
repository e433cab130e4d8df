# Installs the program, the library and the files for find_package(chamomile).
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/chamomile)
# Two sets: libraries without dependencies, also for C and Fortran hosts; and the C++ library with all dependencies.
install(TARGETS chamomile chamomile_amuse EXPORT chamomile_cxx)
install(TARGETS chamomile_c chamomile_cunbody chamomile_g5 chamomile_g6 EXPORT chamomile
    LIBRARY COMPONENT library NAMELINK_COMPONENT development
    FILE_SET c_interface DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chamomile)
if(TARGET chamomile_mpi_fortran)
    install(TARGETS chamomile_mpi_fortran EXPORT chamomile_mpi)
    install(FILES ${PROJECT_BINARY_DIR}/modules/chamomile_mpi.mod DESTINATION ${CMAKE_INSTALL_LIBDIR}/chamomile/modules)
endif()
if(TARGET chamomile_mpi)   # linking it requires MPI
    install(TARGETS chamomile_mpi EXPORT chamomile_mpi LIBRARY COMPONENT library NAMELINK_COMPONENT development
        FILE_SET c_interface DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chamomile)
    install(EXPORT chamomile_mpi NAMESPACE chamomile:: DESTINATION ${package_folder} FILE chamomileMpiTargets.cmake)
endif()
if(CHAMOMILE_PROGRAM)
    install(TARGETS chamomile_program COMPONENT program)
endif()
if(TARGET chamomile_fortran)
    install(TARGETS chamomile_fortran EXPORT chamomile)
    install(FILES ${PROJECT_BINARY_DIR}/modules/chamomile.mod ${PROJECT_BINARY_DIR}/modules/chamomile_c.mod
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/chamomile/modules)
endif()
install(FILES interfaces/fortran/chamomile_c.f90 interfaces/fortran/chamomile.f90 interfaces/mpi/chamomile_mpi.f90 DESTINATION ${CMAKE_INSTALL_DATADIR}/chamomile/fortran)
install(FILES interfaces/rebound/chamomile_rebound.h interfaces/rebound/chamomile_rebound.c interfaces/rebound/chamomile_rebound.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/chamomile/rebound)
# For builds without CMake: pkg-config --cflags --libs chamomile_c, chamomile_g5, chamomile_g6 or chamomile_cunbody;
# chamomile_mpi with MPI's own compilers.
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(clients
    "c||the C interface|"
    "cunbody|/interfaces/cunbody|the calls of CUNBODY-1|"
    "g5|/interfaces/grape5|the calls of a GRAPE-5|"
    "g6|/interfaces/grape6|the calls of a GRAPE-6|")
if(TARGET chamomile_mpi)
    list(APPEND clients "mpi||the C interface for particles on several processes|chamomile_c")
endif()
foreach(client IN LISTS clients)
    string(REPLACE "|" ";" client "${client}")
    list(GET client 0 name)
    list(GET client 1 folder)
    list(GET client 2 what)
    list(GET client 3 requires)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/chamomile.pc.in ${PROJECT_BINARY_DIR}/chamomile_${name}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/chamomile_${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(EXPORT chamomile NAMESPACE chamomile:: DESTINATION ${package_folder} FILE chamomileTargets.cmake)
install(EXPORT chamomile_cxx NAMESPACE chamomile:: DESTINATION ${package_folder} FILE chamomileCxxTargets.cmake)
set(chamomile_cuda_package "")
if(chamomile_has_cuda)
    set(chamomile_cuda_package CUDAToolkit)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/chamomileConfig.cmake.in
    ${PROJECT_BINARY_DIR}/chamomileConfig.cmake INSTALL_DESTINATION ${package_folder}
    PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/chamomileConfig.cmake ${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindFFTW.cmake ${PROJECT_SOURCE_DIR}/cmake/ChamomileInteraction.cmake ${PROJECT_SOURCE_DIR}/cmake/pair_kernel.cpp.in
    ${PROJECT_SOURCE_DIR}/cmake/device_law.cu.in ${PROJECT_SOURCE_DIR}/cmake/law_code.cpp.in
    DESTINATION ${package_folder})
