import ReorderMetrics
import ReorderStore

/// The service's metrics at one moment.
package struct ServiceMetrics: Sendable {
    package struct Commits: Sendable {
        /// The number of changes in each commit; 0 if the commit stored only responses.
        package var changes: Distribution
        /// The duration of each commit, including the sync.
        package var nanoseconds: Distribution
        package var failed: Int
    }

    package struct Cache: Sendable {
        package var lists: Int
        package var bytes: Int
        package var limitBytes: Int
        /// How often a list was in memory when it was needed, and how often it had to be loaded.
        /// Reads from the response cache are not counted.
        package var hits: Int
        package var misses: Int
    }

    package var commits: Commits
    package var cache: Cache
    package var store: StoreUsage
    /// See `ListService`.
    package var isReadable: Bool
    package var isReady: Bool
}
