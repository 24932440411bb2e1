// Fits process long columns in blocks of rows. Blocks form chunks, which threads process and whose results are combined
// in order, so that nothing depends on the number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "numerics/parallel.hpp"

namespace farfield::numerics {

constexpr std::size_t rows_a_block = 512;
constexpr std::size_t rows_a_chunk = 64 * rows_a_block;

/// Calls `work(first, count)` for each chunk of `rows`; results are in order.
template <class Result, class Work>
std::vector<Result> for_each_chunk(std::size_t rows, Result initial, Work work) {
    const std::size_t chunks = (rows + rows_a_chunk - 1) / rows_a_chunk;
    std::vector<Result> results(chunks, initial);
    in_parallel(chunks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t chunk = begin; chunk < end; ++chunk) {
            const std::size_t first = chunk * rows_a_chunk;
            results[chunk] = work(first, std::min(rows_a_chunk, rows - first));
        }
    });
    return results;
}

/// Calls `work(first, count)` for the blocks of a chunk, in order.
template <class Work>
void for_each_block(std::size_t first, std::size_t count, Work work) {
    for (std::size_t done = 0; done < count; done += rows_a_block) {
        work(first + done, std::min(rows_a_block, count - done));
    }
}

}  // namespace farfield::numerics
