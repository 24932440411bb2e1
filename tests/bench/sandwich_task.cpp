#include <memory>

#include <farfield/quantity/bias_matrix.hpp>
#include <farfield/scheme/registry.hpp>

#include "task.hpp"

namespace farfield::bench {

namespace {

constexpr std::size_t heads = 12;

struct Data {
    scheme::Scheme scheme;
    scheme::Context context;
    std::size_t length = 0;
    std::vector<double> by_distance;
    std::unique_ptr<double[]> room;  ///< untouched until it is first written

    std::span<double> matrix() const { return {room.get(), heads * length * length}; }
};

}  // namespace

Task sandwich_task(Arguments arguments) {
    const auto data = std::make_shared<Data>();
    core::Problems problems;
    data->length = std::stoull(arguments[0]);
    data->scheme = scheme::Registry::builtin().with_params("sandwich", {{"shift", "0"}}, {}, problems);
    problems.raise();
    data->context.heads = heads;
    data->room.reset(new double[heads * data->length * data->length]);
    Task task;
    task.work["distance"] = [data] {
        data->by_distance = quantity::bias_by_distance(data->scheme, data->context, data->length);
    };
    task.work["matrix"] = [data] { quantity::bias_matrix(data->scheme, data->context, data->length, data->matrix()); };
    task.work["write"] = [data] { write_all(data->matrix()); };
    task.values = [data] {
        const std::span<const double> row = data->matrix().first(data->length);
        return std::vector<double>{row[0], row[1], row[data->length - 1], data->matrix().back()};
    };
    return task;
}

}  // namespace farfield::bench
