# Makes generated/view_page.cpp a source of a target: the files in run/view/page, so the view's page is part of the library
# and needs no folder. With -P, writes the file.
set(page_files index.html view.css view.js camera.js drawing.js labels.js)

if(CMAKE_SCRIPT_MODE_FILE)
    set(rows "")
    set(arrays "")
    foreach(name IN LISTS page_files)
        file(READ ${SOURCE}/run/view/page/${name} bytes HEX)
        string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
        string(MAKE_C_IDENTIFIER ${name} identifier)
        cmake_path(GET name EXTENSION extension)
        set(path /${name})
        set(type text/javascript)
        if(extension STREQUAL ".html")
            set(path /)
            set(type text/html)
        elseif(extension STREQUAL ".css")
            set(type text/css)
        endif()
        string(APPEND arrays "constexpr char ${identifier}[] = {${bytes}};\n")
        string(APPEND rows "    {\"${path}\", \"${type}; charset=utf-8\", {${identifier}, sizeof ${identifier}}},\n")
    endforeach()
    file(WRITE ${OUTPUT} "#include \"chamomile/run/view/page.hpp\"\n\nnamespace chamomile {\nnamespace {\n\n${arrays}\nconstexpr PageFile files[] = {\n${rows}};\n\n} // namespace\n
const PageFile* find_page_file(std::string_view path)\n{\n    for (const PageFile& file : files)\n        if (file.path == path)\n            return &file;\n    return nullptr;\n}\n\n} // namespace chamomile\n")
    return()
endif()

function(chamomile_add_view_page target)
    set(output ${PROJECT_BINARY_DIR}/generated/view_page.cpp)
    list(TRANSFORM page_files PREPEND ${PROJECT_SOURCE_DIR}/run/view/page/ OUTPUT_VARIABLE sources)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${output} -P ${PROJECT_SOURCE_DIR}/cmake/ChamomileViewPage.cmake
        DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/ChamomileViewPage.cmake COMMENT "")
    target_sources(${target} PRIVATE ${output})
endfunction()
