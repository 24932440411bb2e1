// Generated kernels through NVRTC to machine code, without a device. Skipped with a word where no NVRTC is installed.
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/registry.hpp>

#include "bench/cuda/ground.hpp"
#include "evaluate/cuda/cuda_driver.hpp"
#include "support/random_formula.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

/// NVIDIA's compiler takes nearly all of the time, and no sanitizer sees into it.
const std::vector<int> capabilities = is_sanitized ? std::vector<int>{90} : std::vector<int>{80, 90, 100};
const std::vector<std::string> all_systems = {"double", "float", "fp16", "bf16", "e4m3", "e5m2"};

struct Sample {
    std::string name;
    formula::Node tree;
};

/// Every formula of the built-in schemes, each text once.
std::vector<Sample> catalogue() {
    std::vector<Sample> samples;
    std::set<std::string> texts;
    const scheme::Registry& schemes = scheme::Registry::builtin();
    for (const std::string& name : schemes.names()) {
        for (const scheme::NamedFormula& each : scheme::formulas_of(*schemes.find(name)))
            if (texts.insert(formula::print(each.formula)).second)
                samples.push_back({name + "." + each.name, each.formula});
    }
    return samples;
}

std::vector<Sample> random_samples(int count) {
    RandomOptions options;
    options.nodes = 40;
    options.reductions = true;
    RandomFormula random(20261121, options);
    std::vector<Sample> samples;
    for (int at = 0; at < count; ++at)
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

/// Bytes that the compiler spilled, by the name of each function that it speaks of.
std::map<std::string, std::string> spills_of(const std::string& log) {
    static const std::string before_name = "Function properties for ";
    std::map<std::string, std::string> spills;
    std::istringstream lines(log);
    std::string function;
    for (std::string line; std::getline(lines, line);) {
        if (const std::size_t at = line.find(before_name); at != std::string::npos)
            function = line.substr(at + before_name.size());
        if (line.find("bytes spill stores") != std::string::npos) spills[function] = line;
    }
    return spills;
}

/// Some formulas in one number system and for one architecture: a program for the compiler.
struct Job {
    int capability;
    std::string system;
    std::vector<Sample> samples;
};

/// The compiler reads the language's text anew for each program; more at once would leave threads idle at the end.
void add_jobs(const std::vector<Sample>& samples, const std::string& system, std::vector<Job>& jobs) {
    constexpr std::size_t at_once = 10;
    for (const int capability : capabilities) {
        for (std::size_t first = 0; first < samples.size(); first += at_once) {
            const std::size_t last = std::min(samples.size(), first + at_once);
            jobs.push_back({capability, system, {samples.begin() + first, samples.begin() + last}});
        }
    }
}

/// What is wrong with a job's machine code, a line for each of its formulas that is not a machine code or spills.
std::string faults_of(const Job& job, evaluate::cuda::Compiler& compiler) {
    std::string text = evaluate::cuda::source_prologue();
    for (std::size_t at = 0; at < job.samples.size(); ++at)
        text += source_of(job.samples[at], job.system, "kernel_" + std::to_string(at)).text;
    const std::string where = " in " + job.system + " for sm_" + std::to_string(job.capability);
    std::string image;
    try {
        image = compiler.compile(text);
    } catch (const evaluate::MachineError& error) {
        return job.samples.front().name + " and those after it" + where + ": " + error.what() + "\n";
    }
    if (image.substr(1, 3) != "ELF") return job.samples.front().name + where + ": no machine code\n";
    std::string faults;
    std::map<std::string, std::string> spills = spills_of(compiler.log());
    for (std::size_t at = 0; at < job.samples.size(); ++at) {
        if (spills.count("kernel_" + std::to_string(at)) == 0)
            faults += job.samples[at].name + where + ": the compiler did not say what it spilled\n";
    }
    for (const auto& [function, line] : spills)
        if (line.find(" 0 bytes spill stores, 0 bytes spill loads") == std::string::npos)
            faults += job.samples.front().name + " and those after it, " + function + where + ": " + line + "\n";
    return faults;
}

/// The faults of all jobs, by as many threads as there are processors. Nothing where there is no compiler.
std::optional<std::string> faults_of(const std::vector<Job>& jobs) {
    std::vector<std::string> faults(jobs.size());
    std::atomic<std::size_t> next{0};
    std::atomic<bool> is_absent{false};
    const auto work = [&] {
        std::map<int, std::unique_ptr<evaluate::cuda::Compiler>> compilers;
        for (const int capability : capabilities) compilers[capability] = evaluate::cuda::open_compiler(capability);
        if (!compilers.begin()->second) {
            is_absent = true;
            return;
        }
        for (std::size_t at = next++; at < jobs.size(); at = next++)
            faults[at] = faults_of(jobs[at], *compilers.at(jobs[at].capability));
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    if (is_absent) return std::nullopt;
    std::string all;
    for (const std::string& each : faults) all += each;
    return all;
}

void check_compiles(const std::vector<Job>& jobs) {
    const std::optional<std::string> faults = faults_of(jobs);
    if (!faults)
        WARN("skipped: no NVRTC (libnvrtc.so of the CUDA toolkit) is installed");
    else
        CHECK(*faults == "");
}

/// Each formula in one number system; in every one where there is time.
std::vector<Job> jobs_of(const std::vector<Sample>& samples) {
    std::vector<Job> jobs;
    for (std::size_t at = 0; at < all_systems.size(); ++at) {
        std::vector<Sample> some;
        for (std::size_t i = 0; i < samples.size(); ++i)
            if (is_long_run() || i % all_systems.size() == at) some.push_back(samples[i]);
        add_jobs(some, all_systems[at], jobs);
    }
    return jobs;
}

}  // namespace

TEST_CASE("every catalogue formula compiles to machine code without a spilled register") {
    const std::vector<Sample> samples = catalogue();
    REQUIRE(samples.size() > 20);
    check_compiles(jobs_of(samples));
}

TEST_CASE("random formulas compile to machine code without a spilled register") {
    check_compiles(jobs_of(random_samples(is_long_run() ? 200 : trials(20))));
}

TEST_CASE("the kernels that benchmarks measure a device's floors with compile") {
    const auto compiler = evaluate::cuda::open_compiler(90);
    if (!compiler) return;
    CHECK_NOTHROW(compiler->compile(bench::floor_source()));
    for (const char* expression : {"exp(x)", "cos(x)", "sqrt(x)", "log1p(x)", "sin(x)", "tanh(x)", "x/7"})
        CHECK_NOTHROW(compiler->compile(bench::rate_source(expression)));
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
