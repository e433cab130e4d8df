# Headers are included as <chamomile/FOLDER/NAME> everywhere, so a host's core/ or tree/ is never mistaken for ours. In
# the source tree, a folder of links mirrors the installed layout.
set(chamomile_headers ${PROJECT_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${chamomile_headers}/chamomile)
foreach(folder IN ITEMS core tree force gpu integrate initial analysis io run interfaces)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${chamomile_headers}/chamomile/${folder} SYMBOLIC)
endforeach()

# chamomile_install_headers(PATTERN...): installs matching headers, each in its folder.
function(chamomile_install_headers)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${ARGV})
    foreach(header IN LISTS headers)
        cmake_path(GET header PARENT_PATH folder)
        install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/chamomile/${folder})
    endforeach()
endfunction()

# chamomile_precompile(TARGET [HEADER...]): precompiles common standard headers, and others, once per target. Sources
# still include all headers they need.
function(chamomile_precompile target)
    set(headers algorithm array cmath cstdint cstdio cstring filesystem functional limits map memory numbers numeric
        optional span string string_view utility vector ${ARGN})
    list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
