// Recomputes correlations and t-tests: in exact rationals while the numbers are rational.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "recheck/kinds.hpp"
#include "recheck/student.hpp"

namespace farfield::recheck {
namespace {

using Sample = std::vector<Number>;

Number whole(std::size_t number) {
    return Number(Rational(static_cast<long>(number)));
}

Number decimal(const std::string& text) {
    const std::optional<Rational> value = read_rational(text);
    if (!value) throw Unprovable("'" + text + "' is not a decimal");
    return Number(*value);
}

/// The numbers that round to a printed decimal.
Number printed_decimal(const std::string& text) {
    const Number value = decimal(text);
    const Number half(half_unit(text));
    return Number(Interval{(value - half).interval().lo, (value + half).interval().hi});
}

Number cell_of(const Quantity& table, const std::string& row, const std::string& column) {
    if (table.kind != "table") throw Unprovable("the recheck does not compute the table of '" + table.name + "'");
    const auto place = [&](const std::vector<std::string>& names, const std::string& name) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) throw Unprovable("'" + table.name + "' has no '" + name + "'");
        return static_cast<std::size_t>(found - names.begin());
    };
    return printed_number(table, place(table.rows, row), place(table.columns, column), false);
}

/// The number whose origin the evidence states under this key.
Number observed(const Quantity& quantity, const std::string& key, Recomputation& all) {
    if (const std::string* text = quantity.fact(key)) return decimal(*text);
    if (const std::string* text = quantity.fact(key + ".printed")) return printed_decimal(*text);
    const std::string& source = quantity.needed(key + ".of");
    if (const std::string* value = quantity.fact(key + ".value")) return all.at(source).field(*value);
    const std::string& column = quantity.needed(key + ".column");
    if (const std::string* row = quantity.fact(key + ".row")) return cell_of(all.declared(source), *row, column);
    const auto point = whole_number(*decimal(quantity.needed(key + ".point")).exact());
    Computed& series = all.at(source);
    if (!point || *point < 1 || *point > series.points())
        throw Unprovable("the recheck has no such point of '" + source + "'");
    return series.entry(column, *point - 1);
}

Sample read_sample(const Quantity& quantity, const std::string& name, Recomputation& all) {
    Sample sample;
    const auto is_stated = [&](const std::string& key) {
        return quantity.fact(key) || quantity.fact(key + ".printed") || quantity.fact(key + ".of");
    };
    for (std::string key = name + ".0"; is_stated(key); key = name + "." + std::to_string(sample.size())) {
        sample.push_back(observed(quantity, key, all));
        if (sample.back().defined() != Truth::yes || sample.back().infinite() != 0)
            throw Unprovable("number " + std::to_string(sample.size()) + " of the sample may not exist");
    }
    if (sample.size() < 2)
        throw Unprovable("'" + quantity.name + "': the evidence does not state the sample '" + name + "'");
    return sample;
}

void require_pairs(const Sample& a, const Sample& b) {
    if (a.size() != b.size()) throw Unprovable("samples of different size");
}

Number mean(const Sample& sample) {
    Number sum;
    for (const Number& each : sample) sum = sum + each;
    return sum / whole(sample.size());
}

Sample deviations(const Sample& sample) {
    const Number centre = mean(sample);
    Sample result;
    for (const Number& each : sample) result.push_back(each - centre);
    return result;
}

/// The square of a number is not below 0 where an interval of it contains 0.
Number square(const Number& a) {
    return abs(a) * abs(a);
}

/// The sum of squared deviations from the mean.
Number spread(const Sample& sample) {
    Number sum;
    for (const Number& each : deviations(sample)) sum = sum + square(each);
    return sum;
}

/// The p of Student's t for x = freedom/(freedom + t^2).
Number p_of(const Number& freedom, const Number& x) {
    if (x.defined() != Truth::yes) return Number::unknown();
    return Number(student_p(freedom.interval(), x.interval()));
}

/// The rank of each number; equal numbers have the mean of their ranks.
Sample ranks(const Sample& sample) {
    Sample result;
    for (const Number& each : sample) {
        long below = 0, equals = 0;
        for (const Number& other : sample) {
            if (&other == &each || equal(other, each) == Truth::yes)
                ++equals;
            else if (less(other, each) == Truth::yes)
                ++below;
            else if (less(each, other) != Truth::yes)
                throw Unprovable("the order of the numbers is not known");
        }
        result.emplace_back(Rational(2 * below + equals + 1, 2));
    }
    return result;
}

class Correlation : public Computed {
public:
    Correlation(const Quantity& quantity, Recomputation& all)
        : x_(read_sample(quantity, "x", all)), y_(read_sample(quantity, "y", all)) {
        require_pairs(x_, y_);
    }

    Number field(const std::string& name) override {
        if (name == "n") return whole(x_.size());
        if (name == "pearson") return correlation(x_, y_);
        if (name == "pearson_p") return p(x_, y_);
        if (name == "spearman") return correlation(ranks(x_), ranks(y_));
        if (name == "spearman_p") return p(ranks(x_), ranks(y_));
        throw Unprovable("the recheck does not compute '" + name + "' of a correlation");
    }

private:
    static Number products(const Sample& x, const Sample& y) {
        const Sample a = deviations(x), b = deviations(y);
        Number sum;
        for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
        return sum;
    }

    static Number correlation(const Sample& x, const Sample& y) {
        if (x.size() == 2) {
            const Number found = sign((x[1] - x[0]) * (y[1] - y[0]));
            return found.exact() && found.exact()->sign() != 0 ? found : Number::unknown();
        }
        const Number one = whole(1);
        return max(-one, min(one, products(x, y) / sqrt(spread(x) * spread(y))));
    }

    /// With n - 2 degrees of freedom and t^2 = r^2 (n - 2)/(1 - r^2), x is 1 - r^2.
    static Number p(const Sample& x, const Sample& y) {
        if (x.size() < 3) throw Unprovable("two points have no p");
        return p_of(whole(x.size() - 2), whole(1) - square(products(x, y)) / (spread(x) * spread(y)));
    }

    Sample x_, y_;
};

/// The values of the quantities' kinds that are the p of a test.
constexpr std::pair<std::string_view, std::string_view> tested[] = {
    {"ttest", "p"}, {"correlation", "pearson_p"}, {"correlation", "spearman_p"}};

/// The largest p that is possible; 1 if it is not known.
Number largest_p(Recomputation& all, const std::string& name, std::string_view field) {
    try {
        return Number(Interval::point(all.at(name).field(std::string(field)).interval().hi));
    } catch (const Unprovable&) {
        return whole(1);
    }
}

/// Whether Holm's correction of all tests on record leaves this p at most alpha.
bool is_significant(Recomputation& all, const Number& p, const Number& alpha) {
    Sample every;
    for (const auto& [name, quantity] : all.results().quantities)
        for (const auto& [kind, field] : tested)
            if (quantity.kind == kind) every.push_back(largest_p(all, name, field));
    std::sort(every.begin(), every.end(),
              [](const Number& a, const Number& b) { return a.interval().hi < b.interval().hi; });
    for (std::size_t rank = 0; rank < every.size(); ++rank) {
        if (less(p, every[rank]) == Truth::yes) return true;
        if (less_equal(whole(every.size() - rank) * every[rank], alpha) != Truth::yes) return false;
    }
    return true;
}

class TTest : public Computed {
public:
    TTest(const Quantity& quantity, Recomputation& all) : all_(all), name_(quantity.name) {
        const Sample a = read_sample(quantity, "a", all), b = read_sample(quantity, "b", all);
        const auto is = [&](const char* key, const char* text) {
            const std::string* found = quantity.fact(key);
            return found && *found == text;
        };
        const std::string* alpha = quantity.fact("setting.alpha");
        alpha_ = decimal(alpha ? *alpha : "0.05");
        if (is("setting.paired", "true"))
            set_paired(a, b);
        else
            set_unpaired(a, b, !is("setting.equal_variances", "false"));
    }

    Number field(const std::string& name) override {
        if (name == "t") return difference_ / sqrt(variance_);
        if (name == "df") return freedom_;
        if (name == "mean_difference") return difference_;
        if (name == "p") return p_of(freedom_, freedom_ / (freedom_ + square(difference_) / variance_));
        if (name != "sign") throw Unprovable("the recheck does not compute '" + name + "' of a t-test");
        if (!is_significant(all_, largest_p(all_, name_, "p"), alpha_)) throw Unprovable("p may be above alpha");
        return sign(difference_);
    }

private:
    void set_paired(const Sample& a, const Sample& b) {
        require_pairs(a, b);
        Sample differences;
        for (std::size_t i = 0; i < a.size(); ++i) differences.push_back(a[i] - b[i]);
        freedom_ = whole(a.size() - 1);
        difference_ = mean(differences);
        variance_ = spread(differences) / freedom_ / whole(a.size());
    }

    void set_unpaired(const Sample& a, const Sample& b, bool pools) {
        const Number na = whole(a.size()), nb = whole(b.size()), one = whole(1);
        difference_ = mean(a) - mean(b);
        if (pools) {
            freedom_ = na + nb - whole(2);
            variance_ = (spread(a) + spread(b)) / freedom_ * (one / na + one / nb);
            return;
        }
        const Number of_a = spread(a) / (na - one) / na, of_b = spread(b) / (nb - one) / nb;
        variance_ = of_a + of_b;
        freedom_ = square(variance_) / (square(of_a) / (na - one) + square(of_b) / (nb - one));
    }

    Recomputation& all_;
    std::string name_;
    Number difference_;  ///< of the means
    Number variance_;    ///< of that difference
    Number freedom_;
    Number alpha_;
};

}  // namespace

Made make_correlation(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<Correlation>(quantity, all);
}

Made make_ttest(const Quantity& quantity, Recomputation& all) {
    return std::make_unique<TTest>(quantity, all);
}

}  // namespace farfield::recheck
