// A study on a device whose driver is the host's: the same numbers as on the processor, whatever fails there, and word
// of where they came from.
#include <catch2/catch.hpp>

#include <cmath>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/formula/parser.hpp>

#include <farfield/scheme/registry.hpp>

#include "evaluate/host_device.hpp"
#include "quantity/bias_arrays.hpp"
#include "study/study_support.hpp"
#include "support/trials.hpp"

using namespace study_support;
using evaluate::MachineError;
using tests::Machine;

namespace {

// Every quantity that reads rows, each of a row that another left on the device.
const std::string text = R"TOML(
[quantity.row]
kind = "curve"
formula = "-0.3*log(1 + n) + cos(n/50) - n/900"
distances = { from = 0, to = 4999 }
enclosures = "never"
[quantity.waves]
kind = "curve"
formula = "sum(j, 0, 15, cos(n*10000^(-j/16)))/(1 + n)"
distances = { from = 0, to = 4999 }
enclosures = "never"
[quantity.once]
kind = "profile"
of = "row"
within = 100
[quantity.layers]
kind = "profile"
of = "row"
layers = 3
residual = 0.25
[quantity.resolution]
kind = "resolution"
of = "row"
N = 4000
[quantity.line]
kind = "fit"
of = "row"
model = "a + b*log(1 + n)"
range = { from = 10, to = 4000 }
[quantity.beside]
kind = "fit"
of = "row"
model = "a*n + n/100 + c"
weights = "1/(1 + n)"
[quantity.many]
kind = "fit"
of = "row"
model = "p1 + p2*log(1 + n) + p3*cos(n/50) + p4*sin(n/50) + p5*cos(n/9) + p6*sin(n/9) + p7*n/900"
weights = "1/(1 + n)"
[quantity.heads]
kind = "profile"
scheme = "alibi"
heads = 3
all_heads = true
distances = { to = 4999 }
enclosures = "never"
[quantity.matrix]
kind = "matrix"
formula = "k > q + 3 ? -inf : -abs(q - k)/(1 + k)"
length = 40
enclosures = "never"
[quantity.spread]
kind = "matrix"
scheme = "alibi"
head = 2
heads = 3
length = 40
enclosures = "never"
[quantity.steps]
kind = "oscillation"
of = "waves"
[quantity.ends]
kind = "extremum"
of = "waves"
range = { from = 5, to = 4000 }
[quantity.few]
kind = "value"
formula = "2 + 3"
)TOML";

// Their searches take some thousand calls of a device.
const std::string curved_fits = R"TOML(
[quantity.decay]
kind = "curve"
formula = "2*exp(-n/800) + 0.25 + cos(n)/100"
distances = { from = 0, to = 4999 }
enclosures = "never"
[quantity.curved]
kind = "fit"
of = "decay"
model = "a*exp(-b*n) + c"
start = { a = 1, b = 0.01, c = 0 }
[quantity.weighted]
kind = "fit"
of = "decay"
model = "a*exp(-b*n) + n/90000"
start = { b = 0.01 }
weights = "n > 100 ? 1 : 0"
)TOML";

core::StudyRecord on_device(Machine& machine, const std::string& study = text) {
    study::Options options;
    options.device = tests::interpreting_device(machine, 1000);
    return run(study, options);
}

void check_near(double found, double wanted, const std::string& what) {
    INFO(what << ": " << found << " for " << wanted);
    const bool is_same = found == wanted || (std::isnan(found) && std::isnan(wanted));
    CHECK((is_same || std::fabs(found - wanted) <= 1e-11 * std::max(1.0, std::fabs(wanted))));
}

/// All values and series of two runs.
void check_alike(const core::StudyRecord& found, const core::StudyRecord& wanted) {
    REQUIRE(names_of(found) == names_of(wanted));
    for (std::size_t q = 0; q < wanted.quantities.size(); ++q) {
        const core::Result& a = found.quantities[q];
        const core::Result& b = wanted.quantities[q];
        REQUIRE(a.values.size() == b.values.size());
        for (std::size_t i = 0; i < b.values.size(); ++i) {
            REQUIRE(a.values[i].second.number.has_value() == b.values[i].second.number.has_value());
            if (b.values[i].second.number)
                check_near(*a.values[i].second.number, *b.values[i].second.number, b.name + "." + b.values[i].first);
        }
        REQUIRE(a.series.has_value() == b.series.has_value());
        for (std::size_t c = 0; b.series && c < b.series->columns.size(); ++c) {
            const std::vector<double>& x = a.series->columns[c].values;
            const std::vector<double>& y = b.series->columns[c].values;
            REQUIRE(x.size() == y.size());
            double worst = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double error = std::fabs(x[i] - y[i]);
                if (!(error <= worst)) worst = error;
            }
            check_near(worst, 0, b.name + "'s column " + b.series->columns[c].name);
        }
    }
}

std::string note_of(const core::Result& result) {
    for (const auto& [name, note] : result.notes)
        if (name == "device") return note;
    return "";
}

}  // namespace

TEST_CASE("a study on a device has the processor's numbers, and states which the device computed") {
    Machine machine;
    const core::StudyRecord found = on_device(machine, text + curved_fits);
    const core::StudyRecord wanted = run(text + curved_fits);
    check_alike(found, wanted);
    CHECK(machine.reports.empty());
    CHECK(found.device == "cuda: host, sm_90");
    for (const core::Result& result : found.quantities) {
        INFO(result.name);
        const bool is_there = result.name != "few";
        CHECK((note_of(result).find("cuda: host, sm_90; enclosures by the processor") != std::string::npos) ==
              is_there);
    }
    for (const core::Result& result : wanted.quantities) CHECK(note_of(result).empty());
}

TEST_CASE("rows stay on the device until they are read") {
    Machine machine;
    const auto device = tests::interpreting_device(machine);
    const evaluate::OnDevice scope(device.get());
    const formula::Program program = formula::compile(formula::parse("n^2 - 7*n"), {{}, {"n"}, {}});
    const evaluate::Array row =
        evaluate::evaluate_array(program, {}, {evaluate::Array(evaluate::Range{0, 1, 9000})}, 9000);
    REQUIRE(row.is_on_device());
    CHECK(row[3] == -12);
    CHECK(machine.copied_out == sizeof(double));
    // Two copies of a column share what was brought.
    const core::Values column = row.values();
    const core::Values other = column;
    CHECK(column.here()[8999] == 8999.0 * 8992);
    CHECK(other.here().data() == column.here().data());
    CHECK(machine.copied_out == 9001 * sizeof(double));
}

TEST_CASE("the biases of all heads stay on the device until they are read, whatever call fails") {
    constexpr std::size_t length = 70;
    const scheme::Scheme alibi = *scheme::Registry::builtin().find("alibi");
    scheme::Scheme pairs = alibi;
    pairs.bias->formula = formula::parse("-2^(-8*h/H)*(q + 2*k)");
    for (const bool is_by_distance : {true, false}) {
        // Powers of two times integers: the same at each operation, wherever it is done.
        const auto bias = [&](std::size_t head, std::size_t q, std::size_t k) {
            const double x = static_cast<double>(q), y = static_cast<double>(k);
            return -std::ldexp(is_by_distance ? x - y : x + 2 * y, -4 * (static_cast<int>(head) + 1));
        };
        const auto check = [&](const std::vector<evaluate::Array>& heads) {
            REQUIRE(heads.size() == 2);
            std::size_t wrong = 0;
            for (std::size_t head = 0; head < 2; ++head)
                for (std::size_t cell = 0; cell < length * length; ++cell)
                    wrong += heads[head].here()[cell] == bias(head, cell / length, cell % length) ? 0 : 1;
            CHECK(wrong == 0);
        };
        const auto ask = [&](Machine& machine, bool nothing_fails) {
            const auto device = tests::interpreting_device(machine, 1000);
            const evaluate::OnDevice scope(device.get());
            const auto heads = quantity::bias_arrays(is_by_distance ? alibi : pairs, {.heads = 2}, length);
            if (nothing_fails) {
                CHECK((heads[0].is_on_device() && heads[1].is_on_device()));
                CHECK(machine.copied_out == 0);
            }
            check(heads);
        };
        Machine whole;
        ask(whole, true);
        for (const MachineError::Kind failure : {MachineError::Kind::memory, MachineError::Kind::lost}) {
            for (std::size_t call = 0; call < whole.calls; ++call) {
                Machine machine;
                machine.failing_call = call;
                machine.failure = failure;
                INFO("call " << call << (failure == MachineError::Kind::lost ? ", lost" : ", memory"));
                ask(machine, false);
                CHECK(machine.allocated == 0);
            }
        }
    }
}

TEST_CASE("whatever call fails, by lack of memory or permanently, the run continues with the same numbers") {
    Machine whole;
    on_device(whole);
    REQUIRE(whole.calls > 100);
    const core::StudyRecord wanted = run(text);
    // Some of the calls; all of them take minutes.
    const std::size_t step = farfield::tests::is_long_run() ? 1 : 19;
    for (const MachineError::Kind failure : {MachineError::Kind::memory, MachineError::Kind::lost}) {
        for (std::size_t call = 0; call < whole.calls; call += step) {
            Machine machine;
            machine.failing_call = call;
            machine.failure = failure;
            INFO("call " << call << (failure == MachineError::Kind::lost ? ", lost" : ", memory"));
            check_alike(on_device(machine), wanted);
            // After one failure for lack of memory, other rows may be released; a lost device is reported once.
            CHECK(machine.reports.size() <= 1);
            if (failure == MachineError::Kind::lost) {
                REQUIRE(machine.reports.size() == 1);
                CHECK(machine.reports[0].find("the device is lost to this run; the processor goes on alone") !=
                      std::string::npos);
            }
            CHECK(machine.allocated == 0);
        }
    }
}

TEST_CASE("no device is searched for before there is work for it") {
    int opened = 0;
    Machine machine;
    study::Options options;
    options.device = evaluate::open_when_needed(
        [&] {
            ++opened;
            return tests::interpreting_device(machine, 4000);
        },
        4000);
    run("[quantity.few]\nkind = 'curve'\nformula = 'n'\ndistances = { from = 0, to = 999 }\n", options);
    CHECK(opened == 0);
    const core::StudyRecord found = run(text, options);
    CHECK(opened == 1);
    CHECK(found.device == "cuda: host, sm_90");
    CHECK(!note_of(*find(found, "row")).empty());
    options.device = evaluate::open_when_needed(
        [&]() -> std::unique_ptr<evaluate::Device> {
            ++opened;
            throw core::MissingError("--device cuda", "none is here", "one");
        },
        4000);
    const core::StudyRecord without = run(text, options);
    CHECK(opened == 2);
    CHECK(without.device == "cpu");
    CHECK(note_of(*find(without, "row")).empty());
}
