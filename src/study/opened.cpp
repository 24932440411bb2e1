#include "study/opened.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <farfield/checkpoint/tokeniser.hpp>
#include <map>
#include <mutex>

namespace farfield::study {

namespace {

/// Opened things, by their source and settings. One is opened at a time; other callers that request it wait.
template <class Thing>
class Kept {
public:
    template <class Open>
    Thing find(const std::string& key, const Open& open) {
        const std::lock_guard lock(mutex_);
        const auto known = things_.find(key);
        return known != things_.end() ? known->second : things_.emplace(key, open()).first->second;
    }

private:
    std::mutex mutex_;
    std::map<std::string, Thing> things_;
};

OpenCheckpoint open(const std::string& path) {
    OpenCheckpoint opened;
    opened.header = std::make_shared<const checkpoint::Checkpoint>(path);
    const auto tokeniser = std::make_shared<const checkpoint::Tokeniser>(*opened.header);
    const std::vector<model::Token> line_break = tokeniser->encode("\n");
    opened.encoding = std::make_shared<const train::Encoding>(
        train::Encoding{opened.header->shape().vocabulary, line_break.empty() ? 0 : line_break.front(),
                        [tokeniser](std::string_view text) { return tokeniser->encode(text); }});
    opened.identity = opened.header->identity();
    return opened;
}

}  // namespace

OpenCheckpoint open_once(const std::string& path) {
    static Kept<OpenCheckpoint> kept;
    struct stat status = {};
    // For a folder, all files in it would have to be checked.
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return open(path);
    const std::string key = fmt::format("{}\n{} {} {} {}.{}", path, status.st_dev, status.st_ino, status.st_size,
                                        status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    return kept.find(key, [&] { return open(path); });
}

std::shared_ptr<const train::Source> open_once(const TrainItem& item, const OpenCheckpoint* checkpoint) {
    static Kept<std::shared_ptr<const train::Source>> kept;
    const train::CorpusSettings& corpus = item.corpus;
    const auto open = [&] { return train::open_corpus(corpus, checkpoint ? checkpoint->encoding.get() : nullptr); };
    const bool is_text = !corpus.builtin.empty() && !train::is_process(corpus.builtin);
    const bool has_own_tokens = !checkpoint && corpus.tokens != "bytes";  // a file of the user's
    if (!is_text || has_own_tokens) return open();
    return kept.find(item.corpus_text + "\n" + (checkpoint ? checkpoint->identity : ""), open);
}

}  // namespace farfield::study
