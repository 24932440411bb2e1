// Runs a program over many points, one at a time, in any arithmetic; points are distributed over the processors.
#pragma once

#include <cstddef>

#include "evaluate/interpreter.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

/// The number of points that one processor computes in sequence, enough that the start-up cost is small.
constexpr std::size_t pointwise_grain = 64;

/// Runs `prepared`, whose uniform inputs are set, over all points: `read(point, varying input)` gives an input's value,
/// `store(point, interpreter)` receives the result.
template <class Arithmetic, class Element, class Read, class Store>
void run_pointwise(const formula::Program& program, Interpreter<Arithmetic, Element> prepared, std::size_t points,
                   Read read, Store store) {
    prepared.run_uniform();
    const std::size_t first = program.signature.uniform.size();
    const std::size_t lanes = program.signature.varying.size();
    numerics::in_parallel(points, pointwise_grain, [&](std::size_t begin, std::size_t end) {
        Interpreter<Arithmetic, Element> interpreter = prepared;
        core::StepCounter steps;
        for (std::size_t point = begin; point < end; ++point) {
            steps.add(program.rows.size() - program.varying_begin);
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                interpreter.set_input(first + lane, read(point, lane));
            }
            interpreter.run_varying();
            store(point, interpreter);
        }
    });
}

}  // namespace farfield::evaluate
