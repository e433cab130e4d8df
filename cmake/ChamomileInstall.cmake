# Installs the program, the library and what find_package(chamomile) needs.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/chamomile)
install(TARGETS chamomile chamomile_cunbody chamomile_c chamomile_g5 chamomile_g6 chamomile_amuse EXPORT chamomile FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chamomile)
if(CHAMOMILE_PROGRAM)
    install(TARGETS chamomile_program)
endif()
install(EXPORT chamomile NAMESPACE chamomile:: DESTINATION ${package_folder} FILE chamomileTargets.cmake)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/chamomileConfig.cmake.in
    ${PROJECT_BINARY_DIR}/chamomileConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/chamomileConfig.cmake ${PROJECT_BINARY_DIR}/chamomileConfigVersion.cmake
    ${PROJECT_SOURCE_DIR}/cmake/ChamomileInteraction.cmake ${PROJECT_SOURCE_DIR}/cmake/pair_kernel.cpp.in
    ${PROJECT_SOURCE_DIR}/cmake/device_law.cu.in ${PROJECT_SOURCE_DIR}/cmake/law_code.cpp.in
    DESTINATION ${package_folder})
