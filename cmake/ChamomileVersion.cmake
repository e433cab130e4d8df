# Writes generated/version.hpp with the version and, in a git checkout, the commit.
find_package(Git QUIET)
set(chamomile_commit "")
if(Git_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --exclude=*
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE chamomile_commit
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(chamomile_commit)
    set(chamomile_version "${PROJECT_VERSION} (${chamomile_commit})")
else()
    set(chamomile_version "${PROJECT_VERSION}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in ${PROJECT_BINARY_DIR}/generated/version.hpp @ONLY)
