import ReorderMetrics

/// What the service counts, at one moment.
package struct ServiceFigures: Sendable {
    package struct Commits: Sendable {
        /// How many changes became durable together; none where only answers did.
        package var changes: Distribution
        /// How long the store took for it, sync included.
        package var nanoseconds: Distribution
        package var failed: Int
    }

    package struct Cache: Sendable {
        package var lists: Int
        package var bytes: Int
        package var limitBytes: Int
        /// How often a list was in memory when it was needed, and how often it had to be read. A read
        /// that is answered with what is kept ready does not count here.
        package var hits: Int
        package var misses: Int
    }

    package var commits: Commits
    package var cache: Cache
    /// Of what the store keeps; `nil` where it does not tell.
    package var storeBytes: Int?
}

extension ListService {
    /// What was counted by now. Each number is whole by itself; together they are of about one moment.
    package var figures: ServiceFigures {
        ServiceFigures(
            commits: committer.tally.figures,
            cache: ServiceFigures.Cache(
                lists: cache.count, bytes: cache.bytes, limitBytes: limits.cacheBytes,
                hits: visits.hits.value, misses: visits.misses.value),
            storeBytes: store.sizeBytes)
    }
}
