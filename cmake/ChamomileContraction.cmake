# A fused multiply-add rounds once; separate multiplication and addition round twice. Code that guarantees equal bits on
# every processor and device (keys, cells, moments, the walk, motion) is compiled without fusing: all host code except
# the SIMD packs in folders named simd. Sources with packs and CUDA sources state `Contraction: fused` or `Contraction:
# none` in a comment at the top; tests/repository/check_contraction.py enforces this.
include_guard()

# chamomile_contraction(SOURCE...): compiles pack or CUDA sources as stated in their comments.
function(chamomile_contraction)
    foreach(source IN LISTS ARGN)
        set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} said REGEX "^//.* ?Contraction: (fused|none)" LIMIT_COUNT 1)
        if(NOT said)
            message(FATAL_ERROR "${source}: needs a comment at its head, '// Contraction: fused' (faster) or "
                "'// Contraction: none' (the same bits on every processor and device)")
        elseif(said MATCHES "none")
            set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS
                $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)
        endif()
    endforeach()
endfunction()
