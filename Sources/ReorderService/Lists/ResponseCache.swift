import ReorderEngine
import ReorderJSON

/// What a reader made of a list at a version, such as its document ready to be sent.
package protocol CachedResponse: AnyObject, Sendable {
    /// The memory that it takes, in bytes.
    var byteCount: Int { get }
}

/// Which of the renderings of a list.
package enum ResponseCacheKey: Sendable, Hashable {
    /// The document, with so much of its tasks.
    case document(ListDocument.Window)
    /// The answer to who has the version already.
    case unchanged
}

/// The renderings of a list's current version: few, for each is as large as what it shows.
struct ResponseCache {
    private var kept: [(key: ResponseCacheKey, rendering: any CachedResponse)] = []
    private(set) var byteCount = 0
    /// Responses that are too large to keep. They are shared for as long as somebody sends them.
    private var shared: [SharedRendering] = []

    private struct SharedRendering {
        let key: ResponseCacheKey
        weak var rendering: (any CachedResponse)?
    }

    private static let most = 8

    subscript(key: ResponseCacheKey) -> (any CachedResponse)? {
        kept.first { $0.key == key }?.rendering ?? shared.first { $0.key == key }?.rendering
    }

    /// Keeps one more; where there are enough, the oldest goes.
    mutating func keep(_ rendering: any CachedResponse, as key: ResponseCacheKey) {
        kept.removeAll { $0.key == key }
        if kept.count >= Self.most { kept.removeFirst() }
        kept.append((key, rendering))
        byteCount = kept.reduce(0) { $0 + $1.rendering.byteCount }
    }

    /// Has readers of the version share a rendering, without keeping it for later ones.
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

/// What is rendered of a list at a version.
struct CachedResponseSubject: Hashable {
    var id: String
    var version: Int
    var key: ResponseCacheKey
}

/// A list at a version, as a reader asked for it.
package struct ListReading: Sendable {
    package enum Content: Sendable {
        /// The rendering that was kept under the key.
        case kept(any CachedResponse)
        /// Nothing was kept: the list to render.
        indirect case list(ReorderableList)
    }

    package var id: String
    package var version: Int
    package var key: ResponseCacheKey
    package var content: Content
}

extension ListService {
    /// The list as it is once all that is decided by now is durable: a rendering of it if one was kept, else
    /// a copy of the list.
    ///
    /// - Parameter key: which rendering of a version is needed. Called under the list's lock.
    package func read(
        _ id: String, _ context: RequestContext, as key: (_ version: Int) -> ResponseCacheKey
    ) throws(ServiceError) -> ListReading {
        if let reading = context.existingProgress?.reading { return reading }
        return try decide(on: id, isRead: true, context) { lists throws(Interruption) in
            let list = lists.list
            guard list.state.exists else { throw .refused(.listNotFound(id)) }
            let version = list.state.version
            let key = key(version)
            let kept = list.state.responseCache[key].map { ListReading.Content.kept($0) }
            return ListReading(
                id: id, version: version, key: key, content: kept ?? .list(list.state.list))
        }
    }

    /// The rendering that is kept of a list as it is now, if nothing has to be waited for. nil does not mean
    /// that there is none: `read` finds out.
    package func kept(
        of id: String, as key: (_ version: Int) -> ResponseCacheKey?
    ) -> (any CachedResponse)? {
        guard sharing == nil else { return nil }
        let kept = cache.present(id)?.withLockIfAvailable { state -> (any CachedResponse)? in
            guard state.isDurable, !state.isInvalidated else { return nil }
            state.isWarm = true
            return key(state.version).flatMap { state.responseCache[$0] }
        }
        return kept ?? nil
    }

    /// A rendering that a worker makes, once for all requests that need it at the same time. It is kept.
    ///
    /// - Parameters:
    ///   - tasks: how many tasks are shown or passed over.
    ///   - make: returns nil if it can't be rendered.
    package func rendering(
        of reading: ListReading, tasks: Int, _ context: RequestContext,
        _ make: @escaping @Sendable () -> (any CachedResponse)?
    ) throws(ServiceError) -> any CachedResponse {
        // The response is about this version, whatever the list is by then.
        context.progress.reading = reading
        return try context.wait(for: \.rendering) { reply throws(ServiceError) in
            let subject = CachedResponseSubject(
                id: reading.id, version: reading.version, key: reading.key)
            let isFirst = rendering.withLock { waiting in
                waiting[subject, default: []].append(reply)
                return waiting[subject]?.count == 1
            }
            guard isFirst else { return }
            let isTaken = workers.run(WorkerThreads.Size(tasks: tasks)) { [self] in
                let made = make()
                if let made { keep(made, of: reading) }
                finish(subject, made)
            }
            if !isTaken { finish(subject, nil) }
        }
    }

    private func finish(_ subject: CachedResponseSubject, _ made: (any CachedResponse)?) {
        let waiting = rendering.withLock { $0.removeValue(forKey: subject) } ?? []
        for reply in waiting { reply.fill(made.map { .success($0) } ?? .failure(.unavailable)) }
    }

    /// Keeps a rendering until the list changes or leaves memory.
    ///
    /// Its bytes count as the list's, within the limit of the memory that lists take. A rendering that would
    /// take more than an eighth of that alone is not kept, but shared by all requests that send it at the same
    /// time.
    package func keep(_ rendering: any CachedResponse, of reading: ListReading) {
        guard let list = cache.present(reading.id) else { return }
        let isTooLarge = rendering.byteCount > limits.cacheBytes / 8
        let growthBytes = list.withLock { state -> Int in
            guard !state.isInvalidated, state.exists, state.version == reading.version else {
                return 0
            }
            guard !isTooLarge else {
                state.responseCache.share(rendering, as: reading.key)
                return 0
            }
            state.responseCache.keep(rendering, as: reading.key)
            return state.takeGrowth()
        }
        cache.charge(growthBytes)
    }
}
