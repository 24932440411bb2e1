// How far off are the functions that verdicts rest on? Each row of numerics/fast/trusted.hpp is measured against MPFR
// on its trusted range, and so is each function of the evaluator's kernels in double precision.
//
//     accuracy [SECONDS]     about as many seconds a function, 0.1 by default; prints a table in Markdown
//
// Exits with 1 if a function errs by more than is stated. Arguments: of all binades, uniform ones, neighbours of
// powers of two, of multiples of pi/2 and ln(2)/2 and of 1, the hardest cases known, the ends of the range; and then
// neighbours and scaled copies of the worst found so far, again and again.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/numerics/multiprecision.hpp>

#include "evaluate/blocks.hpp"
#include "evaluate/kernel/kernel.hpp"
#include "numerics/fast/trusted.hpp"
#include "numerics/mpfr_value.hpp"

namespace {

using namespace farfield;
using numerics::Multiprecision;

constexpr long reference_bits = 160;
constexpr std::size_t batch = 512;

using Exact = Multiprecision (*)(const Multiprecision&, const Multiprecision&);
using Measured = std::function<void(std::span<const double> x, std::span<const double> y, std::span<double> out)>;

struct Range {
    double low, high;
    double least = 0;  ///< in size
    bool holds(double x) const { return x >= low && x <= high && (std::fabs(x) >= least || x == 0); }
};

/// A function to measure: of one number where `y` is {0, 0}.
struct Subject {
    std::string name;
    std::string by;
    double stated;  ///< units in the last place
    Range x, y;
    Exact exact;
    Measured measured;
    double least_result = 0x1p-1022;  ///< results of a smaller size are not judged, nor larger ones than most_result
    double most_result = 0x1.fffffffffffffp1023;
};

struct Worst {
    double error = 0;
    double x = 0, y = 0;
};

struct Found {
    Worst worst;
    std::size_t count = 0;
};

using Random = std::mt19937_64;

double random_mantissa(Random& random) {
    // One time in four few bits are set.
    const std::uint64_t bits = random() >> 12;
    const std::uint64_t few = ~std::uint64_t{0} << (random() % 52);
    return 1 + static_cast<double>(random() % 4 == 0 ? bits & few : bits) * 0x1p-52;
}

double of_any_binade(const Range& range, Random& random) {
    const double most = std::max(std::fabs(range.low), std::fabs(range.high));
    const int lowest = range.least > 0 ? std::ilogb(range.least) : -1022;
    const int exponent = lowest + static_cast<int>(random() % static_cast<unsigned>(std::ilogb(most) - lowest + 1));
    const double size = std::ldexp(random_mantissa(random), exponent);
    return random() % 2 == 0 ? size : -size;
}

double moved(double x, Random& random) {
    const int steps = static_cast<int>(random() % 9) - 4;
    for (int i = 0; i < std::abs(steps); ++i) x = std::nextafter(x, steps > 0 ? HUGE_VAL : -HUGE_VAL);
    return x;
}

/// Near a multiple of pi/2, whose count is any up to the range's end.
double near_quarter_turns(const Range& range, Random& random) {
    const double most = std::min(0x1p52, std::fabs(range.high));
    const double count = std::floor(std::exp2(std::uniform_real_distribution<double>(0, std::log2(most))(random)));
    const Multiprecision angle = Multiprecision::pi(60) * Multiprecision(count, 60) / Multiprecision(2, 60);
    return angle.to_double();
}

/// Doubles next to which a multiple of pi/2 lies as near as to no other of their binade (Lefevre and Muller).
constexpr double hardest_angles[] = {0x1.6ac5b262ca1ffp849 /* 6381956970095103 2^797 */,
                                     0x1.921fb54442d18p0,
                                     0x1.921fb54442d18p1,
                                     0x1.3be5f2b4d9a6dp22,
                                     0x1.d12ed0af1a27fp30,
                                     0x1.6c6cbc45dc8dep5,
                                     0x1.ac50ae7b5a6efp44};

double argument(const Range& range, Random& random) {
    switch (random() % 8) {
        case 0: return std::uniform_real_distribution<double>(range.low / 2, range.high / 2)(random) * 2;
        case 1: return of_any_binade(range, random);
        case 2: return std::uniform_real_distribution<double>(-4, 4)(random);
        case 3: return moved(std::ldexp(random() % 2 == 0 ? 1 : -1, static_cast<int>(random() % 80) - 40), random);
        case 4: return moved(near_quarter_turns(range, random), random);
        case 5:
            return moved(static_cast<double>(static_cast<int>(random() % 2000) - 1000) * 0.34657359027997264, random);
        case 6:
            return 1 + std::ldexp(random_mantissa(random), -1 - static_cast<int>(random() % 53)) *
                           (random() % 2 == 0 ? 1 : -1);
        default:
            return random() % 2 == 0 ? moved(random() % 2 == 0 ? range.low : range.high, random)
                                     : hardest_angles[random() % std::size(hardest_angles)];
    }
}

/// Not far from an argument that is bad already.
double beside(double x, Random& random) {
    switch (random() % 3) {
        case 0: return moved(x, random);
        case 1: return x * (1 + std::ldexp(random_mantissa(random) - 1.5, -static_cast<int>(random() % 50)));
        default:
            return x + std::ldexp(random_mantissa(random) - 1.5,
                                  std::ilogb(x == 0 ? 1 : x) - static_cast<int>(random() % 30));
    }
}

/// |found - exact| in units of the last place that the larger of both has.
double error_of(double found, const Multiprecision& exact) {
    if (exact.is_nan()) return std::isnan(found) ? 0 : HUGE_VAL;
    if (std::isnan(found)) return HUGE_VAL;
    const double near = exact.to_double();
    if (std::isinf(near) || near == 0 || std::isinf(found)) return found == near ? 0 : HUGE_VAL;
    const long exponent = std::max<long>({mpfr_get_exp(numerics::raw(exact)), std::ilogb(found) + 1, -1021});
    const Multiprecision unit = Multiprecision::with_bits(std::ldexp(1.0, static_cast<int>(exponent) - 53), 64);
    return numerics::abs((Multiprecision::with_bits(found, reference_bits) - exact) / unit).to_double();
}

class Measurement {
public:
    explicit Measurement(const Subject& subject) : subject_(subject) {}

    Found run(double seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        do measure_batch();
        while (std::chrono::steady_clock::now() < end);
        return found_;
    }

private:
    double draw(const Range& range, double worst) {
        for (;;) {
            const double x = found_.count > 0 && random_() % 4 == 0 ? beside(worst, random_) : argument(range, random_);
            if (range.holds(x)) return x;
        }
    }

    void measure_batch() {
        std::vector<double> x(batch);
        std::vector<double> y(batch, 0.0);
        std::vector<double> out(batch);
        const bool is_of_two = subject_.y.high > 0;
        for (std::size_t i = 0; i < batch; ++i) {
            x[i] = draw(subject_.x, found_.worst.x);
            if (is_of_two) y[i] = draw(subject_.y, found_.worst.y);
            if (is_of_two && random_() % 2 == 0) y[i] = usual_exponent(x[i], y[i]);
        }
        subject_.measured(x, y, out);
        for (std::size_t i = 0; i < batch; ++i) judge(x[i], y[i], out[i]);
    }

    /// One for which a power is a usual number more often than not.
    double usual_exponent(double x, double y) {
        const double size = std::fabs(std::log2(std::fabs(x)));
        const double usual = std::uniform_real_distribution<double>(-1020, 1020)(random_) / size;
        return std::isfinite(usual) && subject_.y.holds(usual) ? usual : y;
    }

    void judge(double x, double y, double found) {
        if (std::fabs(found) < subject_.least_result || std::fabs(found) > subject_.most_result) return;
        ++found_.count;
        const Multiprecision exact =
            subject_.exact(Multiprecision::with_bits(x, reference_bits), Multiprecision::with_bits(y, reference_bits));
        const double error = error_of(found, exact);
        if (!(error <= found_.worst.error)) found_.worst = {error, x, y};
    }

    const Subject& subject_;
    Random random_{20261122};
    Found found_;
};

template <Multiprecision (*function)(const Multiprecision&)>
Multiprecision of_one(const Multiprecision& x, const Multiprecision&) {
    return function(x);
}

Exact exact_named(const std::string& name) {
    struct Row {
        const char* name;
        Exact exact;
    };
    static const Row rows[] = {{"exp", of_one<numerics::exp>},
                               {"expm1", of_one<numerics::expm1>},
                               {"log", of_one<numerics::log>},
                               {"log1p", of_one<numerics::log1p>},
                               {"log2", of_one<numerics::log2>},
                               {"sin", of_one<numerics::sin>},
                               {"cos", of_one<numerics::cos>},
                               {"tan", of_one<numerics::tan>},
                               {"tanh", of_one<numerics::tanh>},
                               {"erf", of_one<numerics::erf>},
                               {"softplus", of_one<numerics::softplus>},
                               {"sigmoid", of_one<numerics::sigmoid>},
                               {"Si", of_one<numerics::sine_integral>},
                               {"sqrt", of_one<numerics::sqrt>},
                               {"atan2", [](const Multiprecision& y, const Multiprecision& x) { return atan2(y, x); }},
                               {"pow", [](const Multiprecision& x, const Multiprecision& y) { return pow(x, y); }}};
    for (const Row& row : rows)
        if (name == row.name) return row.exact;
    std::fprintf(stderr, "no reference for %s\n", name.c_str());
    std::exit(2);
}

void of_pairs(auto function, std::span<const double> x, std::span<const double> y, std::span<double> out) {
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) {
        const numerics::fast::Pair found =
            function(numerics::fast::Pair{x[i], x[i + 1]}, numerics::fast::Pair{y[i], y[i + 1]});
        out[i] = found[0];
        out[i + 1] = found[1];
    }
}

std::vector<Subject> trusted_subjects() {
    namespace fast = numerics::fast;
    std::vector<Subject> subjects;
    const double stated = 1.0;  // by the u10 in the name
    for (const fast::TrustedFunction& row : fast::trusted_functions) {
        const std::string name(row.name);
        subjects.push_back({name,
                            "SLEEF",
                            stated,
                            {row.low, row.high, fast::least_size},
                            {0, 0},
                            exact_named(name),
                            [&row](auto x, auto y, auto out) {
                                of_pairs([&row](auto v, auto) { return row.library(v); }, x, y, out);
                            }});
    }
    for (const fast::TrustedFunctionOfTwo& row : fast::trusted_functions_of_two) {
        const std::string name(row.name);
        // Powers are asked of positive numbers alone.
        const double first = name == "pow" ? row.first_least : -row.first_most;
        subjects.push_back({name,
                            "SLEEF",
                            stated,
                            {first, row.first_most, row.first_least},
                            {-row.second_most, row.second_most, row.second_least},
                            exact_named(name),
                            [&row](auto x, auto y, auto out) { of_pairs(row.library, x, y, out); },
                            fast::least_size,
                            fast::most_size});
    }
    return subjects;
}

/// A formula of x and y on one kernel, where its results are normal numbers.
Subject kernel_subject(const std::string& name, const evaluate::Kernel<double>& kernel, double stated, Range x,
                       Range y = {0, 0}) {
    const bool is_of_two = y.high > 0;
    const std::string text = name == "pow" ? "x^y" : name + (is_of_two ? "(x, y)" : "(x)");
    const formula::Program program = formula::compile(
        formula::parse(text), {{}, is_of_two ? std::vector<std::string>{"x", "y"} : std::vector<std::string>{"x"}, {}});
    return {name,
            kernel.name,
            stated,
            x,
            y,
            exact_named(name),
            [program, &kernel, is_of_two](std::span<const double> a, std::span<const double> b, std::span<double> out) {
                evaluate::Inputs inputs{{}, {a}, {}, a.size()};
                if (is_of_two) inputs.varying.emplace_back(b);
                evaluate::evaluate_blocks(program, inputs, kernel, out);
            }};
}

std::vector<Subject> kernel_subjects() {
    // Stated in docs/accuracy.md: 2 units for functions, 4 for the two that are composed of them.
    constexpr double most = 0x1p1020;
    std::vector<Subject> subjects;
    for (const evaluate::Kernel<double>* kernel : evaluate::kernels<double>()) {
        const auto add = [&](const char* name, double stated, Range x, Range y = {0, 0}) {
            subjects.push_back(kernel_subject(name, *kernel, stated, x, y));
        };
        add("exp", 2, {-708, 709});
        add("expm1", 2, {-700, 709});
        add("log", 2, {0x1p-1022, most});
        add("log1p", 2, {-1 + 0x1p-53, most});
        add("log2", 2, {0x1p-1022, most});
        for (const char* name : {"sin", "cos", "tan"}) add(name, 2, {-0x1p46, 0x1p46});
        add("tanh", 2, {-most, most});
        add("erf", 2, {-most, most});
        add("Si", 2, {-0x1p46, 0x1p46});
        add("sqrt", 1, {0, most});
        add("softplus", 4, {-690, most});
        add("sigmoid", 4, {-690, most});
        add("atan2", 2, {-0x1p500, 0x1p500, 0x1p-500}, {-0x1p500, 0x1p500, 0x1p-500});
        add("pow", 2, {0x1p-1000, 0x1p1000, 0x1p-1000}, {-0x1p60, 0x1p60, 0x1p-60});
    }
    return subjects;
}

bool report(const std::vector<Subject>& subjects, double seconds) {
    bool is_good = true;
    for (const Subject& subject : subjects) {
        const Found found = Measurement(subject).run(seconds);
        const bool holds = found.worst.error <= subject.stated && found.count > 0;
        const std::string second = subject.y.high > 0 ? ", " + Multiprecision(found.worst.y, 17).to_string(17) : "";
        std::printf("| %s | %s | %g | %.4f | `%a%s` | %zu |%s\n", subject.name.c_str(), subject.by.c_str(),
                    subject.stated, found.worst.error, found.worst.x, second.c_str(), found.count,
                    holds ? "" : " **more than stated**");
        std::fflush(stdout);
        is_good = is_good && holds;
    }
    return is_good;
}

}  // namespace

int main(int count, char** arguments) {
    const double seconds = count > 1 ? std::atof(arguments[1]) : 0.1;
    std::printf("| function | by | stated (ulp) | largest error found (ulp) | at | arguments |\n");
    std::printf("| --- | --- | --- | --- | --- | --- |\n");
    const bool trusted = report(trusted_subjects(), seconds);
    const bool kernels = report(kernel_subjects(), seconds);
    return trusted && kernels ? 0 : 1;
}
