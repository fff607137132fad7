#if DEBUG && os(Linux)
    import Synchronization

    /// The number of lookups and steps among siblings, counted for a forest and its copies
    /// together. Debug builds on Linux count them, so that tests can compare the work for two lists.
    /// (`Atomic` would need iOS 18.)
    final class WorkCount: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }
#endif

extension Forest {
    /// Counts one lookup or step; does nothing in release builds and on other systems.
    @inline(__always)
    func countWork() {
        #if DEBUG && os(Linux)
            work.add()
        #endif
    }
}
