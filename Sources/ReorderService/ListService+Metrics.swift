extension ListService {
    /// The current metrics. Each number is exact, but they are read one after another.
    package var metrics: ServiceMetrics {
        ServiceMetrics(
            commits: durable.recorder.metrics,
            cache: ServiceMetrics.Cache(
                lists: loadedListCount, bytes: durable.published.bytes,
                limitBytes: limits.cacheBytes, hits: durable.use.hits.value,
                misses: durable.use.misses.value),
            store: store.usage, isReadable: isReadable, isReady: isReady)
    }
}
