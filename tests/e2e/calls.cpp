// SPDX-License-Identifier: GPL-2.0-or-later
// A program of known calls: main calls outer, outer calls inner, in which nearly all the time goes, most of
// it in an inlined function of another file.
#include "tests/e2e/calls.h"

volatile unsigned long sink;

namespace shop {

struct Counter {
    void inner(unsigned long n);
    void outer(unsigned long n);
};

void Counter::inner(unsigned long n) {
    while (n--)
        add_square<unsigned long>(sink, n);
}

void Counter::outer(unsigned long n) {
    inner(n);
    sink = sink + 1;
}

}  // namespace shop

int main(int argc, char**) {
    shop::Counter counter;
    for (unsigned long i = 0; i < 300; i++)
        counter.outer(static_cast<unsigned long>(argc) * 1000000);
    return 0;
}
