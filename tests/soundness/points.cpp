// The points at which a question is asked again: where formulas turn, jump or have no value, and others.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "soundness/oracle.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;

Rational exact(const std::string& text) {
    return *recheck::read_rational(text);
}

/// Numbers written in a formula.
std::vector<Rational> numbers_in(const std::string& text) {
    std::vector<Rational> numbers;
    for (std::size_t i = 0; i < text.size();) {
        const bool starts = std::isdigit(static_cast<unsigned char>(text[i])) != 0 &&
                            (i == 0 || (std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0));
        std::size_t last = i + 1;
        if (starts) {
            while (last < text.size() &&
                   (std::isdigit(static_cast<unsigned char>(text[last])) != 0 || text[last] == '.' ||
                    text[last] == 'e' || (text[last] == '-' && text[last - 1] == 'e')))
                ++last;
            if (const auto number = recheck::read_rational(text.substr(i, last - i))) numbers.push_back(*number);
        }
        i = last;
    }
    return numbers;
}

std::vector<Rational> grid_values(const Side& side) {
    std::vector<Rational> values;
    const Rational to = exact(side.to);
    for (Rational value = exact(side.from); !(to < value); value = value + exact(side.step)) values.push_back(value);
    return values;
}

std::vector<Rational> stretch_values(const Side& side, const std::string& formulas, Random& random) {
    const Rational lo = exact(side.from);
    const Rational hi = exact(side.to);
    std::vector<Rational> wanted = {lo, hi, (lo + hi) / Rational(2)};
    std::vector<Rational> special = {Rational(0), Rational(1), Rational(-1), Rational(1, 2),
                                     recheck::of_double(M_PI / 2)};
    for (const Rational& number : numbers_in(formulas)) {
        special.push_back(number);
        special.push_back(-number);
        special.push_back(number / Rational(2));
    }
    if (special.size() > 16) special.resize(16);
    for (const Rational& number : special) {
        const Rational near = (hi - lo) / Rational(1000000007);
        for (const Rational& each : {number, number - near, number + near}) wanted.push_back(each);
    }
    for (int i = 0; i < 8; ++i) wanted.push_back(lo + (hi - lo) * Rational(random.between(0, 1 << 20), 1 << 20));
    wanted.push_back(lo + (hi - lo) / Rational(1L << 60));
    std::erase_if(wanted, [&](const Rational& value) { return value < lo || hi < value; });
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    return wanted;
}

}  // namespace

std::vector<Point> points_of(const Question& question, Random& random) {
    std::vector<Point> points = {{}};
    // The first variable varies fastest, in its order.
    for (std::size_t back = question.over.size(); back-- > 0;) {
        const Side& side = question.over[back];
        std::vector<Rational> values =
            side.is_grid() ? grid_values(side) : stretch_values(side, question.formula + " " + question.other, random);
        if (question.range) {
            const Rational first = exact(question.range->first);
            const Rational last = exact(question.range->second);
            std::erase_if(values, [&](const Rational& value) { return value < first || last < value; });
        }
        if (back > 0 && !side.is_grid()) {
            // Both ends stay.
            const std::size_t most = question.over.size() > 2 ? 4 : 6;
            while (values.size() > most)
                values.erase(values.begin() + 1 + static_cast<long>(random.below(values.size() - 2)));
        }
        std::vector<Point> longer;
        for (const Point& point : points) {
            for (const Rational& value : values) {
                longer.push_back(point);
                longer.back().emplace_back(side.name, Number(value));
            }
        }
        points = std::move(longer);
    }
    return points;
}

}  // namespace farfield::soundness
