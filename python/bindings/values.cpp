#include "values.hpp"

#include <farfield/core/diagnostic.hpp>
#include <optional>

namespace farfield::python {

namespace {

/// Deeper values are refused, since one that contains itself has no end.
constexpr int most_depth = 100;

core::Entries entries_of(const py::dict& values, int depth);
core::Value value_of(const py::handle& object, const std::string& key, int depth);

core::Value text_value(std::string text, const std::string& key) {
    core::Value value;
    value.place = {key, 1, 1, text.size(), text};
    value.data = std::move(text);
    return value;
}

core::Value list_value(const py::handle& object, const std::string& key, int depth) {
    core::List list;
    for (const py::handle& each : object) list.push_back(value_of(each, key, depth));
    core::Value value;
    value.data = std::move(list);
    return value;
}

/// Of an int, float or Decimal; `text` is how the number is written, so that 0.4 stays the decimal 0.4. Classes derived
/// from them may write themselves otherwise.
core::Value number_value(const py::handle& object, const std::string& key) {
    core::Value value;
    const auto same = py::reinterpret_borrow<py::object>(object);
    const py::object plain = PyLong_Check(object.ptr())    ? py::object(py::int_(same))
                             : PyFloat_Check(object.ptr()) ? py::object(py::float_(same))
                                                           : same;
    value.text = py::str(plain).cast<std::string>();
    if (PyLong_Check(object.ptr())) {
        int overflow = 0;
        const long long number = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
        if (overflow == 0) {
            value.data = number;
            return value;
        }
        throw core::UserError({core::Diagnostic{{key, 1, 1, value.text.size(), value.text},
                                                "an integer beyond 2^63 - 1",
                                                "at most 9223372036854775807, or a float",
                                                ""}});
    }
    value.data = py::float_(py::reinterpret_borrow<py::object>(object)).cast<double>();
    return value;
}

[[noreturn]] void refuse(const py::handle& object, const std::string& key) {
    const auto type = py::type::of(object).attr("__name__").cast<std::string>();
    throw core::UserError({core::Diagnostic{
        {}, "'" + key + "' is of type " + type, "a number, a text, a boolean, a list or a dict of these", ""}});
}

bool is_of(const py::handle& object, const char* module, const char* type) {
    return py::isinstance(object, py::module_::import(module).attr(type));
}

core::Value value_of(const py::handle& object, const std::string& key, int depth) {
    if (depth > most_depth)
        throw core::UserError({core::Diagnostic{{},
                                                "'" + key + "' has values inside of each other",
                                                "at most " + std::to_string(most_depth) + " levels",
                                                ""}});
    core::Value value;
    if (PyBool_Check(object.ptr())) {
        value.data = object.ptr() == Py_True;
        return value;
    }
    if (PyUnicode_Check(object.ptr())) return text_value(object.cast<std::string>(), key);
    if (PyDict_Check(object.ptr())) {
        value.data = entries_of(py::reinterpret_borrow<py::dict>(object), depth + 1);
        return value;
    }
    if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return list_value(object, key, depth + 1);
    const bool is_number = PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr());
    if (is_number || is_of(object, "decimal", "Decimal")) return number_value(object, key);
    // A fraction is the formula of its quotient.
    if (is_of(object, "fractions", "Fraction")) return text_value(py::str(object).cast<std::string>(), key);
    // numpy's arrays and numbers become lists and numbers of Python's own, or stay what they are.
    if (py::hasattr(object, "tolist")) {
        const py::object plain = object.attr("tolist")();
        if (!py::type::of(plain).is(py::type::of(object))) return value_of(plain, key, depth + 1);
    }
    if (py::hasattr(object, "__fspath__")) return text_value(py::str(object).cast<std::string>(), key);
    refuse(object, key);
}

core::Entries entries_of(const py::dict& values, int depth) {
    core::Entries entries;
    for (const auto& [key, value] : values) {
        if (value.is_none()) continue;
        if (!PyUnicode_Check(key.ptr()))
            throw core::UserError({core::Diagnostic{
                {}, "the key " + py::repr(key).cast<std::string>() + " of a table is not a text", "a text", ""}});
        const auto name = key.cast<std::string>();
        entries.list.push_back({name, {}, value_of(value, name, depth)});
    }
    return entries;
}

}  // namespace

core::Entries entries_of(const py::dict& values) {
    return entries_of(values, 0);
}

}  // namespace farfield::python
