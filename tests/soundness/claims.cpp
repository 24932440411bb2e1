// Random questions, their certified answers, and what Arb says of them at 200 digits. Ends with status 1 if a certified
// answer is disproved; each such answer is printed as a study that shows it.
//
//   tests/soundness_claims [--seconds S] [--seed N] [--count N] [--kind K] [--slow SECONDS] [--wrong N] [--refused N]
#include <fmt/format.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <farfield/claim/claim.hpp>
#include <farfield/core/error.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/quantity/compute.hpp>
#include <farfield/quantity/safe_length.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/study/study.hpp>
#include <functional>
#include <map>
#include <string>

#include "soundness/generator.hpp"
#include "soundness/judges.hpp"
#include "soundness/oracle.hpp"

namespace {

using namespace farfield;
using soundness::Outcome;
using soundness::Question;
using soundness::Random;
using Clock = std::chrono::steady_clock;

/// 200 digits.
constexpr long bits = 700;
/// What a question may take; then its quantity is interrupted and counts as undecided.
constexpr double patience = 1;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
    double seconds = 60;
    unsigned long long seed = 1;
    long long count = 1'000'000'000;
    std::string kind;
    double slow = 0;              ///< questions that take longer are printed
    long long wrong = 1'000'000;  ///< wrong answers after which it ends
    long long refused = 0;        ///< how many refused questions are printed with the reason
};

struct Tally {
    long long asked = 0;
    long long refused = 0;
    long long certified = 0;
    long long wrong = 0;
    long long suspect = 0;
    double seconds = 0;
};

class Fuzzer {
public:
    Outcome check(const Question& question, unsigned long long seed) const {
        Random random(seed);
        if (question.kind == "condition") return check_condition(question);
        if (question.kind == "safe-length") return check_safe_length(question, random);
        if (question.kind == "study") return check_study(question, random);
        const auto start = Clock::now();
        bool was_interrupted = false;
        const auto interrupted = [&] { return was_interrupted = was_interrupted || seconds_since(start) > patience; };
        quantity::Known known;
        core::Result curve;
        quantity::Request request{question.kind, scheme::read_toml(question.settings(), "study.toml"), {}, interrupted};
        if (question.is_of_curve) {
            const core::Entries of_curve = scheme::read_toml(question.curve(), "study.toml");
            const std::string kind = question.curve_kind.empty() ? "curve" : question.curve_kind;
            curve = quantity::compute({kind, of_curve, {}, interrupted}, schemes_of(question));
            known["c"] = &curve;
        }
        const core::Result result = quantity::compute(request, schemes_of(question), known);
        return was_interrupted ? Outcome{} : soundness::judge_result(question, result, random);
    }

    /// The smallest question found by replacing parts with simpler ones that still has a wrong answer.
    Question shrunk(Question question, unsigned long long seed) const {
        // What a claim of a study means is written beside it.
        if (question.kind == "study") return question;
        const auto start = Clock::now();
        for (bool again = true; again && seconds_since(start) < 5;) {
            again = shrink(
                        question, [](Question& of) -> std::string& { return of.formula; }, seed) ||
                    shrink(
                        question, [](Question& of) -> std::string& { return of.other; }, seed);
            for (const auto& [key, text] : std::map<std::string, std::string>(question.pieces))
                again = shrink(
                            question, [&name = key](Question& of) -> std::string& { return of.pieces[name]; }, seed) ||
                        again;
        }
        return question;
    }

private:
    /// The schemes that the question may name.
    scheme::Registry schemes_of(const Question& question) const {
        if (!question.has_scheme()) return schemes_;
        scheme::Registry schemes;
        core::Problems problems;
        schemes.add(scheme::read_toml("[own]\n" + question.scheme(), "study.toml"), problems);
        problems.raise();
        return schemes;
    }

    Outcome check_safe_length(const Question& question, Random& random) const {
        const scheme::Registry schemes = schemes_of(question);
        scheme::Context context;
        context.heads = static_cast<double>(question.numbers.at("heads"));
        context.head_dim = static_cast<double>(question.numbers.at("head_dim"));
        const quantity::SafeLengthOptions options{std::stod(question.tolerance), question.numbers.at("longest"),
                                                  !question.is_stepwise};
        const scheme::Scheme& own = *schemes.find("own");
        if (question.recipes.empty())
            return soundness::judge_safe_length(question, quantity::safe_length(own, context, question.format, options),
                                                random);
        // All at once, which share what they have in common.
        std::vector<scheme::Recipe> recipes;
        for (const std::string& name : question.recipes) recipes.push_back(scheme::find_recipe(name, question.format));
        for (const auto& misfit : scheme::misfits(own, recipes))
            if (misfit) throw core::UserError({{{}, misfit->found, misfit->wanted, ""}});
        const auto lengths = quantity::safe_lengths(own, context, recipes, question.format, options);
        Outcome outcome;
        for (std::size_t i = 0; i < lengths.size() && !outcome.wrong; ++i) {
            Question by_recipe = question;
            by_recipe.pieces["recipe"] = question.recipes[i];
            outcome = soundness::judge_safe_length(by_recipe, lengths[i], random);
        }
        return outcome;
    }

    static Outcome check_study(const Question& question, Random& random) {
        const auto start = Clock::now();
        study::Options options;
        options.processors = 1;
        options.interrupted = [&] { return seconds_since(start) > patience; };
        const study::Study read =
            study::read(scheme::read_toml(question.study(""), "study.toml"), {"study.toml", "study", true}, options);
        const core::StudyRecord record = study::run(read, options);
        return record.interrupted ? Outcome{} : soundness::judge_study(question, record.claims.front(), random);
    }

    static Outcome check_condition(const Question& question) {
        const std::string text =
            "[[claim]]\nid = 'X'\nsays = 's'\n[[claim.reading]]\nname = 'r'\nholds = \"" + question.formula + "\"\n";
        const core::Entries file = scheme::read_toml(text, "study.toml");
        core::Problems problems;
        const claim::Claim read = claim::read_claim(file.find("claim")->value.list()->front(), problems);
        problems.raise();
        const core::ClaimRecord record = claim::judge(read, {});
        const bool is_decided = record.verdict == core::Verdict::confirmed || record.verdict == core::Verdict::refuted;
        if (!record.certified || !is_decided) return {};
        return soundness::judge_condition(question, record.verdict == core::Verdict::confirmed);
    }

    bool is_wrong(const Question& question, unsigned long long seed) const {
        try {
            const Outcome outcome = check(question, seed);
            return outcome.wrong && !outcome.wrong->is_suspect;
        } catch (const std::exception&) {
            return false;
        }
    }

    /// Replaces one part in parentheses, with the function before them, by something shorter.
    bool shrink(Question& question, const std::function<std::string&(Question&)>& part, unsigned long long seed) const {
        const std::string text = part(question);
        for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open + 1)) {
            std::size_t close = open;
            std::vector<std::string> inner(1);
            int level = 0;
            for (; close < text.size(); ++close) {
                level += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
                if (level == 0) break;
                if (close == open) continue;
                if (level == 1 && text[close] == ',')
                    inner.emplace_back();
                else
                    inner.back() += text[close];
            }
            std::size_t from = open;
            while (from > 0 && (std::isalnum(static_cast<unsigned char>(text[from - 1])) != 0 || text[from - 1] == '_'))
                --from;
            for (const std::string& argument : std::vector<std::string>(inner)) {
                for (const char* op : {" + ", " - ", " * ", " / ", " ^ "}) {
                    const std::size_t at = argument.find(op);
                    if (at == std::string::npos) continue;
                    inner.push_back(argument.substr(0, at));
                    inner.push_back(argument.substr(at + 3));
                }
            }
            for (const char* simple : {"0", "1", "2"}) inner.emplace_back(simple);
            if (!question.over.empty()) inner.push_back(question.over.front().name);
            for (const std::string& simpler : inner) {
                Question smaller = question;
                part(smaller) = text.substr(0, from) + simpler + text.substr(close + 1);
                if (part(smaller).size() >= text.size() || !is_wrong(smaller, seed)) continue;
                question = smaller;
                return true;
            }
        }
        return false;
    }

    const scheme::Registry& schemes_ = scheme::Registry::builtin();
};

void print(const Question& question, const soundness::Wrong& wrong, unsigned long long seed) {
    fmt::print("\n# {} (question {}): {}\n{}\n", wrong.is_suspect ? "suspect" : "WRONG", seed, wrong.why,
               question.study(wrong.holds));
    std::fflush(stdout);
}

/// The question at hand, for a crash.
std::string currently;  // NOLINT

void on_crash(int signal) {
    std::fprintf(stderr, "\n# WRONG: signal %d\n%s\n", signal, currently.c_str());
    std::fflush(nullptr);
    std::_Exit(1);
}

class Run {
public:
    explicit Run(const Options& options) : options_(options) {}

    int run() {
        static const std::vector<std::string> kinds = {
            "identity",       "identity",    "monotone",        "monotone",   "monotone",    "collision",
            "range",          "curve",       "curve",           "value",      "value",       "fit",
            "condition",      "condition",   "condition",       "extremum",   "oscillation", "crossing",
            "crossing",       "feasible",    "feasible",        "optimum",    "optimum",     "integral",
            "rounding-error", "safe-length", "receptive-field", "resolution", "logit-error", "logit-error",
            "safe-length",    "profile",     "expectation",     "resolution", "study",       "study"};
        const auto start = Clock::now();
        Random seeds(options_.seed);
        for (long long i = 0; i < options_.count && seconds_since(start) < options_.seconds; ++i) {
            if (wrong_ >= options_.wrong) break;
            const unsigned long long seed = options_.seed * 1'000'000'007ULL + static_cast<unsigned long long>(i);
            Random random(seed);
            std::string kind = options_.kind.empty() ? random.of(kinds) : options_.kind;
            // These take up to a tenth of a second each.
            const bool is_slow = kind == "rounding-error" || kind == "integral" || kind == "safe-length";
            if (options_.kind.empty() && is_slow && !random.one_in(4)) kind = "condition";
            one(soundness::Generator(random).question(kind), seed);
        }
        return report(seconds_since(start));
    }

private:
    void one(const Question& question, unsigned long long seed) {
        Tally& tally = tallies_[question.kind];
        ++tally.asked;
        currently = question.study(question.kind == "condition" ? question.formula : "1 == 1");
        const auto start = Clock::now();
        try {
            const Outcome outcome = fuzzer_.check(question, seed);
            tally.certified += outcome.is_certified ? 1 : 0;
            if (outcome.wrong) found(question, *outcome.wrong, seed, tally);
        } catch (const core::UserError& error) {
            ++tally.refused;
            if (refused_++ < options_.refused) fmt::print("# refused (question {}): {}\n", seed, error.what());
        } catch (const std::exception& error) {
            ++tally.wrong;
            ++wrong_;
            print(question, {std::string("an exception: ") + error.what(), "1 == 1"}, seed);
        }
        const double took = seconds_since(start);
        tally.seconds += took;
        if (options_.slow > 0 && took > options_.slow)
            print(question, {fmt::format("took {:.2f} s", took), "1 == 1", true}, seed);
    }

    void found(const Question& question, const soundness::Wrong& wrong, unsigned long long seed, Tally& tally) {
        if (wrong.is_suspect) {
            ++tally.suspect;
            print(question, wrong, seed);
            return;
        }
        ++tally.wrong;
        ++wrong_;
        const Question small = fuzzer_.shrunk(question, seed);
        const Outcome again = fuzzer_.check(small, seed);
        print(small, again.wrong ? *again.wrong : wrong, seed);
    }

    int report(double seconds) const {
        Tally sum;
        fmt::print("{:>15} {:>9} {:>9} {:>9} {:>9} {:>6} {:>8} {:>9}\n", "kind", "asked", "refused", "undecided",
                   "certified", "wrong", "suspect", "us each");
        for (const auto& [kind, tally] : tallies_) {
            line(kind, tally);
            sum.asked += tally.asked;
            sum.refused += tally.refused;
            sum.certified += tally.certified;
            sum.wrong += tally.wrong;
            sum.suspect += tally.suspect;
            sum.seconds += tally.seconds;
        }
        line("all", sum);
        fmt::print("seed {}, {:.1f} s, {:.0f} claims a second, {:.0f} certified ones\n", options_.seed, seconds,
                   static_cast<double>(sum.asked) / seconds, static_cast<double>(sum.certified) / seconds);
        return sum.wrong == 0 && sum.certified > 0 ? 0 : 1;
    }

    static void line(const std::string& kind, const Tally& tally) {
        fmt::print("{:>15} {:>9} {:>9} {:>9} {:>9} {:>6} {:>8} {:>9.0f}\n", kind, tally.asked, tally.refused,
                   tally.asked - tally.refused - tally.certified, tally.certified, tally.wrong, tally.suspect,
                   1e6 * tally.seconds / static_cast<double>(tally.asked));
    }

    Options options_;
    Fuzzer fuzzer_;
    std::map<std::string, Tally> tallies_;
    long long wrong_ = 0;
    long long refused_ = 0;
};

Options read_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string name = arguments[i];
        const std::string value = arguments[i + 1];
        if (name == "--seconds")
            options.seconds = std::stod(value);
        else if (name == "--seed")
            options.seed = std::stoull(value);
        else if (name == "--count")
            options.count = std::stoll(value);
        else if (name == "--kind")
            options.kind = value;
        else if (name == "--slow")
            options.slow = std::stod(value);
        else if (name == "--wrong")
            options.wrong = std::stoll(value);
        else if (name == "--refused")
            options.refused = std::stoll(value);
        else
            throw std::invalid_argument("unknown option " + name);
    }
    return options;
}

}  // namespace

int main(int count, char** arguments) {
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGTERM}) std::signal(signal, on_crash);
    numerics::set_processors(1);
    const recheck::Precision precision(bits);
    return Run(read_options(count, arguments)).run();
}
