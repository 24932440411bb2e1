#include "evaluate/alike.hpp"

namespace farfield::evaluate {

std::vector<std::uint8_t> rows_alike_at_every_point(const formula::Program& program) {
    std::vector<std::uint8_t> rows(program.rows.size(), 0);
    std::vector<bool> alike;
    for (std::size_t index = program.varying_begin; index < program.rows.size(); ++index) {
        const formula::Instruction& row = program.rows[index];
        if (row.step == formula::Step::loop_end) {
            alike.pop_back();
            continue;
        }
        const bool is_loop = row.step == formula::Step::loop_begin;
        if (row.varying) {
            const bool inside = alike.empty() || alike.back();
            // The parts of an integral differ from point to point.
            const bool is_integral = is_loop && formula::row(row.op).integral;
            if (is_loop)
                alike.push_back(inside && !is_integral && !program.real_varies[row.a] && !program.real_varies[row.b]);
            continue;
        }
        if (!alike.empty() && alike.back()) rows[index] = 1;
        if (is_loop) index = row.c;
    }
    return rows;
}

}  // namespace farfield::evaluate
