# Installs the program, the library and what find_package(chamomile) needs.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/chamomile)
install(TARGETS chamomile chamomile_cunbody chamomile_c chamomile_g5 chamomile_g6 chamomile_amuse EXPORT chamomile
    FILE_SET c_interface DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chamomile)
if(CHAMOMILE_PROGRAM)
    install(TARGETS chamomile_program)
endif()
if(TARGET chamomile_fortran)
    install(TARGETS chamomile_fortran EXPORT chamomile)
    install(FILES ${PROJECT_BINARY_DIR}/modules/chamomile.mod ${PROJECT_BINARY_DIR}/modules/chamomile_c.mod
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/chamomile/modules)
endif()
install(FILES clients/fortran/chamomile_c.f90 clients/fortran/chamomile.f90 DESTINATION ${CMAKE_INSTALL_DATADIR}/chamomile/fortran)
install(FILES clients/rebound/chamomile_rebound.h clients/rebound/chamomile_rebound.c clients/rebound/chamomile_rebound.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/chamomile/rebound)
# For builds without CMake: pkg-config --cflags --libs chamomile_c.
file(RELATIVE_PATH pkgconfig_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/chamomile_c.pc.in ${PROJECT_BINARY_DIR}/chamomile_c.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/chamomile_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT chamomile NAMESPACE chamomile:: DESTINATION ${package_folder} FILE chamomileTargets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/chamomileConfig.cmake.in
    ${PROJECT_BINARY_DIR}/chamomileConfig.cmake INSTALL_DESTINATION ${package_folder}
    PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/chamomileConfig.cmake ${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/FindFFTW.cmake ${PROJECT_SOURCE_DIR}/cmake/ChamomileInteraction.cmake ${PROJECT_SOURCE_DIR}/cmake/pair_kernel.cpp.in
    ${PROJECT_SOURCE_DIR}/cmake/device_law.cu.in ${PROJECT_SOURCE_DIR}/cmake/law_code.cpp.in
    DESTINATION ${package_folder})
