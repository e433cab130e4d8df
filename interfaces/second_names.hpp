/// \file  Rows of the tables of second names: Fortran forms, forms with fewer arguments, calls
/// without effect. A row states a call's number of arguments; their types are those of the call's
/// declaration.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include <boost/preprocessor/repetition.hpp>

namespace chamomile {

template <class Call>
struct CallTypes;

template <class ResultOf, class... Arguments>
struct CallTypes<ResultOf(Arguments...)> {
    using Result = ResultOf;
    template <std::size_t k>
    using Argument = std::tuple_element_t<k, std::tuple<Arguments...>>;
    static constexpr std::size_t count = sizeof...(Arguments);
};

template <class Call, std::size_t k>
using Argument = typename CallTypes<Call>::template Argument<k>;

/// The Fortran form of an argument: a number by reference, an array as it is.
template <class Call, std::size_t k>
using FortranArgument = std::conditional_t<std::is_pointer_v<Argument<Call, k>>, Argument<Call, k>,
                                           std::add_pointer_t<Argument<Call, k>>>;

template <class Call, std::size_t k>
Argument<Call, k> value_of(FortranArgument<Call, k> argument)
{
    if constexpr (std::is_pointer_v<Argument<Call, k>>)
        return argument;
    else
        return *argument;
}

} // namespace chamomile

#define CHM_RESULT(call) chamomile::CallTypes<decltype(call)>::Result
#define CHM_PARAMETER(z, k, call) chamomile::Argument<decltype(call), k> a##k
#define CHM_FORTRAN_PARAMETER(z, k, call) chamomile::FortranArgument<decltype(call), k> a##k
#define CHM_VALUE(z, k, call) chamomile::value_of<decltype(call), k>(a##k)
#define CHM_UNUSED(z, k, call) chamomile::Argument<decltype(call), k>
#define CHM_FORTRAN_UNUSED(z, k, call) chamomile::FortranArgument<decltype(call), k>
#define CHM_CHECK_COUNT(n, call) static_assert(chamomile::CallTypes<decltype(call)>::count == n)

/// Another name of a call with n arguments.
#define SECOND_NAME(n, name, call)                                                                 \
    CHM_RESULT(call) name(BOOST_PP_ENUM(n, CHM_PARAMETER, call))                                   \
    {                                                                                              \
        return call(BOOST_PP_ENUM_PARAMS(n, a));                                                   \
    }                                                                                              \
    CHM_CHECK_COUNT(n, call)

/// The Fortran form of a call with n arguments.
#define FORTRAN_NAME(n, name, call)                                                                \
    CHM_RESULT(call) name(BOOST_PP_ENUM(n, CHM_FORTRAN_PARAMETER, call))                           \
    {                                                                                              \
        return call(BOOST_PP_ENUM(n, CHM_VALUE, call));                                            \
    }                                                                                              \
    CHM_CHECK_COUNT(n, call)

/// The Fortran form whose name is the call's with an underscore.
#define FORTRAN(n, call) FORTRAN_NAME(n, call##_, call)

/// A call with n arguments that has no effect, and its Fortran form. Results are 0.
#define NO_EFFECT(n, call)                                                                         \
    CHM_RESULT(call) call(BOOST_PP_ENUM(n, CHM_UNUSED, call))                                      \
    {                                                                                              \
        return CHM_RESULT(call)();                                                                 \
    }                                                                                              \
    CHM_RESULT(call) call##_(BOOST_PP_ENUM(n, CHM_FORTRAN_UNUSED, call))                           \
    {                                                                                              \
        return CHM_RESULT(call)();                                                                 \
    }                                                                                              \
    CHM_CHECK_COUNT(n, call)
