#include "evaluate/blocks.hpp"

#include <algorithm>

#include "evaluate/block_worker.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

template <class Real>
void evaluate_blocks(const formula::Program& program, const Inputs& inputs, const Kernel<Real>& kernel,
                     std::span<double> result) {
    typename BlockWorker<Real>::Scalar scalar(program, {}, inputs.tables);
    for (std::size_t i = 0; i < inputs.uniform.size(); ++i) scalar.set_input(i, inputs.uniform[i]);
    scalar.run_uniform();
    const bool boolean = program.type == formula::Type::boolean;
    const bool varies = boolean ? program.boolean_varies[program.result] : program.real_varies[program.result];
    if (!varies) {
        const double value = boolean ? (scalar.boolean_result() ? 1 : 0) : static_cast<double>(scalar.real_result());
        std::fill(result.begin(), result.end(), value);
        return;
    }
    const BlockPlan<Real> plan(program, kernel);
    numerics::in_parallel(inputs.points, block_lanes, [&](std::size_t begin, std::size_t end) {
        BlockWorker<Real>(plan, inputs, scalar).run(begin, end, result);
    });
}

template void evaluate_blocks(const formula::Program&, const Inputs&, const Kernel<double>&, std::span<double>);
template void evaluate_blocks(const formula::Program&, const Inputs&, const Kernel<float>&, std::span<double>);

}  // namespace farfield::evaluate
