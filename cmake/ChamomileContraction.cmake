# A fused multiply-add rounds once; separate multiplication and addition round twice. Code that guarantees equal bits on
# every processor and device (keys, cells, moments, the walk, motion) is compiled without fusing: all host code except
# the SIMD packs in folders named simd. Sources with packs and CUDA sources state `Contraction: fused` or `Contraction:
# none` in a comment at the top; tests/repository/check_contraction.py enforces this.
include_guard()

# Sets RESULT to those SOURCEs, with packs or for CUDA, that state RULE: fused or none.
function(chamomile_with_contraction rule result)
    set(chosen "")
    foreach(source IN LISTS ARGN)
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} said REGEX "^//.* ?Contraction: (fused|none)" LIMIT_COUNT 1)
        if(NOT said)
            message(FATAL_ERROR "${source}: needs a comment at its head, '// Contraction: fused' (faster) or "
                "'// Contraction: none' (the same bits on every processor and device)")
        elseif(said MATCHES "Contraction: ${rule}")
            list(APPEND chosen ${source})
        endif()
    endforeach()
    set(${result} ${chosen} PARENT_SCOPE)
endfunction()

# Compiles sources by RULE: fused or none.
function(chamomile_set_contraction rule)
    if(rule STREQUAL "none" AND ARGN)
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS
            $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)
    endif()
endfunction()
