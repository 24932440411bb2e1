// Times what is made of long rows on a CUDA device: a scheme's full matrix, R(s) and straight-line fits of a curve.
//
// Usage: cuda_rows matrix|resolution|fit COUNT REPEATS [EXPRESSION@LAST ...], the expressions as ground.hpp has them;
// COUNT is the matrix's length, or a curve's points. The two of a curve go over it in pieces of 2^27 points, each made
// on the device before and not timed; the matrix is timed from biases by distance that are there (kernel), and from
// the scheme's formula to a matrix that is left there (there). Prints one JSON object as cuda_timing does, with
// `kernel_difference`, the relative difference from the processor (of up to 10^7 points, where all are not its own);
// status 3 where there is no device.
#include <cmath>

#include <farfield/evaluate/device.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/least_squares.hpp>
#include <farfield/quantity/bias_matrix.hpp>
#include <farfield/scheme/registry.hpp>

#include "evaluate/array_work.hpp"
#include "evaluate/machine/operations.hpp"
#include "evaluate/weights.hpp"
#include "ground.hpp"
#include "quantity/bias_arrays.hpp"
#include "support/worst.hpp"

using namespace farfield;
using namespace farfield::bench;

namespace {

constexpr std::size_t points_a_piece = std::size_t{1} << 27;
constexpr std::size_t compared = 10000000;
constexpr double nothing = -std::numeric_limits<double>::infinity();

Array curve(const char* text, std::size_t first, std::size_t count) {
    const formula::Program program = formula::compile(formula::parse(std::string(text)), {{}, {"n"}, {}});
    return evaluate_array(program, {}, {Array(Range{static_cast<double>(first), 1, count})}, count);
}

constexpr const char* scores = "-0.825*log(1 + n) - 0.8 + 0.1*cos(n)";
constexpr const char* logarithms = "log(1 + n)";

void work_there(Device& device, std::size_t points, const std::function<void(Workplace&)>& work) {
    if (!device.operate(points, work)) throw std::runtime_error("the device did not accept the work");
}

double relative(double found, double wanted) {
    return std::fabs(found - wanted) / std::fabs(wanted);
}

std::vector<double> by_distance_here(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length) {
    const OnDevice none(nullptr);
    return quantity::bias_by_distance(scheme, context, length);
}

/// How far the last query's row of the last head is from its biases by distance, as a share of that at 0.
void tell_last_row(const char* name, const std::vector<double>& found, const std::vector<double>& by_distance) {
    double worst = 0;
    for (std::size_t key = 0; key < found.size(); ++key)
        worst = tests::worse(worst, std::fabs(found[key] - by_distance[by_distance.size() - 1 - key]));
    const double at_0 = std::fabs(by_distance[by_distance.size() - found.size()]);
    std::printf(", \"%s_difference\": %.6g", name, worst / at_0);
}

void tell_matrix(Device& device, std::size_t length, int repeats) {
    constexpr std::size_t heads = 12;
    core::Problems problems;
    const scheme::Scheme sandwich = scheme::Registry::builtin().with_params("sandwich", {{"shift", "0"}}, {}, problems);
    problems.raise();
    scheme::Context context;
    context.heads = heads;
    const std::vector<double> rows = by_distance_here(sandwich, context, length);
    // Sandwich is even in the distance.
    std::vector<double> by_distance;
    for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t at = 0; at < 2 * length - 1; ++at) {
            const std::size_t distance = at < length ? length - 1 - at : at - length + 1;
            by_distance.push_back(rows[head * length + distance]);
        }
    }
    work_there(device, heads * length * length, [&](Workplace& place) {
        const Memory there(place.store(), by_distance.size() * sizeof(double));
        place.store().copy_in(there.pointer(), by_distance.data(), by_distance.size() * sizeof(double));
        const Memory matrix(place.store(), heads * length * length * sizeof(double));
        tell("kernel", times_of(repeats, [&] {
                 place.operations().spread_distances(there.as<double>(), heads, length, matrix.as<double>());
             }));
        // The last row of the last head.
        std::vector<double> found(length);
        place.store().copy_out(found.data(), matrix.pointer() + (heads * length - 1) * length * sizeof(double),
                               length * sizeof(double));
        tell_last_row("kernel", found, rows);
    });
    std::vector<Array> matrices;
    tell("there", times_of(repeats, [&] {
             matrices.clear();
             matrices = quantity::bias_arrays(sandwich, context, length);
         }));
    if (!matrices.back().is_on_device()) throw std::runtime_error("the device did not accept the matrix");
    const auto last = std::get<ResidentLane>(lane_of(matrices.back()));
    std::vector<double> found(length);
    last.row->fetch(last.first + (length - 1) * length, found);
    tell_last_row("there", found, rows);
}

/// fall[last]/total^2 of a whole row from its pieces, each one point longer for the weight after its last.
double resolution_of(Device& device, const std::vector<Array>& pieces) {
    RowSums whole;
    work_there(device, pieces.front().size(), [&](Workplace& place) {
        whole = {};
        std::vector<Memory> copies;
        for (const Array& piece : pieces) {
            const device::Row logits = row_of(piece.part(0, piece.size() - 1), place, copies);
            whole = joined(whole, place.operations().weights(logits, 1, piece.back()));
        }
    });
    return whole.falls / whole.total / whole.total;
}

/// Pieces that together have `count` points, and each one more.
std::vector<Array> pieces_of(const char* text, std::size_t count, std::size_t more) {
    std::vector<Array> pieces;
    for (std::size_t first = 0; first < count; first += points_a_piece)
        pieces.push_back(curve(text, first, std::min(points_a_piece, count - first) + more));
    for (const Array& piece : pieces)
        if (!piece.is_on_device()) throw std::runtime_error("the device has too little memory for the curve");
    return pieces;
}

void tell_resolution(Device& device, std::size_t count, int repeats) {
    const std::vector<Array> pieces = pieces_of(scores, count, 1);
    tell("kernel", times_of(repeats, [&] { resolution_of(device, pieces); }));
    const std::size_t few = std::min(count, compared);
    const double found = resolution_of(device, {curve(scores, 0, few + 1)});
    const OnDevice none(nullptr);
    const Array here = curve(scores, 0, few + 1);
    const RowSums sums = sum_row(here.here().first(few), 1, here.back());
    std::printf(", \"kernel_difference\": %.6g", relative(found, sums.falls / sums.total / sums.total));
}

/// a + b log(1 + n) by the products and residuals of all pieces.
numerics::Fit fit_of(Device& device, const std::vector<Array>& data, const std::vector<Array>& columns) {
    numerics::Fit fit;
    work_there(device, data.front().size(), [&](Workplace& place) {
        std::vector<Memory> copies;
        std::vector<FitRows> models;
        for (std::size_t at = 0; at < data.size(); ++at)
            models.push_back({{{nullptr, data[at].size(), 1, 0}, row_of(columns[at], place, copies)},
                              {row_of(data[at], place, copies), {}, {}}});
        std::vector<device::Sum> sums(device::pairs_of(4));
        for (const FitRows& model : models) {
            const std::vector<device::Sum> found = place.operations().products(model);
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(found[i]);
        }
        numerics::FitProducts products{2, {}};
        for (const device::Sum& sum : sums) products.entries.push_back(sum.parts());
        const double mean = sums[pair_index(2, 3, 4)].total() / sums[pair_index(2, 2, 4)].total();
        fit = numerics::fit_linear(products, [&](std::span<const double> parameters) {
            device::Residuals all;
            for (const FitRows& model : models) {
                const device::Residuals found = place.operations().residuals(model, parameters, mean);
                all.squares.add(found.squares);
                all.spread.add(found.spread);
                all.largest = std::max(all.largest, found.largest);
                all.points += found.points;
            }
            return numerics::FitResiduals{all.squares.total(), all.spread.total(), all.largest, all.points};
        });
    });
    return fit;
}

void tell_fit(Device& device, std::size_t count, int repeats) {
    const std::vector<Array> data = pieces_of(scores, count, 0);
    const std::vector<Array> columns = pieces_of(logarithms, count, 0);
    tell("kernel", times_of(repeats, [&] { fit_of(device, data, columns); }));
    const std::size_t few = std::min(count, compared);
    const numerics::Fit found = fit_of(device, {curve(scores, 0, few)}, {curve(logarithms, 0, few)});
    const OnDevice none(nullptr);
    const std::vector<double> ones(few, 1.0);
    const Array y = curve(scores, 0, few), x = curve(logarithms, 0, few);
    const numerics::Fit wanted = numerics::fit_linear({.columns = {ones, x.here()}, .data = y.here()});
    std::printf(", \"kernel_difference\": %.6g", std::max(relative(found.parameters[0], wanted.parameters[0]),
                                                          relative(found.parameters[1], wanted.parameters[1])));
}

void run(const std::vector<std::string>& arguments) {
    const std::size_t size = std::stoull(arguments.at(1));
    const int repeats = std::stoi(arguments.at(2));
    std::printf("{");
    std::vector<Rated> rated;
    for (std::size_t at = 3; at < arguments.size(); ++at) rated.push_back(read_rated(arguments[at]));
    // As many numbers as the work is of, or enough.
    const std::size_t numbers = arguments[0] == "matrix" ? size * size : size;
    Ground().tell_floors(std::min<std::size_t>(numbers, 100000000), repeats, rated);
    DeviceOptions options;
    options.fewest_points = 1;
    const std::unique_ptr<Device> device = open_cuda(options);
    const OnDevice scope(device.get());
    if (arguments[0] == "matrix") tell_matrix(*device, size, repeats);
    if (arguments[0] == "resolution") tell_resolution(*device, size, repeats);
    if (arguments[0] == "fit") tell_fit(*device, size, repeats);
    std::printf("}\n");
}

}  // namespace

int main(int count, char** words) {
    try {
        run({words + 1, words + count});
        return 0;
    } catch (const core::MissingError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cuda_rows: %s\n", error.what());
        return 1;
    }
}
