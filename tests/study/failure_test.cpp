#include <catch2/catch.hpp>

#include "study/study_support.hpp"

using namespace study_support;
using core::Verdict;
using Names = std::vector<std::string>;

namespace {

const std::string fine =
    "[quantity.fine]\nkind = 'value'\nformula = '2'\n"
    "[[claim]]\nid = 'F'\nsays = 's'\nexpect = 'confirmed'\nholds = 'fine == 2'\n";

const core::ClaimRecord& claim_of(const core::StudyRecord& record, const std::string& id) {
    for (const core::ClaimRecord& claim : record.claims)
        if (claim.id == id) return claim;
    throw std::runtime_error("no claim " + id);
}

Names failed(const core::StudyRecord& record) {
    Names names;
    for (const core::FailureRecord& each : record.failed) names.push_back(each.name);
    return names;
}

}  // namespace

TEST_CASE(
    "a quantity that fails does not stop the study; quantities that need it fail too, and its claims are undecided") {
    const auto record =
        run("[quantity.row]\nkind = 'curve'\nformula = 'log(3 - n)'\ndistances = { from = 0, to = 9 }\n"
            "[quantity.line]\nkind = 'fit'\nof = 'row'\nmodel = 'a*n'\n"
            "[[claim]]\nid = 'L'\nsays = 's'\nexpect = 'confirmed'\nholds = 'line.a < 0'\n" +
            fine);
    CHECK(names_of(record) == Names{"fine"});
    CHECK(failed(record) == Names{"row", "line"});
    CHECK(record.failed[0].diagnostics.at(0).place.line == 3);  // the formula
    CHECK(record.failed[1].text() == record.failed[0].text());
    CHECK(claim_of(record, "F").verdict == Verdict::confirmed);
    CHECK(claim_of(record, "L").verdict == Verdict::undecided);
    // At n = 4 the logarithm is of a negative number.
    CHECK(claim_of(record, "L").readings.at(0).explain ==
          "needs 'line', which failed: the formula has no value (NaN) at n = 4");
}

TEST_CASE("a bias without a value at a measured length fails that quantity alone") {
    // Trained on 8 tokens, where log(40 - n) is a number; at 41 tokens back it is not.
    const auto record =
        run("[scheme.own]\nbias = 'log(40 - n)'\n[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n"
            "[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
            "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
            "[quantity.far]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 200]\nsegments = 2\n"
            "[quantity.near]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 32]\nsegments = 2\n"
            "[[claim]]\nid = 'A'\nsays = 's'\nexpect = 'reproduced'\nholds = 'far.nll[8] > 0'\n"
            "[[claim]]\nid = 'B'\nsays = 's'\nexpect = 'reproduced'\nholds = 'near.nll[8] > 0'\n");
    CHECK(names_of(record) == Names{"near"});
    REQUIRE(failed(record) == Names{"far"});
    const core::Diagnostic& problem = record.failed[0].diagnostics.at(0);
    CHECK(problem.found == "a length of 200, at which 'bias' of scheme 'own' is nan at head 1, layer 1, distance 41");
    CHECK(problem.place.line == 20);  // lengths
    CHECK(claim_of(record, "A").verdict == Verdict::undecided);
    CHECK(claim_of(record, "A").fails());
    CHECK(claim_of(record, "B").verdict == Verdict::reproduced);
}

TEST_CASE("tables too large for a measured length fail that quantity alone") {
    // Two heads of 40000^2/2 floats each are 6.4e9 bytes, 6.0 GiB.
    const auto record =
        run("[scheme.own]\nbias = '-q*k*h'\n[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n"
            "[model.m]\nlayers = 1\nheads = 2\nwidth = 8\n"
            "[train.t]\nmodel = 'm'\nscheme = 'own'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
            "[quantity.far]\nkind = 'perplexity'\nof = 't'\nlengths = [8, 40000]\nsegments = 2\n" +
            fine);
    CHECK(names_of(record) == Names{"fine"});
    CHECK(failed(record) == Names{"far"});
    CHECK(record.failed[0].diagnostics.at(0).found ==
          "a length of 40000, at which 'bias' of scheme 'own' is a table of 6 GiB at length 40000");
}

TEST_CASE("a claim on a field that its quantity lacks is undecided, and the study is computed") {
    const auto record =
        run("[[claim]]\nid = 'W'\nsays = 's'\nexpect = 'confirmed'\nholds = 'fine.valu == 2'\n"
            "[[claim]]\nid = 'H'\nsays = 's'\nexpect = 'confirmed'\nholds = 'all(n, 1, fine*10^15, n > 0)'\n" +
            fine);
    CHECK(names_of(record) == Names{"fine"});
    CHECK(failed(record) == Names{"claim W", "claim H"});
    CHECK(record.failed[0].diagnostics.at(0).place.line == 5);
    CHECK(claim_of(record, "W").verdict == Verdict::undecided);
    CHECK(claim_of(record, "W").readings.at(0).explain.find("has no field 'valu'") != std::string::npos);
    CHECK(claim_of(record, "H").readings.at(0).explain.find("operations") != std::string::npos);
    CHECK(claim_of(record, "F").verdict == Verdict::confirmed);
}
