#include <farfield/compare/compare.hpp>

#include <pybind11/stl.h>

#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/tensor/tensor.hpp>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "dlpack.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"
#include "schemes.hpp"

namespace farfield::python {

namespace {

using compare::Answer;
using compare::Deviation;
using compare::HeadAnswer;
using compare::Law;
using compare::Variation;

/// An array's memory as a tensor; `type` is the name of its elements, which numpy need not know.
tensor::Tensor of_array(const py::array& array, const std::string& type, bool is_complex, bool is_big_endian,
                        const std::string& name) {
    tensor::Description description;
    const std::optional<tensor::ElementType> known = tensor::find_type(type);
    if (!known)
        throw core::UserError(
            {core::Diagnostic{{},
                              name + " holds " + type,
                              "float64 to bfloat16, float8, whole numbers, booleans or complex numbers",
                              ""}});
    description.type = *known;
    description.shape.assign(array.shape(), array.shape() + array.ndim());
    description.is_complex = is_complex;
    if (is_complex) description.shape.push_back(2);
    description.is_big_endian = is_big_endian;
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(array.data()),
                                           static_cast<std::size_t>(array.nbytes()));
    return tensor::tensor_in_memory(std::move(description), bytes, keep(array), name);
}

/// Lists of numbers by name: of an axis or of what is learned.
using Lists = std::vector<std::pair<std::string, std::vector<double>>>;
/// Formulas by name.
using Texts = std::vector<std::pair<std::string, std::string>>;
/// Numbers and shapes by name.
using Arrays = std::vector<std::tuple<std::string, std::vector<double>, std::vector<std::size_t>>>;

std::optional<compare::Part> part_of(const std::optional<std::string>& name) {
    if (!name) return std::nullopt;
    const std::optional<compare::Part> part = compare::find_part(*name);
    if (!part)
        throw core::UserError(
            {core::Diagnostic{{}, "unknown part '" + *name + "'", "", core::known_here(*name, compare::part_names())}});
    return part;
}

compare::Question question_of(const Scheme& scheme, const std::optional<std::string>& part, const std::string& axes,
                              const py::dict& context, const Lists& at, const Texts& moved, const Arrays& learned) {
    compare::Question question;
    question.scheme = scheme.scheme.name;
    question.params = scheme.params;
    question.context.learned = scheme.learned;
    for (const auto& [name, numbers, shape] : learned)
        question.learned.emplace_back(name, compare::Values{numbers, shape});
    for (const auto& [name, numbers] : scheme.tables) question.learned.emplace_back(name, compare::Values{numbers});
    question.at = at;
    question.moved = moved;
    const scheme::Context given = scheme.context(context);
    const auto read = [&](const char* key, double scheme::Context::*member) {
        if (context.contains(key) && !context[key].is_none()) question.context.*member = given.*member;
    };
    read("heads", &scheme::Context::heads);
    read("head", &scheme::Context::head);
    read("head_dim", &scheme::Context::head_dim);
    read("length", &scheme::Context::length);
    read("train_length", &scheme::Context::train_length);
    question.part = part_of(part);
    question.axes = axes;
    return question;
}

Answer compare_tensor(const tensor::Tensor& tensor, const std::string& name, const Scheme& scheme,
                      const std::optional<std::string>& part, const std::string& axes, const py::dict& context,
                      const Lists& at, const Texts& moved, const Arrays& learned,
                      const std::optional<tensor::Tensor>& input, std::optional<double> tolerance) {
    compare::Question question = question_of(scheme, part, axes, context, at, moved, learned);
    question.input = input;
    question.tolerance = tolerance;
    const auto answer = std::make_shared<Answer>();
    run_interruptibly([tensor, name, question, schemes = scheme.schemes, answer](const Stop&) {
        *answer = compare::compare(tensor, name, question, *schemes);
    });
    return *answer;
}

std::vector<Law> laws(const tensor::Tensor& tensor, const std::string& name,
                      const std::optional<std::string>& part_name, double tolerance) {
    const std::optional<compare::Part> part = part_of(part_name);
    const auto found = std::make_shared<std::vector<Law>>();
    run_interruptibly([=](const Stop&) { *found = compare::laws_of(tensor, name, part, tolerance); });
    return *found;
}

void bind_answer(py::module_& module) {
    py::class_<Deviation>(module, "Deviation", doc::compare_Deviation)
        .def_readonly("compared", &Deviation::compared, doc::compare_Deviation_compared)
        .def_readonly("beyond", &Deviation::beyond, doc::compare_Deviation_beyond)
        .def_readonly("worst", &Deviation::worst, doc::compare_Deviation_worst)
        .def_property_readonly(
            "index", [](const Deviation& self) { return py::tuple(py::cast(self.index)); },
            doc::compare_Deviation_index)
        .def_readonly("found", &Deviation::found, doc::compare_Deviation_found)
        .def_readonly("wanted", &Deviation::wanted, doc::compare_Deviation_wanted)
        .def_readonly("first_beyond", &Deviation::first_beyond, doc::compare_Deviation_first_beyond);
    py::class_<Variation>(module, "Variation", doc::compare_Variation)
        .def_readonly("name", &Variation::name, doc::compare_Variation_name)
        .def_readonly("meaning", &Variation::meaning, doc::compare_Variation_meaning)
        .def_readonly("supposes", &Variation::supposes, doc::compare_Variation_supposes)
        .def_readonly("options", &Variation::options, doc::compare_Variation_options)
        .def_readonly("is_convention", &Variation::is_convention, doc::compare_Variation_is_convention);
    py::class_<HeadAnswer>(module, "HeadAnswer", doc::compare_HeadAnswer)
        .def_readonly("head", &HeadAnswer::head, doc::compare_HeadAnswer_head)
        .def_readonly("is_equal", &HeadAnswer::is_equal, doc::compare_Answer_is_equal)
        .def_readonly("declared", &HeadAnswer::declared, doc::compare_HeadAnswer_declared)
        .def_readonly("variations", &HeadAnswer::variations, doc::compare_HeadAnswer_variations);
    py::class_<Answer>(module, "Answer", doc::compare_Answer)
        .def_property_readonly(
            "part", [](const Answer& self) { return std::string(compare::part_name(self.part)); }, doc::compare_Part)
        .def_readonly("axes", &Answer::axes, doc::compare_Answer_axes)
        .def_readonly("tolerance", &Answer::tolerance, doc::compare_Answer_tolerance)
        .def_readonly("is_equal", &Answer::is_equal, doc::compare_Answer_is_equal)
        .def_readonly("agrees", &Answer::agrees, doc::compare_Answer_agrees)
        .def_readonly("declared", &Answer::declared, doc::compare_Answer_declared)
        .def_readonly("variations", &Answer::variations, doc::compare_Answer_variations)
        .def_readonly("others", &Answer::others, doc::compare_Answer_others)
        .def_readonly("explained", &Answer::explained, doc::compare_Answer_explained)
        .def_readonly("nearest", &Answer::nearest, doc::compare_Answer_nearest)
        .def_readonly("near", &Answer::near, doc::compare_Answer_near)
        .def_readonly("commands", &Answer::commands, doc::compare_Answer_commands)
        .def_readonly("heads", &Answer::heads, doc::compare_Answer_heads)
        .def_readonly("tried", &Answer::tried, doc::compare_Answer_tried)
        .def_readonly("hidden", &Answer::hidden, doc::compare_Answer_hidden);
}

}  // namespace

void bind_comparison(py::module_& module) {
    bind_answer(module);
    py::class_<tensor::Tensor>(module, "Tensor", doc::tensor_Tensor)
        .def_property_readonly(
            "type", [](const tensor::Tensor& self) { return std::string(tensor::type_name(self.description().type)); },
            doc::tensor_type_name)
        .def_property_readonly(
            "shape", [](const tensor::Tensor& self) { return py::tuple(py::cast(self.description().shape)); },
            doc::tensor_Description)
        .def_property_readonly("numbers", &doubles_of, doc::tensor_Tensor_read);
    py::class_<Law>(module, "Law", doc::compare_Law)
        .def_readonly("name", &Law::name, doc::compare_Law_name)
        .def_readonly("meaning", &Law::meaning, doc::compare_Law_meaning)
        .def_readonly("holds", &Law::holds, doc::compare_Law_holds)
        .def_readonly("counterexample", &Law::counterexample, doc::compare_Law_counterexample);
    module.def("tensor_of_array", &of_array, doc::tensor_tensor_in_memory);
    module.def("tensor_of_dlpack", &tensor_of_dlpack, doc::tensor_tensor_in_memory);
    module.def("open_tensor", &tensor::open_tensor, doc::tensor_open_tensor);
    module.def("compare", &compare_tensor, doc::compare_compare);
    module.def("laws", &laws, (std::string(doc::compare_laws) + "\n\n" + doc::compare_rotation_laws).c_str());
    module.def("variations", &compare::variations, doc::compare_variations);
}

}  // namespace farfield::python
