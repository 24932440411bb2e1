#include <farfield/quantity/compute.hpp>

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <vector>

#include <farfield/core/error.hpp>
#include <farfield/quantity/kind.hpp>

#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

const Kind& kind_named(const std::string& name) {
    if (const Kind* kind = find_kind(name)) return *kind;
    std::vector<std::string> known;
    for (const Kind& kind : kinds()) known.emplace_back(kind.name);
    throw core::UserError({core::Diagnostic{{}, "unknown kind '" + name + "'", "", core::known_here(name, known)}});
}

std::unique_ptr<Prepared> prepare_request(const Kind& kind, const Request& request, const scheme::Registry& schemes,
                                          const Known& known) {
    std::vector<std::string> names;
    for (const auto& [name, result] : known) names.push_back(name);
    const Declaration declaration{request.kind, {}, request.settings, schemes, names, request.folder, names};
    const auto selection = kind.takes_scheme ? scheme_selection_keys() : std::span<const core::Key>();
    core::Problems problems;
    core::check_keys(request.settings, {kind.keys, selection}, {}, problems);
    problems.raise();
    std::unique_ptr<Prepared> prepared = prepare(kind, declaration, problems);
    problems.raise();
    if (!prepared)
        throw core::PreconditionError("quantity::compute", "kind", request.kind, "a kind that reports why it refuses");
    return prepared;
}

}  // namespace

core::Result compute(const Request& request, const scheme::Registry& schemes, const Known& known) {
    const std::unique_ptr<Prepared> prepared = prepare_request(kind_named(request.kind), request, schemes, known);
    Inputs inputs;
    inputs.interrupted = request.interrupted;
    inputs.result = [&known](std::string_view name) -> const core::Result& {
        const auto found = known.find(name);
        if (found == known.end())
            throw core::PreconditionError("quantity::compute", "known", name, "a result of that name");
        return *found->second;
    };
    const auto start = std::chrono::steady_clock::now();
    core::Result result = prepared->run(inputs);
    if (result.seconds == 0)
        result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.name = request.kind;
    result.kind = request.kind;
    return result;
}

void check_work(const formula::Node& tree, double points) {
    const double work = points * (1 + operations(tree));
    if (work <= most_operations) return;
    throw core::UserError({core::Diagnostic{{},
                                            fmt::format("the formula would take about {:.1e} operations", work),
                                            fmt::format("at most {:.0e}, a day's work", most_operations),
                                            {}}});
}

}  // namespace farfield::quantity
