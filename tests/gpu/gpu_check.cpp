// What only a device can show: the gpu suite on the first CUDA device. Status 0 if all checks hold, 1 if one does not,
// 77 where there is no device.
#include <chrono>

#include <farfield/core/error.hpp>

#include "gpu/suite.hpp"
#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::tests;

namespace {

/// How long a formula's first evaluation takes, compiled, and then from the cache by another program.
void tell_first_use(const evaluate::DeviceOptions& options) {
    const formula::Program program =
        formula::compile(formula::parse("-2^(-8*h/H)*n + log(1 + n)"), {{"h", "H"}, {"n"}, {}});
    const evaluate::Inputs inputs{{3, 8}, {evaluate::Range{0, 1, 4096}}, {}, 4096};
    std::vector<double> values(4096);
    for (const char* what : {"first use of a formula", "first use with its kernel in the cache"}) {
        const auto device = evaluate::open_cuda(options);
        const auto start = std::chrono::steady_clock::now();
        into(*device, program, inputs, {}, values);
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        std::printf("      %s: %.1f ms\n", what, time.count());
    }
}

}  // namespace

int main() {
    const Folder cache;
    evaluate::DeviceOptions options;
    options.cache = cache.path();
    options.fewest_points = 1;
    options.report = [](const std::string& text) { std::printf("%s\n", text.c_str()); };
    std::unique_ptr<evaluate::Device> device;
    try {
        device = evaluate::open_cuda(options);
    } catch (const core::MissingError& error) {
        std::printf("skipped, no device: %s\n", error.what());
        return 77;
    }
    std::printf("%s\n", device->name().c_str());
    Checks checks;
    Suite suite(*device, checks);
    suite.run();
    tell_first_use(options);
    std::printf("%zu passed, %zu failed\n", checks.good, checks.bad);
    return checks.bad == 0 && checks.good > 0 ? 0 : 1;
}
