// The gpu suite over a device whose driver, kernels and operations are the host's: all of it but CUDA's own functions
// and the hardware. Kernels are interpreted; with FARFIELD_LONG the host's compiler makes them. Status 0 if all checks
// hold.
#include "evaluate/host_device.hpp"
#include "gpu/suite.hpp"
#include "support/trials.hpp"

using namespace farfield;
using namespace farfield::tests;

int main() {
    Machine machine;
    machine.memory = std::size_t{1} << 40;
    const bool is_long = farfield::tests::is_long_run();
    const auto device = is_long ? device_of(machine, {}, 1) : interpreting_device(machine, 1);
    Checks checks;
    Suite(*device, checks).run();
    for (const std::string& report : machine.reports) std::printf("%s\n", report.c_str());
    std::printf("%zu passed, %zu failed\n", checks.good, checks.bad);
    return checks.bad == 0 && checks.good > 0 && machine.reports.empty() ? 0 : 1;
}
