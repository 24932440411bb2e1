// Tensors of PyTorch, JAX and others by DLPack.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <farfield/tensor/tensor.hpp>
#include <string>

namespace farfield::python {

namespace py = pybind11;

/// The tensor that the object's `__dlpack__()` gives, of any type of numbers that tensor.hpp has. It is read where it
/// lies if it is in row-major order, and copied otherwise. Errors: core::UserError for another type or a device's
/// memory; what `__dlpack__()` raises.
tensor::Tensor tensor_of_dlpack(const py::object& object, const std::string& name);

/// Its numbers as float64, in its shape.
py::array_t<double> doubles_of(const tensor::Tensor& tensor);

}  // namespace farfield::python
