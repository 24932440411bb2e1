#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/train/checkpoint.hpp>
#include <farfield/train/memory.hpp>
#include <farfield/train/synthetic.hpp>
#include <farfield/train/training.hpp>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "train/train_support.hpp"
#include "train/trainer.hpp"

using namespace train_support;
using Catch::Contains;

TEST_CASE("training lowers the loss to the bound of the chain") {
    // Each token comes again with probability 0.9: ln 2 without context, the entropy of 0.9 with a token of it.
    const Chain chain{2, 1, {0.9, 0.1, 0.1, 0.9}};
    Training training = small("alibi", 400);
    training.config.vocabulary = 2;
    training.source = make_chain(chain);
    training.batch = 16;
    training.schedule.peak = 5e-3;
    const Trained trained = train_one(training);
    REQUIRE(trained.finished);
    double last = 0;
    for (std::size_t i = 300; i < 400; ++i) last += trained.losses[i] / 100;
    // The first target of a row's 16 has one token of context too. 25600 targets of standard deviation 0.66: five
    // standard errors are 0.021, and the model may be 0.03 above the bound.
    CHECK(last > chain_nll(chain, 1) - 0.021);
    CHECK(last < chain_nll(chain, 1) + 0.051);
    CHECK(trained.losses[0] > last + 0.1);
}

TEST_CASE("training with products in bf16 follows training in float closely and is another training") {
    Training training = small("alibi", 60);
    const Trained exact = train_one(training);
    const std::string key = key_of(training);
    training.config.precision = model::Precision::bf16;
    const Trained rounded = train_one(training);
    CHECK(key_of(training) != key);
    CHECK(rounded.losses != exact.losses);
    REQUIRE(rounded.losses.size() == exact.losses.size());
    // Operands that err by 2^-9 at most, in four products a layer, move a loss near log 8 by far less than a hundredth.
    for (std::size_t i = 0; i < exact.losses.size(); ++i) CHECK(std::fabs(rounded.losses[i] - exact.losses[i]) < 0.01);
}

TEST_CASE("the same training gives the same bytes on one processor and on two, alone and together with others") {
    const Training training = small();
    Training other = training;
    other.seed = 4;
    Control control;
    control.processors = 1;
    const Trained alone = train_one(training, control);
    control.processors = 2;
    check_same(train_one(training, control), alone);
    const std::vector<Trained> both = train_all({other, training}, control);
    check_same(both[1], alone);
    CHECK(both[0].losses != alone.losses);
}

TEST_CASE("a training that was stopped and resumed equals one that was not, to the last bit") {
    const Training training = small("kerple-log");
    const Trained whole = train_one(training);
    const Folder folder;
    Control control = with_cache(folder);
    std::atomic<int> steps = 0;
    control.progress = [&](double) { ++steps; };
    control.interrupted = [&] { return steps >= 13; };
    const Trained part = train_one(training, control);
    CHECK_FALSE(part.finished);
    CHECK(part.losses.size() < 40);
    CHECK(part.losses.size() > 0);
    const Trained rest = train_one(training, with_cache(folder));
    CHECK(rest.finished);
    check_same(rest, whole);
    const Trained again = train_one(training, with_cache(folder));
    CHECK_FALSE(again.trained_here);
    check_same(again, whole);
}

TEST_CASE("a training is resumed from a checkpoint before the first step") {
    const Training training = small("kerple-log");
    const Trainer never_begun(training);
    Trainer restored(training);
    restored.restore(never_begun.checkpoint(), "x");
    Trainer fresh(training);
    StepBuffers buffers(1);
    for (Trainer* each : {&restored, &fresh}) each->step(buffers);
    check_same(restored.result(), fresh.result());
}

TEST_CASE("a training killed at any moment loses at most the steps since its last checkpoint") {
    const Training training = small("t5", 400);
    const Trained whole = train_one(training);
    for (const int milliseconds : {1, 20, 60}) {
        const Folder folder;
        const std::string path = unfinished_path(folder.path(), training);
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            train_all({training}, with_cache(folder, 5));
            ::_exit(0);
        }
        const auto start = std::chrono::steady_clock::now();
        while (!std::filesystem::exists(path) && std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        // What stands there is whole, and at a multiple of five steps.
        const bool is_finished = !std::filesystem::exists(path);
        const Checkpoint checkpoint = load_checkpoint(is_finished ? checkpoint_path(folder.path(), training) : path);
        CHECK(std::stoul(checkpoint.metadata.at("steps")) % 5 == 0);
        check_same(train_one(training, with_cache(folder)), whole);
    }
}

TEST_CASE("a loss that diverges stops its model with the step and keeps the others") {
    Training wild = small("alibi", 60);
    wild.schedule = {1e30, 0, 60, 1};
    wild.clip = 0;
    const Folder folder;
    const std::vector<Trained> trained = train_all({wild, small()}, with_cache(folder));
    REQUIRE(trained[0].diverged);
    CHECK(*trained[0].diverged == trained[0].losses.size());
    CHECK(*trained[0].diverged < 60);
    CHECK(trained[0].finished);
    CHECK_FALSE(trained[1].diverged);
    CHECK(trained[1].losses.size() == 40);
    const Trained again = train_one(wild, with_cache(folder));
    CHECK(again.diverged == trained[0].diverged);
    CHECK_FALSE(again.trained_here);
}

TEST_CASE("a bias that is not a number is reported with its head and distance") {
    Training training = small();
    training.scheme = scheme_of("bias = 'sqrt(n - 3*(h - 1))'");
    try {
        train_one(training);
        FAIL("the model was trained");
    } catch (const core::UserError& error) {
        CHECK_THAT(core::format(error.diagnostics().front()), Contains("head 2") && Contains("distance"));
    }
}

// e^100 = 2.69e43, e^80 is a float.
TEST_CASE("numbers beyond float are reported with their piece, and not as a divergence") {
    Training training = small();
    for (const auto& [text, piece] : std::map<std::string, std::string>{
             {"embed = { even = 'sqrt(4 - p)', odd = '0' }", "embed.even is nan at position 5"},
             {"bias = 'exp(20*n)'", "bias is 2.68812e+43 at head 1, layer 1, distance 5"},
             {"temperature = '1/(q - 3)'", "temperature is inf at head 1, layer 1, query 3"}}) {
        training.scheme = scheme_of(text);
        CHECK_THROWS_WITH(train_one(training), Contains(piece));
    }
}

TEST_CASE("a disk that fills up stops no training, and the last checkpoint that fits stays") {
    const Training training = small("alibi", 60);
    const Trained whole = train_one(training);
    const Folder folder;
    Control control = with_cache(folder, 10);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    std::atomic<int> steps = 0;
    control.progress = [&](double) {
        const rlimit limit{4096, before.rlim_max};
        if (++steps == 35) ::setrlimit(RLIMIT_FSIZE, &limit);
    };
    const Trained trained = train_one(training, control);
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    CHECK_THAT(trained.not_kept, Contains("File too large") && Contains("--cache"));
    check_same(trained, whole);
    CHECK(load_checkpoint(unfinished_path(folder.path(), training)).metadata.at("steps") == "30");
    const Trained again = train_one(training, with_cache(folder));
    CHECK(again.not_kept.empty());
    check_same(again, whole);
}

TEST_CASE("a training that fails reports its reason and does not stop the others") {
    Training bad = small();
    bad.scheme = scheme_of("bias = 'sqrt(n - 3*(h - 1))'");
    Training damaged = small();
    damaged.seed = 4;
    const Folder folder;
    const std::string path = checkpoint_path(folder.path(), damaged);
    std::filesystem::create_directories(path);  // a folder where its checkpoint would be
    for (const std::size_t processors : {1, 2}) {
        Control control = with_cache(folder);
        control.processors = processors;
        control.fresh = true;
        const std::vector<Trained> fresh = train_all({bad, small(), damaged}, control);
        CHECK_THROWS_AS(std::rethrow_exception(fresh[0].failure), core::UserError);
        CHECK_FALSE(fresh[1].failure);
        check_same(fresh[1], train_one(small()));
        // It is trained, and its checkpoint cannot be written.
        CHECK_FALSE(fresh[2].failure);
        CHECK_THAT(fresh[2].not_kept, Contains(path));
        control.fresh = false;
        const std::vector<Trained> read = train_all({bad, small(), damaged, damaged}, control);
        CHECK_THROWS_AS(std::rethrow_exception(read[0].failure), core::UserError);
        CHECK_FALSE(read[1].failure);
        CHECK_THROWS_WITH(std::rethrow_exception(read[2].failure), Contains(path) && Contains("is a folder"));
        CHECK_THROWS_WITH(std::rethrow_exception(read[3].failure), Contains(path));
    }
}

TEST_CASE("trainings that do not fit into memory side by side are trained one after the other") {
    Training large = small("alibi", 2);
    large.config.width = 256;
    large.config.layers = 4;
    Training other = large;
    other.seed = 4;
    const double parameters = parts_of(large, 1).back().bytes / 4;
#if defined(M_ARENA_MAX)
    ::mallopt(M_ARENA_MAX, 1);  // another for each thread would take 64 MiB of the address space, at times 128
#endif
    const auto threads_used = [&](double available) {
        rlimit before{};
        REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
        double pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const double taken = pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
        const rlimit tight{static_cast<rlim_t>(taken + available), before.rlim_max};
        std::mutex mutex;
        std::set<std::thread::id> threads;
        Control control;
        control.processors = 2;
        control.progress = [&](double) {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
        };
        REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
        const std::vector<Trained> trained = train_all({large, other}, control);
        REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
        for (const Trained& each : trained) CHECK(each.finished);
        return threads.size();
    };
    // One takes its own on both processors and the other's parameters; two take twice what one takes on a processor.
    const double one = total_bytes(parts_of(large, 2)) + parameters;
    const double two = 2 * total_bytes(parts_of(large, 1));
    REQUIRE(two > 1.4 * one);
    CHECK(threads_used(0.5 * (one + two)) == 1);
    CHECK(threads_used(8 * two) == 2);
#if defined(M_ARENA_MAX)
    ::mallopt(M_ARENA_MAX, 0);
#endif
}

TEST_CASE("the training with most left to do is begun first") {
    std::vector<Training> trainings;
    for (const std::size_t steps : {20, 60, 40}) {
        trainings.push_back(small("alibi", steps));
        trainings.back().seed = steps;
    }
    std::vector<std::uint64_t> begun;
    Control control;
    control.processors = 1;
    control.unsaved = [&](const Training& training, std::size_t) {
        if (std::find(begun.begin(), begun.end(), training.seed) == begun.end()) begun.push_back(training.seed);
    };
    const std::vector<Trained> trained = train_all(trainings, control);
    CHECK(begun == std::vector<std::uint64_t>{60, 40, 20});
    for (std::size_t i = 0; i < 3; ++i) CHECK(trained[i].losses.size() == trainings[i].schedule.steps);
}

TEST_CASE("equal models are equal files, however often the training was stopped and on any number of threads") {
    const Training training = small("kerple-log");
    std::vector<std::string> files;
    for (const std::size_t processors : {1, 2}) {
        const Folder folder;
        Control control = with_cache(folder);
        control.processors = processors;
        std::atomic<int> steps = 0;
        control.progress = [&](double) { ++steps; };
        control.interrupted = [&] { return processors == 2 && steps >= 13; };
        if (processors == 2) CHECK_FALSE(train_one(training, control).finished);
        control.interrupted = [] { return false; };
        CHECK(train_one(training, control).finished);
        files.push_back(core::read_file(checkpoint_path(folder.path(), training)));
    }
    CHECK(files[0] == files[1]);
}

TEST_CASE("the number of unsaved steps is reported after each step and checkpoint") {
    const Folder folder;
    Control control = with_cache(folder, 5);
    std::vector<std::size_t> unsaved;
    control.unsaved = [&](const Training&, std::size_t steps) { unsaved.push_back(steps); };
    train_one(small("alibi", 12), control);
    CHECK(unsaved == std::vector<std::size_t>{1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 0});
    unsaved.clear();
    control.cache.clear();
    train_one(small("alibi", 3), control);
    CHECK(unsaved == std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("accumulated batches are equivalent to a larger one") {
    Training twice = small("alibi", 3);
    twice.accumulate = 2;
    Training large = small("alibi", 3);
    large.batch = 8;
    const Trained a = train_one(twice), b = train_one(large);
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(a.losses[i] - b.losses[i]) < 1e-5);
}

TEST_CASE("a damaged checkpoint and one of another shape are reported, not used, and trained again") {
    const Folder folder;
    const Training training = small("alibi", 6);
    const Trained whole = train_one(training, with_cache(folder));
    const std::string path = checkpoint_path(folder.path(), training);
    const std::string bytes = core::read_file(path);
    const Checkpoint good = load_checkpoint(path);
    const auto check_again = [&](const char* reason) {
        const Trained again = train_one(training, with_cache(folder));
        CHECK_THAT(again.discarded, Contains(path) && Contains(reason));
        CHECK(again.trained_here);
        check_same(again, whole);
        CHECK(core::read_file(path) == bytes);
    };
    Checkpoint other = good;
    other.tensors[0].shape = {other.tensors[0].shape[1], other.tensors[0].shape[0]};
    save_checkpoint(path, other);
    check_again("shape");
    other = good;
    other.metadata["key"] = "other";
    save_checkpoint(path, other);
    check_again("of another training");
    std::filesystem::resize_file(path, 100);
    check_again("cut short");
    const Trained read = train_one(training, with_cache(folder));
    CHECK(read.discarded.empty());
    CHECK_FALSE(read.trained_here);
}

TEST_CASE("a checkpoint never replaces the finished model of another process, which is used instead") {
    const Folder folder;
    const Training training = small("alibi", 12);
    Control behind = with_cache(folder, 5);
    std::vector<std::string> kept;
    behind.kept = [&](const Training& each, double seconds) { kept.push_back(seconds > 0 ? each.name : ""); };
    Trained whole;
    std::atomic<int> steps = 0;
    behind.progress = [&](double) {
        if (++steps == 3) whole = train_one(training, with_cache(folder));  // the other process
    };
    const Trained taken = train_one(training, behind);
    check_same(taken, whole);
    CHECK(steps == 5);
    CHECK(kept.empty());
    CHECK_FALSE(std::filesystem::exists(unfinished_path(folder.path(), training)));
    CHECK_FALSE(train_one(training, behind).trained_here);
    CHECK(kept == std::vector<std::string>{""});
}

TEST_CASE("the key of a training changes with all that its result depends on, and with nothing else") {
    const Training training = small();
    Training same = training;
    same.name = "another name";
    CHECK(key_of(same) == key_of(training));
    std::vector<Training> others(11, training);
    others[0].seed = 5;
    others[1].batch = 5;
    others[2].schedule.steps = 41;
    others[3].schedule.peak = 1e-3;
    others[4].config.layers = 3;
    others[5].config.train_length = 17;
    others[6].source = make_urn(8, 2);
    others[7].scheme = *scheme::Registry::builtin().find("windowed");
    others[8].clip = 2;
    others[9].optimiser.decay = 0;
    others[10].config.tied = true;
    for (const Training& other : others) CHECK(key_of(other) != key_of(training));
}

TEST_CASE("a part that acts only on longer inputs is trained once and used by both") {
    Training plain = small("xpos", 12);
    Training masked = small("lex", 12);
    CHECK(key_of(plain) == key_of(masked));
    const std::vector<Trained> both = train_all({plain, masked}, {});
    CHECK(both[0].trained_here);
    CHECK_FALSE(both[1].trained_here);
    check_same(both[0], both[1]);
    CHECK(both[1].model->scheme().name == "lex");
    check_same(train_one(masked), both[1]);
    // Where the condition holds at the training length it is part of what is trained.
    masked.scheme = scheme_of("extends = 'xpos'\nmask = { formula = 'n < 4', when = 'L >= Ltr' }");
    CHECK(key_of(plain) != key_of(masked));
    masked.scheme = scheme_of("extends = 'xpos'\nmask = { formula = 'n < 4', when = 'h > 1' }");
    CHECK(key_of(plain) != key_of(masked));
}

TEST_CASE("a choice by lengths is trained as its branch at the training length") {
    Training plain = small("rotary", 12);
    Training longer = plain;
    longer.scheme = scheme_of("rotate = { angle = '(L > Ltr ? p*Ltr/L : p)*10000^(-2*i/d)' }");
    CHECK(key_of(plain) == key_of(longer));
    check_same(train_one(plain), train_one(longer));
    // It is the other branch at the training length, or lengths alone do not decide.
    longer.scheme = scheme_of("rotate = { angle = '(L >= Ltr ? p*Ltr/L : p)*10000^(-2*i/d)' }");
    CHECK(key_of(plain) != key_of(longer));
    longer.scheme = scheme_of("rotate = { angle = '(p >= Ltr ? p*Ltr/L : p)*10000^(-2*i/d)' }");
    CHECK(key_of(plain) != key_of(longer));
}
