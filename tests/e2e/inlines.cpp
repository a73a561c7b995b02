// SPDX-License-Identifier: GPL-2.0-or-later
// A program whose code is mostly inlined: containers, algorithms, lambdas, templates, virtual functions,
// local classes. What it computes does not matter; symbolizer_test.sh asks where its instructions come from.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N>
struct Mixer {
    static inline unsigned mix(unsigned x) {
        return Mixer<N - 1>::mix(x * 2654435761u + N) ^ (x >> (N % 13));
    }
};
template <>
struct Mixer<0> {
    static inline unsigned mix(unsigned x) { return x; }
};

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
struct Square final : Shape {
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
    double side;
};
struct Disc final : Shape {
    explicit Disc(double radius) : radius(radius) {}
    double area() const override { return 3.14159 * radius * radius; }
    double radius;
};

template <class Key, class Value>
class Cache {
public:
    Value& get(const Key& key, const std::function<Value(const Key&)>& make) {
        if (const auto at = values_.find(key); at != values_.end()) return at->second;
        if (order_.size() >= 64) {
            values_.erase(order_.front());
            order_.pop_front();
        }
        order_.push_back(key);
        return values_.emplace(key, make(key)).first->second;
    }

private:
    std::unordered_map<Key, Value> values_;
    std::deque<Key> order_;
};

template <class T>
T sorted_sum(std::vector<T> values) {
    struct Descending {
        bool operator()(const T& a, const T& b) const { return b < a; }
    };
    std::sort(values.begin(), values.end());
    std::stable_sort(values.begin(), values.end(), Descending{});
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
    return std::accumulate(values.begin(), values.end(), T{});
}

std::map<std::string, std::vector<int>> words(unsigned seed) {
    std::map<std::string, std::vector<int>> found;
    std::mt19937 random(seed);
    for (int i = 0; i < 500; ++i) {
        std::string word;
        for (unsigned n = random() % 5; n < 6; ++n)
            word += static_cast<char>('a' + random() % 26);
        found[word].push_back(i);
    }
    std::erase_if(found, [](const auto& entry) { return entry.second.size() % 7 == 3; });
    return found;
}

using Any = std::variant<int, double, std::string, std::vector<int>>;

std::string describe(const Any& any) {
    return std::visit(
        [](const auto& value) -> std::string {
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, std::string>)
                return value;
            else if constexpr (std::is_same_v<T, std::vector<int>>)
                return std::to_string(value.size());
            else
                return std::to_string(value);
        },
        any);
}

double shapes(unsigned n) {
    std::vector<std::unique_ptr<Shape>> all;
    for (unsigned i = 0; i < n; ++i)
        if (i % 3)
            all.push_back(std::make_unique<Square>(i));
        else
            all.push_back(std::make_unique<Disc>(i));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->area() < b->area(); });
    return std::accumulate(all.begin(), all.end(), 0.0,
                           [](double sum, const auto& s) { return sum + s->area(); });
}

std::optional<long> parse(const std::string& text) {
    try {
        return std::stol(text);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

template <std::size_t N>
unsigned matrix(unsigned seed) {
    std::array<std::array<unsigned, N>, N> a{}, b{}, c{};
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) {
            a[i][j] = Mixer<9>::mix(seed + static_cast<unsigned>(i * j));
            b[i][j] = Mixer<17>::mix(seed ^ static_cast<unsigned>(i + j));
        }
    const auto cell = [&](std::size_t i, std::size_t j) {
        unsigned sum = 0;
        for (std::size_t k = 0; k < N; ++k)
            sum += a[i][k] * b[k][j];
        return sum;
    };
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j)
            c[i][j] = cell(i, j);
    return c[N / 2][N / 3] + c[N - 1][0];
}

/// The containers and algorithms once more for each of several types. llvm-dwp 14 does not end on the program
/// of g++ -gdwarf-5 with some sets of types, so its form .dwp would be skipped.
template <class... T>
std::size_t many(unsigned seed) {
    const auto one = [&]<class U>(U) {
        std::map<U, std::vector<U>> map;
        std::unordered_map<unsigned, std::deque<U>> buckets;
        for (unsigned i = 0; i < 100; ++i) {
            const U value = static_cast<U>(Mixer<5>::mix(seed + i) % 101);
            map[value].push_back(value);
            buckets[i % 7].push_front(value);
        }
        for (auto& [number, bucket] : buckets) {
            std::sort(bucket.begin(), bucket.end(),
                      [&, n = number](U a, U b) { return n % 2 ? a < b : b < a; });
            bucket.erase(std::unique(bucket.begin(), bucket.end()), bucket.end());
            std::partial_sort_copy(bucket.begin(), bucket.end(), map[0].begin(), map[0].end());
        }
        std::vector<U> all;
        for (const auto& [key, values] : map)
            all.insert(all.end(), values.rbegin(), values.rend());
        return static_cast<std::size_t>(sorted_sum(all)) + buckets.size();
    };
    return (one(T{}) + ...);
}

std::size_t many(unsigned seed) {
    return many<int, double>(seed);
}

}  // namespace

int main(int argc, char**) {
    const auto seed = static_cast<unsigned>(argc);
    Cache<std::string, std::vector<int>> cache;
    std::set<std::string> seen;
    std::list<Any> any;
    for (const auto& [word, places] : words(seed)) {
        auto& kept = cache.get(word, [&, count = places.size()](const std::string& key) {
            std::vector<int> lengths(key.size());
            std::iota(lengths.begin(), lengths.end(), static_cast<int>(count));
            return lengths;
        });
        if (seen.insert(word.substr(0, 3)).second) any.emplace_back(kept);
        any.emplace_back(word);
        any.emplace_back(shapes(static_cast<unsigned>(kept.size())));
    }
    any.sort([](const Any& a, const Any& b) { return describe(a) < describe(b); });
    std::ostringstream out;
    for (const Any& one : any)
        if (const auto value = parse(describe(one))) out << *value << ' ';
    std::vector<double> numbers{1.5, 2.5, 0.25};
    out << sorted_sum(numbers) << sorted_sum(std::vector<std::string>(seen.begin(), seen.end())).size();
    out << matrix<5>(seed) + matrix<12>(seed) + matrix<33>(seed) << many(seed);
    std::printf("%zu\n", out.str().size());
}
