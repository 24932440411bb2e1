#include <farfield/quantity/scheme_values.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/scheme/pieces.hpp>

namespace farfield::quantity {
namespace {

using evaluate::Lane;
using evaluate::Range;

constexpr std::size_t points_at_once = 8192;

std::size_t size_of(const Lane& lane) {
    if (const Range* range = std::get_if<Range>(&lane)) return range->count;
    return std::get<std::span<const double>>(lane).size();
}

double at(const Lane& lane, std::size_t index) {
    if (const Range* range = std::get_if<Range>(&lane)) return range->at(index);
    return std::get<std::span<const double>>(lane)[index];
}

double largest(const Lane& lane) {
    const std::size_t count = size_of(lane);
    if (count == 0) return 0;
    if (const Range* range = std::get_if<Range>(&lane)) return std::max(range->at(0), range->at(count - 1));
    const auto values = std::get<std::span<const double>>(lane);
    return *std::max_element(values.begin(), values.end());
}

/// The context with L extended to the last position if necessary.
scheme::Context reaching(scheme::Context context, double last) {
    if (context.length == 0) context.length = std::max(1.0, std::floor(last) + 1);
    return context;
}

/// f(p, i) of positions and i = 0..columns-1, row-major, computed for a block of points at a time.
std::vector<double> over_columns(const formula::Node& tree, const Lane& positions, std::size_t columns) {
    const formula::Program program = formula::compile(tree, {{}, {"p", "i"}, {}});
    std::vector<double> result(size_of(positions) * columns);
    std::array<double, points_at_once> p, i;
    for (std::size_t first = 0; first < result.size(); first += points_at_once) {
        const std::size_t count = std::min(points_at_once, result.size() - first);
        for (std::size_t point = 0; point < count; ++point) {
            p[point] = at(positions, (first + point) / columns);
            i[point] = static_cast<double>((first + point) % columns);
        }
        const evaluate::Inputs inputs{
            {}, {std::span<const double>(p).first(count), std::span<const double>(i).first(count)}, {}, count};
        evaluate::evaluate_into(program, inputs, {}, std::span(result).subspan(first, count));
    }
    return result;
}

void put_into(const std::vector<double>& halves, std::size_t columns, std::size_t width, std::size_t offset,
              std::vector<double>& result) {
    for (std::size_t row = 0; row < result.size() / width; ++row)
        for (std::size_t i = 0; i < columns && 2 * i + offset < width; ++i)
            result[row * width + 2 * i + offset] = halves[row * columns + i];
}

}  // namespace

void bias_at(const scheme::Scheme& scheme, const scheme::Context& context, const Lane& distances,
             std::optional<double> query, std::span<double> result) {
    const scheme::Context own = reaching(context, std::max(query.value_or(0), largest(distances)));
    const formula::Node q = query ? formula::make_number(*query) : formula::make_name("n");
    const formula::Node k =
        query ? formula::make(formula::Op::subtract, {q, formula::make_name("n")}) : formula::make_number("0");
    const formula::Node tree = formula::substitute(scheme::bias_formula(scheme, own), {{"q", q}, {"k", k}});
    evaluate::evaluate_into(formula::compile(tree, {{}, {"n"}, {}}), {{}, {distances}, {}, size_of(distances)}, {},
                            result);
}

void mask_matrix(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length,
                 std::span<std::uint8_t> result) {
    if (result.size() != length * length)
        throw core::PreconditionError("quantity::mask_matrix", "result.size()", std::to_string(result.size()),
                                      "length x length");
    const formula::Node tree = scheme::mask_formula(scheme, reaching(context, static_cast<double>(length) - 1));
    const formula::Program program = formula::compile(tree, {{"q"}, {"k"}, {}});
    std::vector<double> row(length);
    for (std::size_t query = 0; query < length; ++query) {
        evaluate::evaluate_into(program, {{static_cast<double>(query)}, {Range{0, 1, length}}, {}, length}, {}, row);
        std::transform(row.begin(), row.end(), result.begin() + static_cast<std::ptrdiff_t>(query * length),
                       [](double truth) { return static_cast<std::uint8_t>(truth != 0); });
    }
}

RotationValues rotation_at(const scheme::Scheme& scheme, const scheme::Context& context, const Lane& positions) {
    scheme::refuse_far(scheme, "a table of angles does");
    const scheme::Context own = reaching(context, largest(positions));
    const double turned = scheme.rotate ? scheme.rotate->columns(own.head_dim) : own.head_dim;
    RotationValues values;
    values.pairs = static_cast<std::size_t>(turned / 2);
    values.angle = over_columns(scheme::angle_formula(scheme, own), positions, values.pairs);
    values.scale = over_columns(scheme::scale_formula(scheme, own), positions, values.pairs);
    return values;
}

std::vector<double> embedding_at(const scheme::Scheme& scheme, const scheme::Context& context, const Lane& positions) {
    if (scheme.embed && scheme.embed->learned)
        throw core::UserError({core::Diagnostic{{},
                                                "the embedding of scheme '" + scheme.name + "' is learned",
                                                "one that is a formula",
                                                "its values come from training"}});
    const scheme::Context own = reaching(context, largest(positions));
    const auto width = static_cast<std::size_t>(own.width);
    const std::size_t columns = (width + 1) / 2;
    std::vector<double> result(size_of(positions) * width, 0);
    if (!scheme.embed) return result;
    const auto put = [&](const std::optional<scheme::Piece>& piece, std::size_t offset) {
        if (!piece) return;
        put_into(over_columns(scheme::in_context(scheme, *piece, own, "0"), positions, columns), columns, width, offset,
                 result);
    };
    put(scheme.embed->even, 0);
    put(scheme.embed->odd, 1);
    return result;
}

}  // namespace farfield::quantity
