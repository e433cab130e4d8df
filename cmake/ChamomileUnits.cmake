# Unity builds: a unit is a generated source that includes several others, so the compiler reads their headers and
# instantiates templates once for all. Sources of a unit share flags, and their unnamed namespaces are one.
include_guard()
option(CHAMOMILE_UNITY "Compile sources in groups: half the time for a whole build, more for one changed source" ON)
# Sources that stay alone: their names of functions, tables or sizes would hide or repeat others in the same namespace.
# The kernels of gpu/lists take a minute each, nearly all for code: together they would only delay each other.
file(GLOB chamomile_alone CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gpu/direct/*.cu ${PROJECT_SOURCE_DIR}/gpu/motion/*.cu ${PROJECT_SOURCE_DIR}/gpu/tree/*.cu)
foreach(source IN ITEMS gpu/lists/one_length.cu gpu/lists/larger_length.cu gpu/lists/root_of_squares.cu
        gpu/lists/adjoint_sums.cu gpu/lists/adjoint_far_field.cu gpu/lists/device_duals.cu
        gpu/ranks/field_estimates.cu force/pairs/text/text_law.cpp integrate/external/text_potential.cpp tests/unit/far_lists.cpp tests/unit/interfaces/test_grape6.cpp tests/unit/integrate/test_kepler.cpp tests/unit/integrate/test_led_integrator.cpp
        app/parameters/bonsai.cpp app/parameters/changa.cpp app/parameters/gadget.cpp app/parameters/swift.cpp)
    list(APPEND chamomile_alone ${PROJECT_SOURCE_DIR}/${source})
endforeach()

# chamomile_units(RESULT NAME MAX SOURCE...): sets RESULT to units of at most MAX sources each; NAME must be unique.
# Without CHAMOMILE_UNITY, RESULT is the sources themselves.
function(chamomile_units result name max)
    set(all ${ARGN})
    list(TRANSFORM all REPLACE "^([^/])" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
    set(units ${all})
    list(REMOVE_ITEM all ${chamomile_alone})
    list(REMOVE_ITEM units ${all})
    list(LENGTH all count)
    if(NOT CHAMOMILE_UNITY OR count LESS 2)
        set(${result} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(folder ${PROJECT_BINARY_DIR}/units)
    list(GET all 0 first)
    cmake_path(GET first EXTENSION LAST_ONLY extension)
    math(EXPR last "(${count} + ${max} - 1) / ${max}")
    foreach(unit RANGE 1 ${last})
        math(EXPR begin "${count} * (${unit} - 1) / ${last}")
        math(EXPR length "${count} * ${unit} / ${last} - ${begin}")
        list(SUBLIST all ${begin} ${length} sources)
        set(text "")
        foreach(source IN LISTS sources)
            file(RELATIVE_PATH source ${folder} ${source})   # the same text in any checkout, for ccache
            string(APPEND text "#include \"${source}\"\n")
        endforeach()
        set(path ${folder}/${name}_${unit}${extension})
        file(CONFIGURE OUTPUT ${path} CONTENT "${text}" @ONLY)
        list(APPEND units ${path})
    endforeach()
    set(${result} ${units} PARENT_SCOPE)
endfunction()
