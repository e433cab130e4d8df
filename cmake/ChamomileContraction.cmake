# A fused multiply-add rounds once where a product and a sum round twice. What promises the same bits on every processor
# and device (keys, cells, moments, the walk, motion) is compiled without them: that is all host code but the packs of
# folders named simd. A source of packs and a CUDA source say in a comment at their head `Contraction: fused` or
# `Contraction: none`; tests/check_contraction.py holds them to it.
include_guard()

# chamomile_contraction(SOURCE...): compiles sources of packs or of CUDA as they say.
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
