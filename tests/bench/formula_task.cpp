#include <memory>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>

#include "task.hpp"

namespace farfield::bench {

namespace {

struct Data {
    formula::Program program;
    std::vector<double> points;
    std::vector<double> result;
    evaluate::Inputs inputs;
};

}  // namespace

Task formula_task(Arguments arguments) {
    const std::size_t count = std::stoull(arguments[1]);
    const auto data = std::make_shared<Data>();
    data->program = formula::compile(formula::parse(arguments[0]), {{}, {"n"}, {}});
    data->result.resize(count);
    const evaluate::Range range{0, 1, count};
    data->inputs = {{}, {range}, {}, count};
    if (arguments[2] == "array") {
        for (std::size_t i = 0; i < count; ++i) data->points.push_back(range.at(i));
        data->inputs.varying = {std::span<const double>(data->points)};
    }
    Task task;
    task.work["ours"] = [data] { evaluate::evaluate_into(data->program, data->inputs, {}, data->result); };
    task.work["write"] = [data] { write_all(data->result); };
    if (!data->points.empty()) task.work["copy"] = [data] { copy_all(data->points, data->result); };
    task.values = [data, count] {
        return std::vector<double>{data->result.front(), data->result[count / 2], data->result.back()};
    };
    return task;
}

}  // namespace farfield::bench
