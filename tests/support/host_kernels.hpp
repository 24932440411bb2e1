// CUDA kernels without a device: the host's compiler takes their text behind a few definitions, and each is called for
// every thread of a grid, one after the other.
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "support/folder.hpp"

namespace farfield::tests {

/// What a kernel's text needs of CUDA.
inline constexpr const char* cuda_on_host_prologue = R"(
#define __global__ static
struct Extent { unsigned x; };
static Extent blockIdx, blockDim, gridDim, threadIdx;
template <class... Parameters, std::size_t... at>
static void call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<at...>) {
    kernel(*static_cast<std::remove_const_t<Parameters>*>(arguments[at])...);
}
template <class... Parameters>
static void run_grid(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, void** arguments) {
    gridDim.x = blocks;
    blockDim.x = threads;
    for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
            call(kernel, arguments, std::index_sequence_for<Parameters...>());
}
)";

/// The text that makes a kernel callable: `void run_NAME(unsigned blocks, unsigned threads, void** arguments)`.
inline std::string entry_of(const std::string& kernel) {
    return "extern \"C\" void run_" + kernel + "(unsigned blocks, unsigned threads, void** arguments) { run_grid(&" +
           kernel + ", blocks, threads, arguments); }\n";
}

/// Compiles kernels (what they include first, then cuda_on_host_prologue, then they) into kernels.so of the folder.
inline void compile_for_host(std::string text, const Folder& folder) {
    // A kernel need not be a symbol here, and static beside extern "C" is none of C++.
    const std::string head = "extern \"C\" __global__";
    for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at))
        text.replace(at, 10, std::string(10, ' '));
    folder.write("kernels.cpp", "#include <type_traits>\n#include <utility>\n" + text);
    const std::string command = std::string(FARFIELD_COMPILER) +
                                " -std=c++20 -O0 -ffp-contract=off -w -shared -fPIC -I '" FARFIELD_SOURCE
                                "/include' -o '" +
                                folder.path("kernels.so") + "' '" + folder.path("kernels.cpp") + "'";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("this does not compile:\n" + text);
}

}  // namespace farfield::tests
