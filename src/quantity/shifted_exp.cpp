#include "quantity/shifted_exp.hpp"

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::quantity {

void shifted_exp(std::span<const double> x, double scale, double shift, std::span<double> result) {
    static const formula::Program program =
        formula::compile(formula::parse("exp(scale*x - shift)"), {{"scale", "shift"}, {"x"}, {}});
    evaluate::Inputs inputs;
    inputs.uniform = {scale, shift};
    inputs.varying = {x};
    inputs.points = x.size();
    evaluate::evaluate_into(program, inputs, {}, result);
}

}  // namespace farfield::quantity
