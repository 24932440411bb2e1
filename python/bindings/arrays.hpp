// Numbers between numpy and the library, without copies.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <farfield/evaluate/evaluate.hpp>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace farfield::python {

namespace py = pybind11;

/// float64 in row-major order: read where it lies if it is that, else a copy that is.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A numpy array over the vector's own memory, which it keeps.
template <class Number>
py::array adopt(std::vector<Number>&& values, std::vector<py::ssize_t> shape) {
    auto kept = std::make_unique<std::vector<Number>>(std::move(values));
    const Number* numbers = kept->data();
    const py::capsule owner(kept.get(), [](void* vector) { delete static_cast<std::vector<Number>*>(vector); });
    kept.release();
    return py::array(py::dtype::of<Number>(), std::move(shape), numbers, owner);
}

/// A numpy array over memory that `owner` keeps, which may not be written to.
py::array view(const double* numbers, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               const py::object& owner);

/// An object of Python that a job on another thread keeps.
std::shared_ptr<const void> keep(py::object object);

/// What an input runs over, and what keeps its memory.
struct KeptLane {
    evaluate::Lane lane;
    std::shared_ptr<const void> owner;
    std::size_t size = 0;
};

/// A `range` as a range, anything else as float64 in row-major order.
KeptLane lane_of(const py::object& values);

/// The memory of an array that results are written to: float64, row-major, writeable.
std::span<double> writeable(const py::array& array);

}  // namespace farfield::python
