# Makes generated/version.cpp a source of a target: version and, in a git checkout, commit at build time.
find_package(Git QUIET)

function(chamomile_add_version target)
    set(output ${PROJECT_BINARY_DIR}/generated/version.cpp)
    add_custom_target(chamomile_version
        COMMAND ${CMAKE_COMMAND} -DGIT_EXECUTABLE=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DDATE=${chamomile_release_date} "-DLICENCE=${chamomile_licence}"
            -DOUTPUT=${output}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
        BYPRODUCTS ${output} COMMENT "" VERBATIM)
    target_sources(${target} PRIVATE ${output})
    add_dependencies(${target} chamomile_version)
endfunction()
