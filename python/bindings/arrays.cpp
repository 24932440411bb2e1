#include "arrays.hpp"

#include <cmath>

namespace farfield::python {

py::array view(const double* numbers, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
               const py::object& owner) {
    py::array array(py::dtype::of<double>(), std::move(shape), std::move(strides), numbers, owner);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

std::shared_ptr<const void> keep(py::object object) {
    // The last to let go may be a thread that does not hold the interpreter's lock.
    return {object.release().ptr(), [](const void* kept) {
                const py::gil_scoped_acquire locked;
                Py_DECREF(static_cast<PyObject*>(const_cast<void*>(kept)));
            }};
}

KeptLane lane_of(const py::object& values) {
    if (PyRange_Check(values.ptr())) {
        const auto count = static_cast<std::size_t>(py::len(values));
        const evaluate::Range range{values.attr("start").cast<double>(), values.attr("step").cast<double>(), count};
        const bool is_exact = std::fabs(range.from) < 0x1p53 &&
                              std::fabs(range.step) * static_cast<double>(count) < 0x1p53 &&
                              std::fabs(range.at(count)) < 0x1p53;
        if (!is_exact) throw py::value_error("a range beyond 2^53, whose integers float64 cannot hold");
        return {range, nullptr, count};
    }
    const auto array = values.cast<Doubles>();
    const std::span<const double> numbers(array.data(), static_cast<std::size_t>(array.size()));
    return {numbers, keep(array), numbers.size()};
}

std::span<double> writeable(const py::array& array) {
    const bool is_doubles = py::isinstance<py::array_t<double, py::array::c_style>>(array);
    if (!is_doubles || !array.writeable())
        throw py::type_error("out must be a writeable array of float64 in row-major order");
    return {static_cast<double*>(const_cast<void*>(array.data())), static_cast<std::size_t>(array.size())};
}

}  // namespace farfield::python
