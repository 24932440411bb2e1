#include <algorithm>
#include <farfield/formula/tree.hpp>
#include <iterator>

namespace farfield::formula {
namespace {

using enum Type;
using enum Fixity;

std::vector<OperatorRow> make_rows() {
    return {
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    {Op::name, spelling, fixity, precedence, result, arguments, latex, meaning, false},
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    {Op::name, spelling, function, 0, type, (type) == boolean ? "rrb" : "rrr", latex, meaning, true},
#define CHOICE(name, spelling, better, best, worst, latex, meaning) \
    {Op::name, spelling, function, 0, real, "rrr", latex, meaning, true, true},
#define INTEGRAL(name, spelling, latex, meaning) \
    {Op::name, spelling, function, 0, real, "rrr", latex, meaning, true, false, true},
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
    };
}

}  // namespace

const std::vector<OperatorRow>& operators() {
    static const std::vector<OperatorRow> rows = make_rows();
    return rows;
}

const OperatorRow& row(Op op) {
    return operators()[static_cast<std::size_t>(op)];
}

bool is_rounding(Op op) {
    constexpr Op all[] = {
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) Op::to_##name,
#include <farfield/numerics/formats.def>
    };
    return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

const OperatorRow* find_function(std::string_view spelling) {
    const auto& rows = operators();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const OperatorRow& candidate) {
        return candidate.fixity == function && candidate.spelling == spelling;
    });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace farfield::formula
