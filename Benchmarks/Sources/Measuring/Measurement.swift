import Foundation

/// The processor time of an operation in nanoseconds: the minimum over many batches, because other
/// work on the machine can only add time.
///
/// `prepare` creates the operations of a batch before the measurement. So the operations' ids are
/// in the caches, as after reading a request, but the tasks are not, because each batch has
/// different ones.
package func nanoseconds<Operation>(
    perOperationIn count: Int = 500, batches: Int = 60, prepare: () -> Operation,
    _ perform: (Operation) -> Void
) -> Double {
    var fastest = Double.infinity
    for _ in 0..<batches {
        let operations = (0..<count).map { _ in prepare() }
        let start = processorNanoseconds()
        for operation in operations { perform(operation) }
        fastest = min(fastest, (processorNanoseconds() - start) / Double(count))
    }
    return fastest
}

/// The processor time of this thread, without the time of other threads and processes.
private func processorNanoseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Prevents the optimizer from removing the computation of a value.
@inline(never)
package func blackHole<Value>(_ value: Value) {}

/// A generator with a fixed seed, so that every run does the same work (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
