include(ChamomileContraction)
include(ChamomileInteraction)   # instruction sets and flags

# Compiles the host's inner loops once per instruction set; the program selects one at run time.
function(chamomile_add_instruction_sets target)
    set(folders tree force force/mesh)
    if(NOT CHAMOMILE_PARTS STREQUAL "python")
        list(APPEND folders force/pairs)   # text laws
    endif()
    list(TRANSFORM folders REPLACE ".+" "${PROJECT_SOURCE_DIR}/\\0/simd/*.cpp")
    file(GLOB kernels CONFIGURE_DEPENDS ${folders})
    chamomile_contraction(${kernels})
    if(avx512 IN_LIST chamomile_sets)
        target_compile_definitions(${target} PRIVATE CHAMOMILE_X86)
    endif()
    foreach(set IN LISTS chamomile_sets)
        add_library(${target}_${set} OBJECT ${kernels})
        target_compile_features(${target}_${set} PRIVATE cxx_std_20)
        target_include_directories(${target}_${set} PRIVATE ${chamomile_headers})
        target_compile_options(${target}_${set} PRIVATE ${chamomile_pack_flags} ${chamomile_flags_${set}})
        set_property(TARGET ${target}_${set} PROPERTY POSITION_INDEPENDENT_CODE ON)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${set}>)
    endforeach()
endfunction()
