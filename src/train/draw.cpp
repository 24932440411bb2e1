#include "train/draw.hpp"

namespace farfield::train {

std::vector<double> draw_dirichlet(std::size_t symbols, double alpha, numerics::Random& random) {
    std::vector<double> probabilities(symbols);
    double sum = 0;
    for (double& each : probabilities) sum += each = random.gamma(alpha);
    if (!(sum > 0)) {
        probabilities.assign(symbols, 0);
        probabilities[random.below(symbols)] = 1;
        return probabilities;
    }
    for (double& each : probabilities) each /= sum;
    return probabilities;
}

Token draw_from(std::span<const double> probabilities, numerics::Random& random) {
    double left = random.uniform();
    Token symbol = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        // The remainder due to rounding goes to the last symbol with a positive probability.
        if (probabilities[i] > 0) symbol = static_cast<Token>(i);
        left -= probabilities[i];
        if (left < 0) break;
    }
    return symbol;
}

}  // namespace farfield::train
