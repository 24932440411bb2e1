// cuFFT, opened at run time.
#include <cufft.h>

#include <limits>
#include <type_traits>

#include "evaluate/cuda/operations.hpp"
#include "evaluate/cuda/shared_library.hpp"

namespace farfield::evaluate::cuda {

namespace {

struct Functions {
    decltype(&::cufftPlan1d) plan = nullptr;
    decltype(&::cufftExecD2Z) forward = nullptr;
    decltype(&::cufftExecZ2D) back = nullptr;
    decltype(&::cufftDestroy) destroy = nullptr;

    bool bind(const SharedLibrary& library) {
        const auto one = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::decay_t<decltype(function)>>(library.find(name));
            return function != nullptr;
        };
        return one(plan, "cufftPlan1d") && one(forward, "cufftExecD2Z") && one(back, "cufftExecZ2D") &&
               one(destroy, "cufftDestroy");
    }
};

void check(cufftResult status, const char* call) {
    if (status == CUFFT_SUCCESS) return;
    const bool is_memory = status == CUFFT_ALLOC_FAILED;
    throw MachineError(is_memory ? MachineError::Kind::memory : MachineError::Kind::other, call,
                       is_memory ? "too little memory" : "error " + std::to_string(static_cast<int>(status)));
}

/// A plan that is destroyed after its use.
class Plan {
public:
    Plan(const Functions& cufft, std::size_t length, cufftType type) : cufft_(cufft) {
        if (length > static_cast<std::size_t>(std::numeric_limits<int>::max()))
            throw MachineError(MachineError::Kind::other, "cufftPlan1d", "a row of over 2^31 numbers");
        check(cufft_.plan(&plan_, static_cast<int>(length), type, 1), "cufftPlan1d");
    }
    ~Plan() { cufft_.destroy(plan_); }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    cufftHandle handle() const { return plan_; }

private:
    const Functions& cufft_;
    cufftHandle plan_ = 0;
};

class Cufft : public Fourier {
public:
    explicit Cufft(const Functions& functions) : cufft_(functions) {}

    void forward(const double* row, std::size_t length, double* spectrum) override {
        const Plan plan(cufft_, length, CUFFT_D2Z);
        // The transform is out of place, so it does not change the row.
        check(cufft_.forward(plan.handle(), const_cast<double*>(row), reinterpret_cast<cufftDoubleComplex*>(spectrum)),
              "cufftExecD2Z");
    }
    void back(double* spectrum, std::size_t length, double* row) override {
        const Plan plan(cufft_, length, CUFFT_Z2D);
        check(cufft_.back(plan.handle(), reinterpret_cast<cufftDoubleComplex*>(spectrum), row), "cufftExecZ2D");
    }

private:
    Functions cufft_;
};

}  // namespace

std::unique_ptr<Fourier> open_fourier() {
    const SharedLibrary library(in_toolkits({"libcufft.so", "libcufft.so.12", "libcufft.so.11"}));
    Functions functions;
    if (!library.is_open() || !functions.bind(library)) return nullptr;
    return std::make_unique<Cufft>(functions);
}

}  // namespace farfield::evaluate::cuda
