#include <cmath>
#include <memory>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/numerics/least_squares.hpp>

#include "evaluate/weights.hpp"
#include "quantity/attention_resolution.hpp"
#include "task.hpp"

namespace farfield::bench {

namespace {

struct Data {
    std::vector<double> scores;
    std::vector<double> ones;
    std::vector<double> logarithms;
    std::vector<double> room;
    std::vector<double> more_room;
    double found = 0;
};

std::vector<double> evaluated(const char* text, std::size_t count) {
    const formula::Program program = formula::compile(formula::parse(std::string(text)), {{}, {"n"}, {}});
    return evaluate::evaluate(program, {{}, {evaluate::Range{0, 1, count}}, {}, count});
}

}  // namespace

Task curve_task(Arguments arguments) {
    const std::size_t count = std::stoull(arguments[0]);
    const auto data = std::make_shared<Data>();
    data->scores = evaluated("-0.825*log(1 + n) - 0.8 + 0.1*cos(n)", count);
    data->ones = evaluated("1 + 0*n", count);
    data->logarithms = evaluated("log(1 + n)", count);
    data->room.resize(count);
    data->more_room.resize(count);
    Task task;
    task.work["read"] = [data] { data->found = read_all(data->scores); };
    task.work["write"] = [data] { write_all(data->room); };
    task.work["copy"] = [data] { copy_all(data->scores, data->room); };
    task.work["resolution"] = [data, count] {
        data->found = *quantity::resolution({.scores = evaluate::Array(std::span<const double>(data->scores)),
                                             .enclosures = {},
                                             .scale = 1,
                                             .scale_enclosure = {1, 1},
                                             .N = count - 1,
                                             .last = count - 2})
                           .value.number;
    };
    task.work["fit"] = [data] {
        data->found =
            numerics::fit_linear(
                {.columns = {data->ones, data->logarithms}, .data = data->scores, .offset = {}, .weights = {}})
                .parameters[1];
    };
    task.work["profile"] = [data] {
        evaluate::softmax_row(data->scores, data->room, data->more_room);
        data->found = data->more_room.back();
    };
    task.work["write both"] = [data] {
        write_all(data->room);
        write_all(data->more_room);
    };
    task.values = [data] { return std::vector<double>{data->found}; };
    return task;
}

}  // namespace farfield::bench
