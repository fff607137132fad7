#if DEBUG
    import Synchronization

    /// How often a forest and its copies looked something up among siblings, or took a step along
    /// them. Debug builds count that, so that a test can compare the work done on two lists.
    final class WorkCount: Sendable {
        private let count = Atomic(0)

        var value: Int { count.load(ordering: .relaxed) }

        func add() { count.add(1, ordering: .relaxed) }
    }
#endif

extension Forest {
    /// Counts one look-up or one step; nothing in release builds.
    @inline(__always)
    func countWork() {
        #if DEBUG
            work.add()
        #endif
    }
}
