#include "schemes.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/export/export.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/quantity/bias_matrix.hpp>
#include <farfield/quantity/scheme_values.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/toml.hpp>
#include <limits>
#include <map>

#include "arrays.hpp"
#include "docstrings.hpp"
#include "formulas.hpp"
#include "interruptible.hpp"

namespace farfield::python {

namespace {

using Registry = scheme::Registry;

std::shared_ptr<const Registry> builtin() {
    return {std::shared_ptr<void>(), &Registry::builtin()};
}

Scheme find(const std::shared_ptr<const Registry>& schemes, const std::string& name) {
    if (const scheme::Scheme* found = schemes->find(name)) return {schemes, *found, {}, {}, {}};
    throw core::UserError(
        {core::Diagnostic{{}, "unknown scheme '" + name + "'", "", core::known_here(name, schemes->names())}});
}

/// The schemes of a document, in its order.
std::vector<Scheme> add_to_builtin(const core::Entries& document) {
    const auto registry = std::make_shared<Registry>(Registry::builtin());
    std::vector<Scheme> added;
    const core::Entry* entry = document.find("scheme");
    if (!entry || !entry->value.entries()) return added;
    core::Problems problems;
    registry->add(*entry->value.entries(), problems);
    problems.raise();
    for (const core::Entry& each : entry->value.entries()->list) added.push_back(find(registry, each.key));
    return added;
}

const scheme::Learned* find_learned(const scheme::Scheme& scheme, const std::string& name) {
    const auto found = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                    [&](const scheme::Learned& each) { return each.name == name; });
    return found == scheme.learn.end() ? nullptr : &*found;
}

/// Throws TypeError, naming the argument, where the value is of another type.
template <class Wanted>
Wanted read(const py::handle& value, const std::string& name, const char* words) {
    try {
        if (PyBool_Check(value.ptr())) throw py::cast_error();
        return value.cast<Wanted>();
    } catch (const py::cast_error&) {
        const auto type = py::type::of(value).attr("__name__").cast<std::string>();
        throw py::type_error(name + " is " + py::repr(value).cast<std::string>() + ", of type " + type + ": write " +
                             words);
    }
}

template <class Value>
void set(std::vector<std::pair<std::string, Value>>& list, const std::string& name, Value value) {
    std::erase_if(list, [&](const auto& each) { return each.first == name; });
    list.emplace_back(name, std::move(value));
}

Scheme with_values(Scheme self, const py::kwargs& values) {
    for (const auto& [key, value] : values) {
        const auto name = key.cast<std::string>();
        const scheme::Learned* learned = find_learned(self.scheme, name);
        if (!learned) {
            set(self.params, name, py::str(value).cast<std::string>());
        } else if (learned->size == 0) {
            const auto number = read<double>(value, name, "a number");
            if (learned->positive && !(number > 0))
                throw core::UserError({core::Diagnostic{
                    {}, "'" + name + "' is " + py::str(value).cast<std::string>(), "a number above zero", ""}});
            set(self.learned, name, number);
        } else {
            auto numbers = read<std::vector<double>>(value, name, "a list of numbers");
            if (numbers.size() != static_cast<std::size_t>(learned->size))
                throw core::UserError({core::Diagnostic{
                    {},
                    "'" + name + "' is learned and is a list of " + std::to_string(numbers.size()) + " numbers",
                    "a list of " + std::to_string(learned->size) + " numbers",
                    ""}});
            set(self.tables, name, std::move(numbers));
        }
    }
    core::Problems problems;
    self.scheme = self.schemes->with_params(self.scheme.name, self.params, {}, problems);
    problems.raise();
    return self;
}

py::dict params_of(const Scheme& self) {
    py::dict params;
    for (const auto& [name, text] : self.scheme.params) params[py::str(name)] = std::stod(text);
    return params;
}

py::dict learned_of(const Scheme& self) {
    const scheme::Context context = self.context();
    py::dict values;
    for (const scheme::Learned& each : self.scheme.learn) {
        const py::str name(each.name);
        if (each.size == 0)
            values[name] = each.init;
        else
            values[name] = std::vector<double>(static_cast<std::size_t>(each.size), each.init);
    }
    for (const auto& [name, value] : context.learned) values[py::str(name)] = value;
    for (const auto& [name, table] : context.tables) values[py::str(name)] = table;
    return values;
}

std::map<std::string, std::string> formulas_of(const Scheme& self) {
    std::map<std::string, std::string> texts;
    for (const scheme::NamedFormula& each : scheme::formulas_of(self.scheme))
        texts[each.name] = formula::print(each.formula);
    return texts;
}

bool is_given(const py::dict& settings, const char* key) {
    return settings.contains(key) && !settings[key].is_none();
}

/// The context, all that the piece needs given in it.
scheme::Context context_for(const Scheme& self, const std::optional<scheme::Piece>& piece, const py::dict& settings,
                            bool has_positions = true) {
    if (piece) {
        core::Problems problems;
        const auto given = [&](std::string_view key) { return is_given(settings, std::string(key).c_str()); };
        quantity::require_keys(*piece, given, {}, problems, has_positions);
        problems.raise();
    }
    return self.context(settings);
}

scheme::Context context_for_bias(const Scheme& self, const py::dict& settings, bool has_positions = true) {
    core::Problems problems;
    const auto given = [&](std::string_view key) { return is_given(settings, std::string(key).c_str()); };
    quantity::require_bias_keys(self.scheme, given, {}, problems, has_positions);
    problems.raise();
    return self.context(settings);
}

/// Throws for the first number of an array that is not good; a range has only finite whole numbers.
template <class IsGood>
void require_all(const KeptLane& lane, const std::string& name, const IsGood& is_good, const char* wanted) {
    const auto* numbers = std::get_if<std::span<const double>>(&lane.lane);
    if (!numbers) return;
    const auto bad = std::find_if_not(numbers->begin(), numbers->end(), is_good);
    if (bad == numbers->end()) return;
    throw core::UserError(
        {core::Diagnostic{{}, "'" + name + "' has " + py::str(py::cast(*bad)).cast<std::string>(), wanted, ""}});
}

KeptLane positions_of(const py::object& positions) {
    KeptLane lane = lane_of(positions);
    require_all(
        lane, "positions", [](double each) { return std::isfinite(each); }, "finite numbers");
    return lane;
}

/// Distances are between positions, which are whole numbers.
KeptLane distances_of(const py::object& distances) {
    KeptLane lane = lane_of(distances);
    const auto is_whole = [](double each) { return std::isfinite(each) && each == std::floor(each); };
    require_all(lane, "distances", is_whole, "whole numbers: positions are whole numbers");
    return lane;
}

/// The key of a distance n is query - n.
void require_keys(const KeptLane& lane, double query) {
    double farthest = -std::numeric_limits<double>::infinity();
    if (const auto* numbers = std::get_if<std::span<const double>>(&lane.lane)) {
        for (const double each : *numbers) farthest = std::max(farthest, each);
    } else if (lane.size > 0) {
        const auto& range = std::get<evaluate::Range>(lane.lane);
        farthest = std::max(range.at(0), range.at(lane.size - 1));
    }
    if (farthest <= query) return;
    const auto text = [](double number) { return std::to_string(static_cast<long long>(number)); };
    throw core::UserError({core::Diagnostic{{},
                                            "'distances' has " + text(farthest) + ", beyond the query",
                                            "distances up to " + text(query),
                                            "the key of a distance n is query - n"}});
}

std::size_t length_of(long long count) {
    if (count < 1)
        throw core::UserError(
            {core::Diagnostic{{}, "'length' is " + std::to_string(count), "a whole number, at least 1", ""}});
    return static_cast<std::size_t>(count);
}

std::optional<scheme::Piece> angle_of(const Scheme& self) {
    if (!self.scheme.rotate) return std::nullopt;
    return self.scheme.rotate->angle;
}

void bias_at(const Scheme& self, const py::object& distances, std::optional<double> query, const py::dict& settings,
             const py::array& out) {
    const scheme::Context context = context_for_bias(self, settings);
    const KeptLane lane = distances_of(distances);
    if (query && !(*query >= 0 && *query == std::floor(*query)))
        throw core::UserError({core::Diagnostic{{},
                                                "'query' is " + py::str(py::cast(*query)).cast<std::string>(),
                                                "a position: a whole number from 0",
                                                ""}});
    if (query) require_keys(lane, *query);
    const std::span<double> result = writeable(out);
    const auto owner = keep(out);
    const auto run = [scheme = self.scheme, context, lane, query, result, owner](const Stop&) {
        quantity::bias_at(scheme, context, lane.lane, query, result);
    };
    constexpr std::size_t brief_points = 10000;
    if (lane.size < brief_points) return run_briefly([&] { run(nullptr); });
    run_interruptibly(run);
}

void bias_matrix(const Scheme& self, long long count, py::dict settings, const py::array& out) {
    const std::size_t length = length_of(count);
    settings["head"] = 1;  // all of them
    const scheme::Context context = context_for_bias(self, settings);
    const std::span<double> result = writeable(out);
    run_interruptibly([scheme = self.scheme, context, length, result, owner = keep(out)](const Stop&) {
        quantity::bias_matrix(scheme, context, length, result);
    });
}

py::array mask(const Scheme& self, long long count, const py::dict& settings) {
    const std::size_t length = length_of(count);
    const scheme::Context context = context_for(self, self.scheme.mask, settings);
    py::array_t<bool> out({length, length});
    const std::span<std::uint8_t> result(reinterpret_cast<std::uint8_t*>(out.mutable_data()), length * length);
    run_interruptibly([scheme = self.scheme, context, length, result, owner = keep(out)](const Stop&) {
        quantity::mask_matrix(scheme, context, length, result);
    });
    return out;
}

py::tuple rotation(const Scheme& self, const py::object& positions, const py::dict& settings) {
    const scheme::Context context = context_for(self, angle_of(self), settings);
    const KeptLane lane = positions_of(positions);
    const auto found = std::make_shared<quantity::RotationValues>();
    run_interruptibly([scheme = self.scheme, context, lane, found](const Stop&) {
        *found = quantity::rotation_at(scheme, context, lane.lane);
    });
    const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(lane.size), static_cast<py::ssize_t>(found->pairs)};
    return py::make_tuple(adopt(std::move(found->angle), shape), adopt(std::move(found->scale), shape));
}

py::array embedding(const Scheme& self, const py::object& positions, const py::dict& settings) {
    const scheme::Context context = self.context(settings);
    const KeptLane lane = positions_of(positions);
    const auto found = std::make_shared<std::vector<double>>();
    run_interruptibly([scheme = self.scheme, context, lane, found](const Stop&) {
        *found = quantity::embedding_at(scheme, context, lane.lane);
    });
    return adopt(std::move(*found), {static_cast<py::ssize_t>(lane.size), static_cast<py::ssize_t>(context.width)});
}

/// A scale that counts from the centre or the end has no formula without a length.
scheme::Context context_for_scale(const Scheme& self, const py::dict& settings) {
    const std::optional<scheme::Rotation>& rotate = self.scheme.rotate;
    if (rotate && rotate->origin != scheme::Origin::start && !is_given(settings, "length"))
        throw core::UserError({core::Diagnostic{
            {}, "the scale counts from the centre or the end, and L has no value here", "the key 'length'", ""}});
    return context_for(self, rotate ? rotate->scale : std::nullopt, settings, false);
}

std::string source_for(const Scheme& self, const std::string& target) {
    scheme::Scheme scheme = self.scheme;
    for (scheme::Learned& each : scheme.learn)
        for (const auto& [name, value] : self.learned)
            if (each.name == name) each.init = value;
    if (const std::optional<exporting::Target> found = exporting::find_target(target))
        return exporting::source(scheme, *found);
    throw core::UserError({core::Diagnostic{
        {}, "unknown target '" + target + "'", "", core::known_here(target, exporting::target_names())}});
}

Formula formula_in_context(const Scheme& self, const std::string& piece, const py::dict& settings) {
    if (piece == "bias") return printed(bias_formula(self.scheme, context_for_bias(self, settings, false)), {"q", "k"});
    if (piece == "mask")
        return printed(mask_formula(self.scheme, context_for(self, self.scheme.mask, settings, false)), {"q", "k"});
    if (piece == "angle")
        return printed(angle_formula(self.scheme, context_for(self, angle_of(self), settings, false)), {"p", "i"});
    if (piece == "scale") return printed(scale_formula(self.scheme, context_for_scale(self, settings)), {"p", "i"});
    throw core::UserError({core::Diagnostic{
        {}, "unknown piece '" + piece + "'", "", core::known_here(piece, {"bias", "mask", "angle", "scale"})}});
}

}  // namespace

scheme::Context Scheme::context() const {
    scheme::Context context;
    context.learned = learned;
    context.tables = tables;
    return context;
}

scheme::Context Scheme::context(const py::dict& settings) const {
    scheme::Context own = context();
    std::vector<std::string> known;
    for (const scheme::ContextKey& key : scheme::context_keys()) {
        known.emplace_back(key.key);
        if (is_given(settings, known.back().c_str()))
            own.*key.member = read<double>(settings[known.back().c_str()], known.back(), "a number");
    }
    core::Problems problems;
    for (const auto& [key, value] : settings) {
        const auto name = key.cast<std::string>();
        if (std::find(known.begin(), known.end(), name) == known.end())
            problems.add({}, "unknown argument '" + name + "'", "", core::known_here(name, known));
    }
    const auto given = [&](std::string_view key) { return is_given(settings, std::string(key).c_str()); };
    for (const scheme::ContextProblem& each : scheme::check_context(&scheme, own, given))
        problems.add({}, "'" + std::string(each.key) + "' is " + each.value, each.wanted);
    problems.raise();
    return own;
}

void bind_schemes(py::module_& module) {
    py::class_<Scheme>(module, "Scheme", doc::scheme_Scheme)
        .def_property_readonly(
            "name", [](const Scheme& self) { return self.scheme.name; }, doc::scheme_Scheme_name)
        .def_property_readonly(
            "doc", [](const Scheme& self) { return self.scheme.doc; }, doc::scheme_Scheme_doc)
        .def_property_readonly(
            "source", [](const Scheme& self) { return self.scheme.source; }, doc::scheme_Scheme_source)
        .def_property_readonly("params", &params_of, doc::scheme_Scheme_params)
        .def_property_readonly("learned", &learned_of, doc::scheme_Learned)
        .def_property_readonly("formulas", &formulas_of, doc::scheme_formulas_of)
        .def_property_readonly(
            "pairs",
            [](const Scheme& self) {
                const bool is_halves = self.scheme.rotate && self.scheme.rotate->pairs == scheme::Pairs::halves;
                return is_halves ? "halves" : "interleaved";
            },
            doc::scheme_Pairs)
        .def("with_values", &with_values, doc::scheme_Registry_with_params)
        .def("bias_at", &bias_at, doc::quantity_bias_at)
        .def("bias_matrix", &bias_matrix, doc::quantity_bias_matrix)
        .def("mask", &mask, doc::quantity_mask_matrix)
        .def("rotation", &rotation, doc::quantity_rotation_at)
        .def("embedding", &embedding, doc::quantity_embedding_at)
        .def("formula", &formula_in_context, doc::scheme_in_context)
        .def("export", &source_for, doc::exporting_source);
    module.def(
        "scheme_names", [] { return Registry::builtin().names(); }, doc::scheme_Registry_names);
    module.def(
        "scheme", [](const std::string& name) { return find(builtin(), name); }, doc::scheme_Registry_find);
    module.def(
        "load_schemes", [](const std::string& path) { return add_to_builtin(scheme::read_toml_file(path)); },
        doc::scheme_read_toml_file);
    module.def(
        "read_schemes",
        [](const std::string& text, const std::string& name) { return add_to_builtin(scheme::read_toml(text, name)); },
        doc::scheme_read_toml);
}

}  // namespace farfield::python
