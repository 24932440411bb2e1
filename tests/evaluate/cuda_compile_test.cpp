// Generated kernels through NVRTC to machine code, without a device. Skipped with a word where no NVRTC is installed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/registry.hpp>

#include "evaluate/cuda/cuda_driver.hpp"
#include "support/random_formula.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

bool is_long_run() {
    return std::getenv("FARFIELD_LONG") != nullptr;
}

struct Sample {
    std::string name;
    formula::Node tree;
};

/// Every formula of the built-in schemes.
std::vector<Sample> catalogue() {
    std::vector<Sample> samples;
    const scheme::Registry& schemes = scheme::Registry::builtin();
    for (const std::string& name : schemes.names()) {
        for (const scheme::NamedFormula& each : scheme::formulas_of(*schemes.find(name)))
            samples.push_back({name + "." + each.name, each.formula});
    }
    return samples;
}

std::vector<Sample> random_samples(std::size_t count) {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    RandomFormula random(20261121, options);
    std::vector<Sample> samples;
    for (std::size_t at = 0; at < count; ++at)
        samples.push_back({"random " + std::to_string(at), at % 5 == 4 ? random.boolean() : random.real()});
    return samples;
}

evaluate::cuda::Source source_of(const Sample& sample, const std::string& system, const std::string& kernel) {
    formula::Signature signature;
    signature.tables = formula::indexed_names(sample.tree);
    for (const std::string& name : formula::free_names(sample.tree)) {
        const bool is_table =
            std::find(signature.tables.begin(), signature.tables.end(), name) != signature.tables.end();
        if (is_table || name == "pi" || name == "e" || name == "inf") continue;
        (name.size() == 1 && std::islower(name[0]) && name != "h" && name != "d" ? signature.varying
                                                                                 : signature.uniform)
            .push_back(name);
    }
    evaluate::cuda::SourceOptions options{kernel, "", {}, true};
    options.is_array.assign(signature.varying.size(), false);
    return evaluate::cuda::source(formula::compile(sample.tree, signature), evaluate::read_number_system(system),
                                  options);
}

/// Kernels the compiler spilled registers of; all of them if it did not say.
std::size_t count_spills(const std::string& log) {
    static const std::regex spills("([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
    std::size_t kernels = 0;
    std::size_t spilled = 0;
    for (std::sregex_iterator at(log.begin(), log.end(), spills), end; at != end; ++at, ++kernels)
        spilled += (*at)[1] != "0" || (*at)[2] != "0" ? 1 : 0;
    return kernels == 0 ? 1 : spilled;
}

void check_compiles(const std::vector<Sample>& samples, const std::vector<std::string>& systems, int capability) {
    const auto compiler = evaluate::cuda::open_compiler(capability);
    if (!compiler) {
        WARN("skipped: no NVRTC (libnvrtc.so of the CUDA toolkit) is installed");
        return;
    }
    // Some at once: the compiler reads the language's text anew for each program.
    constexpr std::size_t at_once = 20;
    for (const std::string& system : systems) {
        for (std::size_t first = 0; first < samples.size(); first += at_once) {
            std::string text = evaluate::cuda::source_prologue();
            for (std::size_t at = first; at < std::min(samples.size(), first + at_once); ++at)
                text += source_of(samples[at], system, "kernel_" + std::to_string(at)).text;
            INFO("sm_" << capability << " in " << system << " from " << samples[first].name);
            const std::string image = compiler->compile(text);
            CHECK(image.substr(1, 3) == "ELF");
            INFO(compiler->log());
            CHECK(count_spills(compiler->log()) == 0);
        }
    }
}

}  // namespace

TEST_CASE("every catalogue formula compiles to machine code without a spilled register") {
    const std::vector<Sample> samples = catalogue();
    REQUIRE(samples.size() > 20);
    const std::vector<std::string> all = {"double", "float", "fp16", "bf16", "e4m3", "e5m2"};
    for (const int capability : {80, 90, 100}) {
        if (capability == 90 || is_long_run())
            check_compiles(samples, is_long_run() ? all : std::vector<std::string>{"double"}, capability);
    }
}

TEST_CASE("random formulas compile to machine code without a spilled register") {
    if (!is_long_run()) return check_compiles(random_samples(10), {"bf16"}, 90);
    for (const int capability : {80, 90, 100}) check_compiles(random_samples(200), {"double", "bf16"}, capability);
}

TEST_CASE(
    "a device newer than the compiler gets text that its driver compiles, and errors carry the compiler's words") {
    const auto compiler = evaluate::cuda::open_compiler(990);
    if (!compiler) return;
    CHECK(compiler->identity().find("compute_") != std::string::npos);
    const std::string text = compiler->compile("extern \"C\" __global__ void formula() {}");
    CHECK(text.find(".target sm_") != std::string::npos);
    CHECK_THROWS_WITH(compiler->compile("extern \"C\" __global__ void formula() { wrong }"),
                      Catch::Contains("\"wrong\" is undefined"));
}
