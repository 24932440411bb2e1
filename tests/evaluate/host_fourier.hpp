// Fourier transforms for the processors' machine, by Eigen: where tests need cuFFT's place taken.
#pragma once

#include <complex>
#include <vector>

#include <unsupported/Eigen/FFT>

#include "evaluate/machine/operations.hpp"

namespace farfield::tests {

class HostFourier : public evaluate::Fourier {
public:
    void forward(const double* row, std::size_t length, double* spectrum) override {
        transform().fwd(reinterpret_cast<std::complex<double>*>(spectrum), row, static_cast<Eigen::Index>(length));
    }
    void back(double* spectrum, std::size_t length, double* row) override {
        transform().inv(row, reinterpret_cast<const std::complex<double>*>(spectrum),
                        static_cast<Eigen::Index>(length));
    }

private:
    static Eigen::FFT<double> transform() {
        Eigen::FFT<double> made;
        made.SetFlag(Eigen::FFT<double>::Unscaled);
        made.SetFlag(Eigen::FFT<double>::HalfSpectrum);
        return made;
    }
};

}  // namespace farfield::tests
