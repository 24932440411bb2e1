// Keys in texts, of a network that finds those within a reach; and the tokens that models would go on with.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/error.hpp>
#include <farfield/numerics/philox.hpp>

#include "measure/measure_support.hpp"

using namespace farfield;
using namespace measure_support;

namespace {

constexpr std::string_view end_of_key = " is the pass key.";

/// Reads the last key before " is the pass key.", if it ends at most `reach` bytes before the question's end, and goes
/// on with a blank and the key; with dots otherwise.
class Reader : public measure::Network {
public:
    explicit Reader(std::size_t reach) : reach_(reach) {}

    std::vector<model::Token> predicted(std::span<const model::Token> tokens, std::size_t last,
                                        model::Workspace<float>&) const override {
        const std::string text(tokens.begin(), tokens.end());
        const std::size_t asked = text.size() + 1 - last;  // the question's end: what follows is answered already
        CHECK(text.substr(0, asked).ends_with("What is the pass key? The pass key is"));
        const std::size_t end = text.rfind(end_of_key);
        REQUIRE(end != std::string::npos);
        std::size_t begin = end;
        while (text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
        const std::string answer = " " + text.substr(begin, end - begin);
        CHECK(answer.size() == last);
        CHECK(text.substr(asked) == answer.substr(0, last - 1));
        CHECK(text.find("The pass key is" + answer + ". Remember it." + answer) != std::string::npos);
        if (asked - end > reach_) return std::vector<model::Token>(last, '.');
        return {answer.begin(), answer.end()};
    }

    void losses(const model::Batch&, std::size_t, model::Workspace<float>&, std::span<float>) const override {}
    std::vector<double> cached_losses(std::span<const model::Token>, std::size_t, std::size_t,
                                      model::Workspace<float>&) const override {
        return {};
    }
    std::vector<double> input_gradient(std::span<const model::Token>, model::Token, model::Workspace<float>&,
                                       std::size_t) const override {
        return {};
    }
    void attention(std::span<const model::Token>, model::Attention, model::Workspace<float>&,
                   const checkpoint::Forward::TakeRows&) const override {}
    void vectors(std::span<const model::Token>, model::Workspace<float>&,
                 const checkpoint::Forward::TakeVectors&) const override {}

private:
    std::size_t reach_;
};

/// Keeps the texts that it reads, and finds no key.
class Keeper : public Reader {
public:
    Keeper() : Reader(0) {}

    std::vector<model::Token> predicted(std::span<const model::Token> tokens, std::size_t last,
                                        model::Workspace<float>&) const override {
        texts.emplace_back(tokens.begin(), tokens.end());
        return std::vector<model::Token>(last, '.');
    }

    mutable std::vector<std::string> texts;
};

std::shared_ptr<const train::Source> text() {
    return train::make_text({std::string(20000, 'x')}, train::Tokeniser(), {});
}

measure::Subject reader_of(std::size_t reach, std::shared_ptr<const train::Source> source = text()) {
    measure::Subject subject{"reader", {training_of(scheme_of("bias = \"0\"\n"), std::move(source))}, {}};
    subject.checkpoint = std::make_shared<const Reader>(reach);
    subject.is_checkpoint = true;
    return subject;
}

std::vector<std::string> texts_of(const std::string& settings) {
    const auto keeper = std::make_shared<const Keeper>();
    measure::Subject subject = reader_of(0);
    subject.checkpoint = keeper;
    measured("retrieval", settings, subject);
    return keeper->texts;
}

/// Bytes of the text around the needle, of a length.
double text_of(std::size_t length) {
    const std::string needle = "\nThe pass key is 12345. Remember it. 12345 is the pass key.\n";
    const std::string rest = "\nWhat is the pass key? The pass key is 12345";
    return static_cast<double>(length - needle.size() - rest.size());
}

}  // namespace

TEST_CASE("a key is found where the reader reaches it") {
    const std::string settings = "lengths = [256, 1024]\ndepths = [0, 0.5, 1]\ncontexts = 3\n";
    const core::Result all = measured("retrieval", settings, reader_of(4096));
    CHECK(value(all, "accuracy") == 1);
    // From the end of the key to that of the question: what is left of the needle, the text behind it, and the
    // question.
    const std::size_t fixed = std::string(" is the pass key.\n\nWhat is the pass key? The pass key is").size();
    for (const std::size_t length : {256, 1024})
        for (const double depth : {0.0, 0.5, 1.0}) {
            const double behind = text_of(length) - std::round(depth * text_of(length));
            const std::size_t reach = fixed + static_cast<std::size_t>(behind);
            const std::string name = "accuracy[length=" + std::to_string(length) + ",depth=" +
                                     (depth == 0.5 ? "0.5"
                                      : depth == 0 ? "0"
                                                   : "1") +
                                     "]";
            CAPTURE(name);
            CHECK(value(measured("retrieval", settings, reader_of(reach)), name) == 1);
            CHECK(value(measured("retrieval", settings, reader_of(reach - 1)), name) == 0);
        }
    const core::Result half = measured("retrieval", settings, reader_of(fixed));
    CHECK(value(half, "accuracy[length=256]") == Approx(1.0 / 3));  // at the depth 1 alone
    CHECK(value(half, "accuracy") == Approx(1.0 / 3));
    CHECK(half.series->find("depth")->values == std::vector<double>{0, 0.5, 1});
    CHECK(half.series->find("at_1024")->values == std::vector<double>{0, 0, 1});
}

TEST_CASE("every length is asked at every depth, however many of each there are") {
    for (const std::string lengths : {"256", "256, 300", "256, 300, 400"}) {
        for (const std::string depths : {"0", "0, 1", "0, 0.5, 1", "0, 0.25, 0.5, 1"}) {
            CAPTURE(lengths, depths);
            const core::Result result = measured(
                "retrieval", "lengths = [" + lengths + "]\ndepths = [" + depths + "]\ncontexts = 1\n", reader_of(4096));
            CHECK(value(result, "accuracy") == Approx(1));
        }
    }
}

TEST_CASE("keys are hidden at five depths unless others are asked for") {
    const core::Result result = measured("retrieval", "lengths = [256]\ncontexts = 1\n", reader_of(4096));
    CHECK(result.series->find("depth")->values == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
}

TEST_CASE("each length, depth and text has a key of its own, a number of so many digits") {
    // By Philox of the stream "keys": a number for each length and depth, and a row for each text.
    for (const std::size_t digits : {1, 5, 9}) {
        CAPTURE(digits);
        const std::vector<std::string> texts = texts_of(
            "lengths = [256, 300]\ndepths = [0, 0.5, 1]\ncontexts = 4\ndigits = " + std::to_string(digits) + "\n");
        REQUIRE(texts.size() == 2 * 3 * 4);
        for (std::uint32_t i = 0; i < texts.size(); ++i) {
            numerics::Random random(0, 0x6b657973, i / 4, i % 4);
            std::string key = std::to_string(1 + random.below(9));
            while (key.size() < digits) key += std::to_string(random.below(10));
            CHECK_THAT(texts[i], Catch::Contains("The pass key is " + key + ". Remember it. " + key + " is the"));
            CHECK(texts[i].size() == (i < 12 ? 256 : 300) - 1);  // all but the answer's last token
        }
    }
}

TEST_CASE("a key is put in wherever the needle names it") {
    for (const std::string& read : texts_of("lengths = [256]\nneedle = '{key}{key}, or {key}'\ncontexts = 2\n")) {
        const std::string key = read.substr(read.rfind(", or ") + 5, 5);
        CHECK_THAT(read,
                   Catch::Contains("x" + key + key + ", or " + key) || Catch::StartsWith(key + key + ", or " + key));
        CHECK_THAT(read, !Catch::Contains("{key}"));
    }
}

TEST_CASE("texts, needles and depths that mean nothing are refused") {
    const auto refusal = [](const std::string& settings, const measure::Subject& subject) {
        try {
            measured("retrieval", settings, subject);
        } catch (const core::UserError& error) {
            return core::format(error.diagnostics());
        }
        return std::string();
    };
    using Catch::Contains;
    CHECK_THAT(refusal("lengths = [100]", reader_of(1)),
               Contains("s.toml:1:12") && Contains("take 104 tokens of a length of 100"));
    CHECK_THAT(refusal("lengths = [512]\nneedle = 'no key'", reader_of(1)), Contains("'needle' has no {key}"));
    CHECK_THAT(refusal("lengths = [512]\ndepths = [1.5]", reader_of(1)),
               Contains("a depth is 1.5; expected a number from 0 to 1"));
    CHECK_THAT(refusal("lengths = [512]\ndepths = [-0.5]", reader_of(1)),
               Contains("a depth is -0.5; expected a number from 0 to 1"));
    CHECK_THAT(refusal("lengths = [512]\ndepths = [0, 0]", reader_of(1)), Contains("the depth 0 is listed twice"));
    CHECK_THAT(refusal("lengths = [512]\ndepths = []", reader_of(1)), Contains("'depths' is empty"));
    CHECK_THAT(refusal("lengths = [512]", reader_of(1, train::make_urn(256, 1))), Contains("is not a text"));
}

TEST_CASE("what a trained model goes on with is the token of the least loss") {
    const auto scheme = *scheme::Registry::builtin().find("alibi");
    const measure::Subject subject = subject_of(training_of(scheme, train::make_urn(8, 1)));
    const auto network = measure::network_of(*subject.models.front());
    model::Workspace<float> workspace;
    const std::vector<model::Token> tokens = {3, 1, 4, 1, 5, 2, 6, 5, 3, 5};
    constexpr std::size_t last = 4;
    const std::vector<model::Token> found = network->predicted(tokens, last, workspace);
    REQUIRE(found.size() == last);
    for (std::size_t i = 0; i < last; ++i) {
        std::vector<float> losses(8);
        const auto context = std::span(tokens).first(tokens.size() - last + 1 + i);
        for (model::Token target = 0; target < 8; ++target) {
            std::vector<model::Token> targets(context.size(), target);
            network->losses({context, targets, 1, context.size(), context.size()}, 1, workspace,
                            std::span(losses).subspan(static_cast<std::size_t>(target), 1));
        }
        CHECK(found[i] == std::min_element(losses.begin(), losses.end()) - losses.begin());
    }
}

TEST_CASE("a model whose logits are no numbers has no accuracy") {
    const float nan = std::nanf("");
    CHECK(checkpoint::largest(std::array{1.0F, 3.0F, 3.0F}) == 1);
    for (const auto& logits : {std::array{nan, 1.0F}, std::array{1.0F, nan}})
        CHECK(checkpoint::largest(logits) == model::ignored);
    measure::Subject subject = subject_of(training_of(scheme_of("bias = \"0\"\n"), text()));
    auto broken =
        std::make_shared<model::Model<float>>(subject.trainings.front().config, subject.trainings.front().scheme, 0);
    std::fill(broken->parameters().begin(), broken->parameters().end(), nan);
    subject.models.front() = broken;
    CHECK_THROWS_AS(measured("retrieval", "lengths = [256]\ncontexts = 1\n", subject), core::MissingError);
}

TEST_CASE("what a checkpoint goes on with has the largest of its logits") {
    const checkpoint::Checkpoint file(FARFIELD_SOURCE "/tests/fuzz/corpus/checkpoint/tiny.gguf");
    const checkpoint::Forward model(file, 2);
    const scheme::Scheme scheme = file.scheme(scheme::Registry::builtin(), {}, {});
    const std::vector<model::Token> tokens = {0, 1, 2, 3, 3, 1, 0, 2};
    std::vector<model::Token> all;
    const std::size_t vocabulary = file.shape().vocabulary;
    model.logits(scheme, tokens, [&](std::span<const float> logits) {
        for (std::size_t row = 0; row < logits.size(); row += vocabulary)
            all.push_back(static_cast<model::Token>(
                std::max_element(logits.begin() + static_cast<std::ptrdiff_t>(row),
                                 logits.begin() + static_cast<std::ptrdiff_t>(row + vocabulary)) -
                (logits.begin() + static_cast<std::ptrdiff_t>(row))));
    });
    REQUIRE(all.size() == tokens.size());
    for (const std::size_t last : {1, 3, 8})
        CHECK(model.predicted(scheme, tokens, last) ==
              std::vector<model::Token>(all.end() - static_cast<std::ptrdiff_t>(last), all.end()));
}
