#include "quantity/matrix_there.hpp"

#include <limits>

#include <farfield/evaluate/device.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/array_operations.hpp"

namespace farfield::quantity {
namespace {

evaluate::Array computed(const char* formula, const formula::Signature& signature, const std::vector<double>& uniform,
                         const std::vector<evaluate::Array>& varying) {
    const formula::Program program = formula::compile(formula::parse(std::string(formula)), signature);
    return evaluate::evaluate_array(program, uniform, varying, varying.front().size());
}

}  // namespace

std::optional<CellsThere> cells_there(std::size_t length) {
    const std::size_t cells = length * length;
    evaluate::Device* const device = evaluate::OnDevice::current();
    if (device == nullptr || !device->takes(static_cast<double>(cells))) return std::nullopt;
    const evaluate::Array i(evaluate::Range{0, 1, cells});
    const std::vector<double> row = {static_cast<double>(length)};
    // The quotient of such integers is never rounded up to the next one.
    const evaluate::Array q = computed("floor(i/row)", {{"row"}, {"i"}, {}}, row, {i});
    const evaluate::Array k = computed("i - q*row", {{"row"}, {"i", "q"}, {}}, row, {i, q});
    return CellsThere{q, k};
}

std::optional<VisibleCells> visible_there(const evaluate::Array& cells) {
    if (!cells.is_there()) return std::nullopt;
    const evaluate::Array i(evaluate::Range{0, 1, cells.size()});
    const evaluate::Array shown = computed("v > -inf ? v : 0/0", {{}, {"v"}, {}}, {}, {cells});
    const evaluate::Array places = computed("v > -inf ? i : -1", {{}, {"v", "i"}, {}}, {}, {cells, i});
    const evaluate::Array ones = computed("v > -inf ? 1 : 0", {{}, {"v"}, {}}, {}, {cells});
    const auto extremes = evaluate::extremes_there(shown);
    const auto last = evaluate::extremes_there(places);
    const auto first = evaluate::first_above_there(cells, -std::numeric_limits<double>::infinity());
    const auto count = evaluate::sum_there(ones);
    if (!extremes || !last || !first || !count) return std::nullopt;
    if (*count == 0) return VisibleCells{};
    return VisibleCells{extremes->least,
                        extremes->greatest,
                        extremes->at_least,
                        extremes->at_greatest,
                        cells[*first],
                        cells[last->at_greatest],
                        *count};
}

}  // namespace farfield::quantity
