// Whatever a file holds, reading it gives schemes or problems with places, and never more than that.
#include <cstddef>
#include <cstdint>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>

using namespace farfield;

namespace {

void put_in_context(const scheme::Scheme& scheme) {
    const scheme::Context context{.head = 2, .heads = 8, .length = 128, .train_length = 64};
    scheme::depends_on_distance_only(scheme::bias_formula(scheme, context));
    scheme::mask_formula(scheme, context);
    scheme::angle_formula(scheme, context);
    scheme::scale_formula(scheme, context);
    if (scheme.temperature) scheme::in_context(scheme, *scheme.temperature, context, "1");
    if (scheme.embed && scheme.embed->even) scheme::in_context(scheme, *scheme.embed->even, context, "0");
}

void read_schemes(const core::Entries& schemes) {
    scheme::Registry registry = scheme::Registry::builtin();
    core::Problems problems;
    registry.add(schemes, problems);
    problems.raise();
    for (const core::Entry& entry : schemes.list) {
        if (const scheme::Scheme* scheme = registry.find(entry.key)) put_in_context(*scheme);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const core::Entries entries = scheme::read_toml(std::string(data, data + size), "fuzz.toml");
        const core::Entry* schemes = entries.find("scheme");
        if (schemes && schemes->value.entries()) read_schemes(*schemes->value.entries());
    } catch (const core::UserError& error) {
        core::format(error.diagnostics());
    }
    return 0;
}
