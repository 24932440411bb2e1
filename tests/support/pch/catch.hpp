// Compiled once for each test program: it takes a second of every source.
#include <catch2/catch.hpp>
