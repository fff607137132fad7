import ReorderEngine
import ReorderJSON

/// A response rendered from a list at a version, for example its document.
package protocol CachedResponse: AnyObject, Sendable {
    /// The memory that it uses in bytes.
    var byteCount: Int { get }
}

/// The kind of a cached response: a list's document with a window of its tasks, in one coding.
package struct ResponseCacheKey: Sendable, Hashable {
    package var window: ListDocument.Window
    package var isCompressed: Bool

    package init(_ window: ListDocument.Window, isCompressed: Bool = false) {
        self.window = window
        self.isCompressed = isCompressed
    }
}

/// The cached responses for a list's current version. There are only a few, because each can be as
/// large as the list.
struct ResponseCache {
    private var kept: [(key: ResponseCacheKey, rendering: any CachedResponse)] = []
    private(set) var byteCount = 0
    /// Responses that are too large to cache. They are shared while a request sends them.
    private var shared: [SharedRendering] = []

    private struct SharedRendering {
        let key: ResponseCacheKey
        weak var rendering: (any CachedResponse)?
    }

    private static let most = 8

    /// The number of responses, including the shared ones.
    var count: Int { kept.count + shared.count }

    subscript(key: ResponseCacheKey) -> (any CachedResponse)? {
        kept.first { $0.key == key }?.rendering ?? shared.first { $0.key == key }?.rendering
    }

    /// Adds a response. If the cache is full, the oldest one is removed.
    mutating func keep(_ rendering: any CachedResponse, as key: ResponseCacheKey) {
        kept.removeAll { $0.key == key }
        if kept.count >= Self.most { kept.removeFirst() }
        kept.append((key, rendering))
        byteCount = kept.reduce(0) { $0 + $1.rendering.byteCount }
    }

    /// Shares a response with concurrent requests, without caching it for later ones.
    mutating func share(_ rendering: any CachedResponse, as key: ResponseCacheKey) {
        shared.removeAll { $0.key == key || $0.rendering == nil }
        if shared.count >= Self.most { shared.removeFirst() }
        shared.append(SharedRendering(key: key, rendering: rendering))
    }

    mutating func removeAll() {
        if !shared.isEmpty { shared = [] }
        guard !kept.isEmpty else { return }
        kept = []
        byteCount = 0
    }
}

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
        let isFirst = rendering.withLock { waiting in
            waiting[subject, default: []].append(done)
            return waiting[subject]?.count == 1
        }
        guard isFirst else { return }
        let isTaken = workers.run(size) { [self] in
            let made = make()
            if let made { keep(made, of: reading) }
            finish(subject, made)
        }
        if !isTaken { finish(subject, nil) }
    }

    private func finish(_ subject: CachedResponseSubject, _ made: (any CachedResponse)?) {
        let waiting = rendering.withLock { $0.removeValue(forKey: subject) } ?? []
        for done in waiting { done(made.map { .success($0) } ?? .failure(.unavailable)) }
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
