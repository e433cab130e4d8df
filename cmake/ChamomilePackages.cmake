# Installed files besides programs and libraries: manual, completions, licences, documents; and Debian packages by
# `cpack -G DEB`, one per component of cmake --install.
include(ChamomileComponents)

if(CHAMOMILE_PROGRAM AND NOT CMAKE_CROSSCOMPILING)
    set(manual ${PROJECT_BINARY_DIR}/manual)
    set(completions ${PROJECT_BINARY_DIR}/completions)
    add_custom_command(OUTPUT ${manual}/written VERBATIM DEPENDS chamomile_program COMMENT "Writing manual and completions"
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual} ${completions}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${manual} ${completions}
        COMMAND chamomile_program manual ${manual} -q
        COMMAND chamomile_program completion bash > ${completions}/chamomile
        COMMAND chamomile_program completion zsh > ${completions}/_chamomile
        COMMAND chamomile_program completion fish > ${completions}/chamomile.fish
        COMMAND ${CMAKE_COMMAND} -E touch ${manual}/written)
    add_custom_target(chamomile_manual ALL DEPENDS ${manual}/written)
    install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILES_MATCHING PATTERN *.1)
    install(FILES ${completions}/chamomile DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${completions}/_chamomile DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
    install(FILES ${completions}/chamomile.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

install(FILES LICENSE THIRD_PARTY.md CHANGELOG.md CITATION.cff README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation PATTERN scripts EXCLUDE PATTERN build EXCLUDE
    PATTERN __pycache__ EXCLUDE)

# Installs each package's copyright and changelog in Debian's locations.
find_program(CHAMOMILE_GZIP gzip)
mark_as_advanced(CHAMOMILE_GZIP)
string(TIMESTAMP chamomile_now "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS chamomile_components)
    set(package ${chamomile_package_${component}})
    set(folder ${PROJECT_BINARY_DIR}/debian/${package})
    configure_file(cmake/packaging/copyright.in ${folder}/copyright @ONLY)
    install(FILES ${folder}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    if(CHAMOMILE_GZIP)
        configure_file(cmake/packaging/changelog.in ${folder}/changelog @ONLY)
        execute_process(COMMAND ${CHAMOMILE_GZIP} -9nf ${folder}/changelog COMMAND_ERROR_IS_FATAL ANY)
        install(FILES ${folder}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    endif()
endforeach()
# Manual pages are compressed only in packages.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packaging/compress_manual.cmake)
include(CPack)
