import ReorderEngine
import ReorderJSON

/// What a reader made of a list at a version, such as its document ready to be sent.
package protocol Rendering: AnyObject, Sendable {
    /// The memory that it takes, in bytes.
    var byteCount: Int { get }
}

/// Which of the renderings of a list.
package enum RenderingKey: Sendable, Hashable {
    /// The document, with so much of its tasks.
    case document(ListDocument.Window)
    /// The answer to who has the version already.
    case unchanged
}

/// The renderings of a list's current version: few, for each is as large as what it shows.
struct Renderings {
    private var kept: [(key: RenderingKey, rendering: any Rendering)] = []
    private(set) var byteCount = 0
    /// Renderings that are too large to keep. They are shared for as long as somebody sends them.
    private var shared: [SharedRendering] = []

    private struct SharedRendering {
        let key: RenderingKey
        weak var rendering: (any Rendering)?
    }

    private static let most = 8

    subscript(key: RenderingKey) -> (any Rendering)? {
        kept.first { $0.key == key }?.rendering ?? shared.first { $0.key == key }?.rendering
    }

    /// Keeps one more; where there are enough, the oldest goes.
    mutating func keep(_ rendering: any Rendering, as key: RenderingKey) {
        kept.removeAll { $0.key == key }
        if kept.count >= Self.most { kept.removeFirst() }
        kept.append((key, rendering))
        byteCount = kept.reduce(0) { $0 + $1.rendering.byteCount }
    }

    /// Has readers of the version share a rendering, without keeping it for later ones.
    mutating func share(_ rendering: any Rendering, as key: RenderingKey) {
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
struct RenderingSubject: Hashable {
    var id: String
    var version: Int
    var key: RenderingKey
}

/// A list at a version, as far as it was asked for.
package struct ListReading: Sendable {
    package enum Content: Sendable {
        /// What was kept under the key.
        case kept(any Rendering)
        /// Nothing was kept: what to render it from.
        indirect case list(ReorderableList)
    }

    package var id: String
    package var version: Int
    package var key: RenderingKey
    package var content: Content
}

extension ListService {
    /// The list as it is once all that is decided by now is durable: a rendering of it where one was
    /// kept, and only else a copy of the list.
    ///
    /// - Parameter key: which rendering is asked for of a version. Called under the list's lock.
    package func read(
        _ id: String, as key: @escaping @Sendable (_ version: Int) -> RenderingKey,
        _ completion: @escaping Completion<ListReading>
    ) {
        decide(on: id, isRead: true, completion) { _, state in
            guard state.exists else { return .result(.failure(.listNotFound(id))) }
            let key = key(state.version)
            let kept = state.renderings[key].map { ListReading.Content.kept($0) }
            return .result(
                .success(
                    ListReading(
                        id: id, version: state.version, key: key,
                        content: kept ?? .list(state.list))))
        }
    }

    /// What was kept of a list as it is now. `nil` where nothing was, where something of the list is
    /// yet to become durable, where somebody is at the list, or where other servers may have changed it:
    /// then `read` tells.
    package func kept(
        of id: String, as key: (_ version: Int) -> RenderingKey?
    ) -> (any Rendering)? {
        guard sharing == nil else { return nil }
        let kept = cache.present(id)?.state.withLockIfAvailable { state -> (any Rendering)? in
            guard state.isDurable, !state.isRetired else { return nil }
            state.isWarm = true
            return key(state.version).flatMap { state.renderings[$0] }
        }
        return kept ?? nil
    }

    /// Has a worker render a list, once for all who ask for the same meanwhile, and keeps what it made.
    ///
    /// - Parameters:
    ///   - tasks: how many tasks are shown or passed over.
    ///   - make: `nil` if it can't be rendered.
    package func render(
        _ reading: ListReading, tasks: Int, _ make: @escaping @Sendable () -> (any Rendering)?,
        _ completion: @escaping Completion<any Rendering>
    ) {
        let subject = RenderingSubject(id: reading.id, version: reading.version, key: reading.key)
        let isFirst = rendering.withLock { waiting in
            waiting[subject, default: []].append(completion)
            return waiting[subject]?.count == 1
        }
        guard isFirst else { return }
        let finish = { @Sendable [self] (made: (any Rendering)?) in
            let waiting = rendering.withLock { $0.removeValue(forKey: subject) } ?? []
            let result = made.map { Result.success($0) } ?? .failure(ServiceError.unavailable)
            for completion in waiting { completion(result) }
        }
        let isTaken = workers.run(WorkerThreads.Size(tasks: tasks)) { [self] in
            let made = make()
            if let made { keep(made, of: reading) }
            finish(made)
        }
        if !isTaken { finish(nil) }
    }

    /// Keeps what was made of a list until the list changes or leaves memory.
    ///
    /// Its bytes count as the list's, within the bound of the memory that lists take. What would take
    /// more than an eighth of that alone is not kept, but shared by all who read it at the same time.
    package func keep(_ rendering: any Rendering, of reading: ListReading) {
        guard let list = cache.present(reading.id) else { return }
        let isTooLarge = rendering.byteCount > limits.cacheBytes / 8
        let growthBytes = list.state.withLock { state -> Int in
            guard !state.isRetired, state.exists, state.version == reading.version else {
                return 0
            }
            guard !isTooLarge else {
                state.renderings.share(rendering, as: reading.key)
                return 0
            }
            state.renderings.keep(rendering, as: reading.key)
            return state.takeGrowth()
        }
        cache.charge(growthBytes)
    }
}
