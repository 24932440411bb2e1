// Functions of doubles that no library has, compiled once: every kernel calls the same code, the device's.
#pragma once

namespace farfield::evaluate {

double sine_integral(double x);
double binomial(double n, double k);

}  // namespace farfield::evaluate
