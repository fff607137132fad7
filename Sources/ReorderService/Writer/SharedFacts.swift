import ReorderEngine
import ReorderStore

/// What a batch needs from a shared store, read before its decisions.
struct SharedFacts {
    /// The lists that contain the tasks whose lists requests do not name.
    private var holders: [TaskID: String?] = [:]
    private(set) var states: [String: CurrentState] = [:]
    private var responses: [StoredResponseKey: StoredResponse?] = [:]

    init() {}

    /// Reads what these writes need.
    ///
    /// The states of all lists are of one moment. Responses are read after them. So if a key has no
    /// response, no other server had applied the request at the moment of the states.
    init(
        of writes: some Collection<PendingWrite>, _ store: any SharedListStore,
        _ published: PublishedLists
    ) throws(StoreError) {
        guard store.isReachable else {
            throw .unavailable(reason: "the store cannot be reached")
        }
        let tasks = Set(writes.compactMap(\.request.containedTask))
        if !tasks.isEmpty {
            let found = try store.lists(containing: Array(tasks))
            for task in tasks { holders[task] = .some(found[task]) }
        }
        var lists: Set<String> = []
        var keys: Set<StoredResponseKey> = []
        for write in writes {
            var request = write.request
            keys.formUnion(request.responseKeys)
            if let task = request.containedTask {
                guard let list = found(task) else { continue }
                request.list = list
            }
            lists.insert(request.lists.changed)
            if let other = request.lists.other { lists.insert(other) }
        }
        states = try CurrentState.read(Array(lists), from: store, published)
        guard !keys.isEmpty else { return }
        let stored = try store.responses(to: Array(keys))
        for key in keys { responses[key] = .some(stored[key]) }
    }

    private func found(_ task: TaskID) -> String? { holders[task] ?? nil }

    /// Whether everything that a write needs was read.
    func covers(_ write: PendingWrite) -> Bool {
        var request = write.request
        guard request.responseKeys.allSatisfy({ responses[$0] != nil }) else { return false }
        if let task = request.containedTask {
            guard let holder = holders[task] else { return false }
            guard let list = holder else { return true }
            request.list = list
        }
        return [request.lists.changed, request.lists.other].compactMap(\.self)
            .allSatisfy { states[$0] != nil }
    }

    func holder(of task: TaskID) -> String? { found(task) }

    func response(to key: StoredResponseKey) -> StoredResponse? { responses[key] ?? nil }
}

extension WriteRequest {
    /// The keys of the request and of its ops.
    var responseKeys: [StoredResponseKey] {
        (key.map { [$0.responseKey] } ?? []) + operationKeys
    }

    /// The keys of the ops of a batch.
    var operationKeys: [StoredResponseKey] {
        guard case .batch(let batch) = action, let keys = batch.keys else { return [] }
        return Set(keys.compactMap { $0?.id }).map { StoredResponseKey(.operation, of: list, $0) }
    }
}
