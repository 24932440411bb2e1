// Functions of doubles that no library has. They are compiled once, and every kernel calls this code, which devices use
// too.
#pragma once

namespace farfield::evaluate {

double sine_integral(double x);
double binomial(double n, double k);

}  // namespace farfield::evaluate
