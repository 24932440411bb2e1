// Tensors of other libraries by DLPack, whose structures are declared here as its header has them
// (github.com/dmlc/dlpack, include/dlpack/dlpack.h): the unversioned capsule, which every library still gives to a
// caller that asks for none other.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dlpack.hpp"

namespace farfield::python {

namespace {

struct Device {
    std::int32_t type;
    std::int32_t id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

struct DlTensor {
    void* data;
    Device device;
    std::int32_t axes;
    DataType type;
    std::int64_t* shape;
    std::int64_t* strides;  ///< null: row-major
    std::uint64_t byte_offset;
};

struct Managed {
    DlTensor tensor;
    void* context;
    void (*deleter)(Managed*);
};

struct Known {
    std::uint8_t code;
    std::uint8_t bits;
    tensor::ElementType type;
    bool is_complex = false;
};

using tensor::ElementType;

constexpr std::array<Known, 15> known_types = {{
    {0, 64, ElementType::int64},
    {0, 32, ElementType::int32},
    {0, 16, ElementType::int16},
    {0, 8, ElementType::int8},
    {1, 8, ElementType::uint8},
    {2, 64, ElementType::float64},
    {2, 32, ElementType::float32},
    {2, 16, ElementType::float16},
    {4, 16, ElementType::bfloat16},
    {5, 128, ElementType::float64, true},
    {5, 64, ElementType::float32, true},
    {6, 8, ElementType::boolean},
    {8, 8, ElementType::float8_e4m3},
    {10, 8, ElementType::float8_e4m3},
    {12, 8, ElementType::float8_e5m2},
}};

[[noreturn]] void refuse(const std::string& found, const std::string& wanted) {
    throw core::UserError({core::Diagnostic{{}, found, wanted, ""}});
}

const Known& type_of(const DataType& type, const std::string& name) {
    for (const Known& each : known_types)
        if (each.code == type.code && each.bits == type.bits && type.lanes == 1) return each;
    refuse(name + " holds numbers of DLPack's type code " + std::to_string(type.code) + " with " +
               std::to_string(type.bits) + " bits",
           "float64 to bfloat16, float8, whole numbers, booleans or complex numbers");
}

bool is_row_major(const DlTensor& tensor) {
    if (!tensor.strides) return true;
    std::int64_t step = 1;
    for (std::int32_t axis = tensor.axes - 1; axis >= 0; --axis) {
        if (tensor.shape[axis] != 1 && tensor.strides[axis] != step) return false;
        step *= tensor.shape[axis];
    }
    return true;
}

/// The elements in row-major order, each of `size` bytes.
std::vector<std::byte> gathered(const DlTensor& tensor, const std::byte* first, std::size_t size, std::size_t count) {
    std::vector<std::byte> bytes(count * size);
    std::vector<std::int64_t> index(static_cast<std::size_t>(tensor.axes), 0);
    for (std::size_t at = 0; at < count; ++at) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) from += index[axis] * tensor.strides[axis];
        std::memcpy(bytes.data() + at * size, first + from * static_cast<std::int64_t>(size), size);
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < tensor.shape[axis]) break;
            index[axis] = 0;
        }
    }
    return bytes;
}

}  // namespace

tensor::Tensor tensor_of_dlpack(const py::object& object, const std::string& name) {
    const py::object capsule = object.attr("__dlpack__")();
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (!managed) throw py::error_already_set();
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");
    const std::shared_ptr<Managed> owner(managed, [](Managed* each) {
        const py::gil_scoped_acquire locked;  // the deleter of a Python object
        if (each->deleter) each->deleter(each);
    });
    const DlTensor& given = managed->tensor;
    constexpr std::int32_t host = 1;
    constexpr std::int32_t pinned_host = 3;
    if (given.device.type != host && given.device.type != pinned_host)
        refuse(name + " lies in a device's memory", "an array in the host's memory: tensor.cpu()");
    const Known& type = type_of(given.type, name);
    tensor::Description description;
    description.type = type.type;
    description.is_complex = type.is_complex;
    std::size_t count = 1;
    for (std::int32_t axis = 0; axis < given.axes; ++axis) {
        description.shape.push_back(static_cast<std::size_t>(given.shape[axis]));
        count *= description.shape.back();
    }
    const std::size_t size = tensor::size_of(type.type) * (type.is_complex ? 2 : 1);
    if (type.is_complex) description.shape.push_back(2);
    const auto* const first = static_cast<const std::byte*>(given.data) + given.byte_offset;
    if (count == 0 || is_row_major(given))
        return tensor::tensor_in_memory(std::move(description), {first, count * size}, owner, name);
    const auto copy = std::make_shared<std::vector<std::byte>>(gathered(given, first, size, count));
    return tensor::tensor_in_memory(std::move(description), {copy->data(), copy->size()}, copy, name);
}

py::array_t<double> doubles_of(const tensor::Tensor& tensor) {
    const std::vector<std::size_t>& shape = tensor.description().shape;
    py::array_t<double> numbers(std::vector<py::ssize_t>(shape.begin(), shape.end()));
    const std::span<double> result(numbers.mutable_data(), static_cast<std::size_t>(numbers.size()));
    tensor.read(0, result);
    return numbers;
}

}  // namespace farfield::python
