#include "evaluate/part.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "evaluate/traffic.hpp"

namespace farfield::evaluate {

namespace {

using formula::Instruction;
using formula::Program;
using formula::Step;

class Cut {
public:
    Cut(const Program& program, Register wanted, std::span<const std::uint32_t> given)
        : program_(&program),
          given_(given),
          reals_(program.real_registers, 0),
          booleans_(program.boolean_registers, 0),
          kept_(program.rows.size(), 0) {
        need(wanted);
        for (std::size_t row = program.rows.size(); row-- > 0;) visit(row);
    }

    Program program(Register wanted) const {
        Program part = *program_;
        part.type = wanted.boolean ? formula::Type::boolean : formula::Type::real;
        part.result = wanted.boolean ? wanted.index : renumbered(wanted.index);
        part.real_registers += static_cast<std::uint32_t>(given_.size());
        part.real_varies.insert(part.real_varies.begin() + first_computed(), given_.size(), 1);
        for (std::size_t i = 0; i < given_.size(); ++i)
            part.signature.varying.push_back("register " + std::to_string(given_[i]));
        part.rows.clear();
        std::vector<std::uint32_t> places;
        for (std::size_t row = 0; row < kept_.size(); ++row) {
            places.push_back(static_cast<std::uint32_t>(part.rows.size()));
            if (row == program_->varying_begin) part.varying_begin = part.rows.size();
            if (kept_[row] != 0) part.rows.push_back(renumbered(program_->rows[row]));
        }
        if (program_->varying_begin == kept_.size()) part.varying_begin = part.rows.size();
        for (Instruction& row : part.rows) {
            if (row.step == Step::loop_begin || row.step == Step::loop_end) row.c = places[row.c];
        }
        return part;
    }

private:
    std::uint32_t first_computed() const {
        return static_cast<std::uint32_t>(program_->first_input() + program_->signature.uniform.size() +
                                          program_->signature.varying.size());
    }

    // A given register needs no computation.
    void need(Register which) {
        const bool is_given = !which.boolean && std::find(given_.begin(), given_.end(), which.index) != given_.end();
        if (!is_given) (which.boolean ? booleans_ : reals_)[which.index] = 1;
    }

    // Visits rows from the last to the first: a row is kept if its result is needed, and a loop's last row if its
    // accumulator is needed.
    void visit(std::size_t index) {
        const Instruction& row = program_->rows[index];
        const Traffic traffic = traffic_of(row);
        const Register kept_for = row.step == Step::loop_end ? traffic.reads.back() : traffic.writes.front();
        kept_[index] = (kept_for.boolean ? booleans_ : reals_)[kept_for.index];
        if (kept_[index] == 0) return;
        for (const Register read : traffic.reads) need(read);
    }

    std::uint32_t renumbered(std::uint32_t real) const {
        const auto found = std::find(given_.begin(), given_.end(), real);
        if (found != given_.end()) return first_computed() + static_cast<std::uint32_t>(found - given_.begin());
        return real < first_computed() ? real : real + static_cast<std::uint32_t>(given_.size());
    }

    Instruction renumbered(Instruction row) const {
        const Traffic traffic = traffic_of(row);
        std::uint32_t* const operands[] = {&row.a, &row.b, &row.c};
        const std::size_t left_by_body = formula::row(row.op).choice || formula::row(row.op).integral ? 2 : 1;
        const std::size_t count = row.step == Step::loop_end ? left_by_body : traffic.reads.size();
        for (std::size_t i = 0; i < count; ++i) {
            if (!traffic.reads[i].boolean) *operands[i] = renumbered(*operands[i]);
        }
        const bool to_boolean = row.step == Step::loop_end ? traffic.reads.back().boolean : traffic.writes[0].boolean;
        if (!to_boolean) row.dest = renumbered(row.dest);
        if (row.step == Step::loop_begin) row.variable = renumbered(row.variable);
        return row;
    }

    const Program* program_;
    std::span<const std::uint32_t> given_;
    std::vector<std::uint8_t> reals_;     ///< [real register]: whether it is needed
    std::vector<std::uint8_t> booleans_;  ///< [boolean register]
    std::vector<std::uint8_t> kept_;      ///< [row]
};

Program cut(const Program& program, Register wanted, std::span<const std::uint32_t> given) {
    return Cut(program, wanted, given).program(wanted);
}

}  // namespace

Program part_of(const Program& program, std::uint32_t wanted, std::span<const std::uint32_t> given) {
    return cut(program, {false, wanted}, given);
}

Program rest_of(const Program& program, std::span<const std::uint32_t> given) {
    return cut(program, {program.type == formula::Type::boolean, program.result}, given);
}

}  // namespace farfield::evaluate
