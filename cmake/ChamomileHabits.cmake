# Developer targets outside `all`: tidy and reference.
find_program(CHAMOMILE_TIDY NAMES run-clang-tidy run-clang-tidy-14)
if(CHAMOMILE_TIDY AND NOT CHAMOMILE_UNITY)   # needs the command of each source
    # Takes a quarter of an hour on two cores; `run-clang-tidy -p build/dev -quiet tree/` checks one folder.
    add_custom_target(tidy COMMAND ${CHAMOMILE_TIDY} -p ${PROJECT_BINARY_DIR} -quiet "${PROJECT_SOURCE_DIR}/(core|tree|force|integrate|initial|analysis|io|run|interfaces|app)/.*cpp"
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL)
endif()

find_program(CHAMOMILE_DOXYGEN NAMES doxygen)
if(CHAMOMILE_DOXYGEN)
    set(REFERENCE_INPUT ${PROJECT_SOURCE_DIR}/cmake/reference.md)
    foreach(folder IN ITEMS core tree force gpu integrate initial analysis io run interfaces)
        string(APPEND REFERENCE_INPUT " ${PROJECT_SOURCE_DIR}/${folder}")
    endforeach()
    configure_file(${PROJECT_SOURCE_DIR}/cmake/Doxyfile.in ${PROJECT_BINARY_DIR}/reference/Doxyfile @ONLY)
    add_custom_target(reference COMMAND ${CHAMOMILE_DOXYGEN} ${PROJECT_BINARY_DIR}/reference/Doxyfile
        COMMENT "Writing ${PROJECT_BINARY_DIR}/reference/html/index.html" VERBATIM)
endif()
