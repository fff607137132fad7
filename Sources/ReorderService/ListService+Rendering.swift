import ReorderEngine

/// A list at a version, and the kind of response that is being rendered.
struct CachedResponseSubject: Hashable {
    var source: ObjectIdentifier
    var version: Int
    var key: ResponseCacheKey
}

/// A list at a version, for a read request.
package struct ListReading: Sendable {
    package enum Content: Sendable {
        /// The cached response for the key.
        case kept(any CachedResponse)
        /// The list, if no response was cached.
        indirect case list(ReorderableList)
    }

    package var id: String
    package var version: Int
    package var key: ResponseCacheKey
    package var content: Content
    /// The state that was read.
    let source: Snapshot
}

extension ListService {
    /// Finds a cached response, or the list if no response is cached.
    ///
    /// - Parameter key: returns the kind of response that the request needs for a version.
    package func read(
        _ id: String, as key: @escaping @Sendable (_ version: Int) -> ResponseCacheKey,
        _ done: @escaping Completion<ListReading>
    ) {
        findExisting(id) { found in
            done(
                found.map { snapshot in
                    let key = key(snapshot.version)
                    let kept = snapshot.renderings.withLock { $0[key] }
                    return ListReading(
                        id: id, version: snapshot.version, key: key,
                        content: kept.map { .kept($0) } ?? .list(snapshot.list.list),
                        source: snapshot)
                })
        }
    }

    /// Returns the cached response for the current version if the request does not have to wait. If
    /// it returns nil, `read` can still find one.
    package func kept(
        of id: String, as key: (_ version: Int) -> ResponseCacheKey?
    ) -> (any CachedResponse)? {
        guard currentLists == nil, let snapshot = durable.published.find(id),
            let key = key(snapshot.version)
        else {
            return nil
        }
        return snapshot.renderings.withLock { $0[key] }
    }

    /// Renders a response on a worker, once for all requests that need it at the same time. The
    /// response is cached.
    ///
    /// - Parameters:
    ///   - size: the size of the work.
    ///   - make: returns nil if the response can't be rendered.
    package func render(
        _ reading: ListReading, size: WorkerThreads.Size,
        _ done: @escaping Completion<any CachedResponse>,
        _ make: @escaping @Sendable () -> (any CachedResponse)?
    ) {
        let subject = CachedResponseSubject(
            source: ObjectIdentifier(reading.source), version: reading.version, key: reading.key)
        guard let end = renderings.join(subject, done) else { return }
        let isTaken = workers.run(size) { [self] in
            let made = make()
            if let made { keep(made, of: reading) }
            end(made.map { .success($0) } ?? .failure(.unavailable))
        }
        if !isTaken { end(.failure(.unavailable)) }
    }

    /// Caches a response until the list changes or leaves memory.
    ///
    /// Its bytes count towards the limit of the list cache. A response larger than an eighth of
    /// that limit is not cached, but shared by the requests that send it at the same time.
    package func keep(_ rendering: any CachedResponse, of reading: ListReading) {
        let isTooLarge = rendering.byteCount > limits.cacheBytes / 8
        reading.source.renderings.withLock { renderings in
            if isTooLarge {
                renderings.share(rendering, as: reading.key)
            } else {
                renderings.keep(rendering, as: reading.key)
            }
        }
        durable.published.recount(reading.source)
    }
}
