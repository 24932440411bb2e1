// The exit status of `compare`, on tensors of tests/references/compare.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "run_program.hpp"

namespace run_program {
namespace {

Done compare(const std::string& tensor, const std::string& scheme, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"compare", FARFIELD_SOURCE "/tests/references/compare/tensors/" + tensor};
    if (!scheme.empty()) arguments.insert(arguments.end(), {"--scheme", scheme});
    arguments.insert(arguments.end(), options.begin(), options.end());
    return Folder().farfield(arguments);
}

}  // namespace

TEST_CASE("compare gives 0 for what is equal or a convention, and --strict for what is equal alone") {
    CHECK(compare("alibi.npy", "alibi").status == 0);
    CHECK(compare("alibi.npy", "alibi", {"--strict"}).status == 0);
    const Done convention = compare("cos-by-exp-in-single.npy", "rotary", {"--part", "cos"});
    CHECK(convention.status == 0);
    CHECK_THAT(convention.output, Catch::Contains("counts as equal"));
    CHECK(compare("cos-by-exp-in-single.npy", "rotary", {"--part", "cos", "--strict"}).status == 1);
    CHECK(compare("cos-of-bf16.npy", "rotary", {"--part", "cos"}).status == 1);
}

TEST_CASE("compare --laws gives 0 where all laws hold") {
    const Done public_code = compare("alibi.npy", "", {"--laws"});
    CHECK(public_code.status == 1);
    CHECK_THAT(public_code.output, Catch::Contains("causal       fails"));
    CHECK(compare("alibi-masked.npy", "", {"--laws"}).status == 0);
}

TEST_CASE("compare takes 1 and more for lengths, and no option for laws that compares with a scheme") {
    for (const char* option : {"--length", "--train-length"}) {
        const std::string name = option;
        CHECK(compare("alibi.npy", "alibi", {name + "=1"}).error.find("has '1'") == std::string::npos);
        CHECK(compare("alibi.npy", "alibi", {name + "=0.5"})
                  .error.starts_with(name + " has '0.5'; expected a number, 1 at least"));
    }
    CHECK(compare("alibi.npy", "", {"--laws", "--strict"}).error.starts_with("--strict is given with --laws"));
    CHECK(compare("alibi.npy", "", {"--laws", "--accept", "reversed-sign"})
              .error.starts_with("--accept is given with --laws"));
}

TEST_CASE("compare takes Ltr from L by default, and a value of a learned name") {
    const Folder folder;
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }";
    header.resize(117, ' ');
    std::string npy = std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n";
    for (int q = 0; q < 4; ++q)
        for (int k = 0; k < 4; ++k) {
            const float bias = 0.75F * static_cast<float>(k - q);
            npy.append(reinterpret_cast<const char*>(&bias), sizeof bias);
        }
    folder.write("bias.npy", npy);
    folder.write(
        "s.toml",
        "[scheme.trained]\nbias = '-3*n/Ltr'\n[scheme.learned]\nlearn = { a = { init = 1 } }\nbias = '-a*n'\n");
    const auto status = [&](const std::string& scheme, const std::vector<std::string>& options) {
        std::vector<std::string> words = {"compare", "bias.npy", "--from",       "s.toml",  "--scheme",
                                          scheme,    "--axes",   "queries,keys", "--strict"};
        words.insert(words.end(), options.begin(), options.end());
        return folder.farfield(words).status;
    };
    CHECK(status("trained", {}) == 0);
    CHECK(status("trained", {"--train-length", "4"}) == 0);
    CHECK(status("trained", {"--train-length", "1"}) == 1);
    CHECK(status("learned", {"--set", "a=0.75"}) == 0);
    CHECK(status("learned", {"--set", "a=0.5"}) == 1);
    CHECK(status("learned", {"--set", "a=x"}) != 0);
}

TEST_CASE("compare gives 0 for a difference whose variations are all accepted") {
    CHECK(compare("alibi-reversed-from-0.npy", "alibi").status == 1);
    CHECK(compare("alibi-reversed-from-0.npy", "alibi", {"--accept", "reversed-sign"}).status == 1);
    CHECK(compare("alibi-reversed-from-0.npy", "alibi", {"--accept", "head-from-0,reversed-sign"}).status == 0);
    CHECK(compare("alibi-noise.npy", "alibi", {"--accept", "head-from-0"}).status == 1);
}

TEST_CASE("compare says where the tensor does not determine which variation it is") {
    const Done answer = compare("alibi-third-of-8.npy", "alibi");
    CHECK(answer.status == 0);
    CHECK_THAT(answer.output, Catch::Contains("(--heads 8 --head 3)"));
    CHECK_THAT(answer.output, Catch::Contains("also explained by one-of-several-heads (--heads 16 --head 6)"));
    CHECK_THAT(answer.output, Catch::Contains("the tensor does not determine which"));
}

TEST_CASE("compare says of each head what it is where nothing explains all of them") {
    const Done answer = compare("places.npz", "alibi", {"--tensor", "one-head-reversed"});
    CHECK(answer.status == 1);
    CHECK_THAT(answer.output, Catch::Contains("heads 1-3, 5-6: equal\n"));
    CHECK_THAT(answer.output, Catch::Contains("head 4: differs by reversed-sign\n"));
}

TEST_CASE("compare takes a tensor of some heads for those, and says where the numbers do not tell") {
    CHECK(compare("places.npz", "alibi", {"--tensor", "heads-5-to-8"}).status == 0);
    const std::vector<std::string> given = {"--tensor", "heads-5-to-8", "--heads", "16", "--first-head",
                                            "5",        "--strict"};
    CHECK(compare("places.npz", "alibi", given).status == 0);
    CHECK(compare("places.npz", "alibi", {"--tensor", "heads-5-to-8", "--heads", "16", "--first-head", "14"}).status ==
          2);
    CHECK(compare("places.npz", "alibi", {"--tensor", "heads-5-to-8", "--heads", "16"}).status == 2);
    // The first four of eight heads have the slopes of four whose exponents run to 4.
    const Done either = compare("places.npz", "alibi", {"--tensor", "heads-1-to-4"});
    CHECK(either.status == 1);
    CHECK_THAT(either.output, Catch::Contains("(--heads 8 --first-head 1)"));
    CHECK_THAT(either.output, Catch::Contains("also explained by slopes-to-other-end (h*4/8)"));
    for (const char* accepted : {"some-of-several-heads", "slopes-to-other-end"})
        CHECK(compare("places.npz", "alibi", {"--tensor", "heads-1-to-4", "--accept", accepted}).status == 0);
    CHECK(compare("places.npz", "alibi", {"--tensor", "heads-1-to-4", "--accept", "head-from-0"}).status == 1);
}

TEST_CASE("the options that compare suggests make the tensor equal") {
    const std::string advice = "status 0 with ";
    std::size_t count = 0;
    for (const std::string& line : lines_of(compare("alibi-third-of-8.npy", "alibi").output)) {
        if (!line.starts_with(advice)) continue;
        std::istringstream words(line.substr(advice.size()));
        std::vector<std::string> options = {"--strict"};
        for (std::string word; words >> word;) options.push_back(word);
        INFO(line);
        CHECK(compare("alibi-third-of-8.npy", "alibi", options).status == 0);
        ++count;
    }
    CHECK(count > 1);
}

TEST_CASE("compare with --scheme any lists the schemes that a tensor may be of, those that it is of first") {
    const Done equal = compare("cos.npy", "any", {"--part", "cos"});
    CHECK(equal.status == 0);
    CHECK_THAT(equal.output, Catch::Contains("rotary             equal\n"));
    CHECK_THAT(equal.output, Catch::Contains("rotary-yarn        differs by"));
    CHECK(equal.output.find("xpos ") < equal.output.find("rotary-linear"));
    const Done varied = compare("alibi-public.npy", "any");
    CHECK(varied.status == 1);
    CHECK_THAT(varied.output, Catch::StartsWith("alibi              differs by public-slopes\n"));
    CHECK(compare("alibi-public.npy", "any", {"--accept", "public-slopes"}).status == 0);
    CHECK(compare("alibi-noise.npy", "any").status == 1);
    // The sign is reversed and heads are counted from 0: two changes would explain too many schemes.
    const Done twice = compare("alibi-reversed-from-0.npy", "any");
    CHECK(twice.status == 1);
    CHECK_THAT(twice.output, Catch::StartsWith("0 of ") && Catch::Contains(" explain it with one change at most"));
    CHECK(compare("alibi.npy", "any", {"--set", "delta=1"}).status == 2);
    const Done wrong_axes = compare("alibi.npy", "any", {"--axes", "heads,rows,keys"});
    CHECK(wrong_axes.status == 2);
    CHECK_THAT(wrong_axes.error, Catch::Contains("unknown axis 'rows'"));
    CHECK(compare("alibi.npy", "any", {"--heads", "0"}).status == 2);
    CHECK(compare("alibi.npy", "any", {"--heads", "2", "--head", "3"}).status == 2);
}

}  // namespace run_program
