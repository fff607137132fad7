/// The upper bounds of a histogram's buckets, ascending, in whole units. A value belongs to the
/// first bucket whose bound it does not exceed, or to the one after the last bound.
package struct BucketBounds: Sendable {
    package let upper: [Int]

    package init(_ upper: [Int]) {
        self.upper = upper
    }

    /// The number of buckets.
    package var bucketCount: Int { upper.count + 1 }

    /// The bucket of a value. Complexity: O(buckets); the first ones are found fastest.
    package func bucket(of value: Int) -> Int {
        upper.firstIndex { value <= $0 } ?? upper.count
    }

    /// Bounds for durations in nanoseconds, from a quarter of a millisecond to ten seconds.
    package static let requestNanoseconds = BucketBounds(
        [250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000]
            .map { $0 * 1_000 } + [1, 2.5, 5, 10].map { Int($0 * 1_000_000_000) })
}

/// The values of a histogram at one moment: the number of values in each bucket.
package struct Distribution: Sendable, Equatable {
    package var upper: [Int]
    /// One for each bucket, not cumulative.
    package var counts: [Int]
    package var sum: Int

    package init(_ bounds: BucketBounds) {
        upper = bounds.upper
        counts = Array(repeating: 0, count: bounds.bucketCount)
        sum = 0
    }

    package var count: Int { counts.reduce(0, +) }
}

/// A histogram with one writer at a time and any number of readers.
package final class Histogram: Sendable {
    private let bounds: BucketBounds
    private let cells: CounterRow

    package init(_ bounds: BucketBounds) {
        self.bounds = bounds
        cells = CounterRow(count: bounds.bucketCount + 1)
    }

    package func record(_ value: Int) {
        cells.add(1, to: bounds.bucket(of: value))
        cells.add(value, to: bounds.bucketCount)
    }

    package var distribution: Distribution {
        var distribution = Distribution(bounds)
        for bucket in 0..<bounds.bucketCount { distribution.counts[bucket] = cells[bucket] }
        distribution.sum = cells[bounds.bucketCount]
        return distribution
    }
}
