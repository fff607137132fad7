import Foundation
import Logging
import ReorderEngine
import ReorderJSON
import ReorderStore

/// The durable state: the store, and its lists in memory. Whatever changes the store through this is
/// published before anybody can learn of it.
final class DurableLists: Sendable {
    let store: any ListStore
    /// nil if this server is the only one that writes the store.
    let shared: (any SharedListStore)?
    let published: PublishedLists
    let publication: Publication
    let limits: ServiceLimits
    let workers: WorkerThreads
    let environment: ServiceEnvironment
    let health: CommitHealth
    let recorder = CommitRecorder()
    let use = CacheUseRecorder()
    /// The ids of new tasks that a shared store has refused.
    let refusedIDs = RefusedIDs()
    private let logger: Logger
    private let onPublished: @Sendable ([ListCommit]) -> Void
    /// Called when a list has got the changes of other servers.
    let onCaughtUp: @Sendable (WorkingList) -> Void
    private let onLost: @Sendable (StoreError) -> Void

    /// - Parameters:
    ///   - onPublished: tells the watchers of changes that have just been published.
    ///   - onLost: see `ListService.init`.
    init(
        _ store: any ListStore, _ limits: ServiceLimits, _ workers: WorkerThreads,
        _ publication: Publication, _ logger: Logger, _ environment: ServiceEnvironment,
        onPublished: @escaping @Sendable ([ListCommit]) -> Void,
        onCaughtUp: @escaping @Sendable (WorkingList) -> Void,
        onLost: @escaping @Sendable (StoreError) -> Void
    ) {
        self.store = store
        shared = store as? any SharedListStore
        self.limits = limits
        self.workers = workers
        self.publication = publication
        self.logger = logger
        self.environment = environment
        self.onPublished = onPublished
        self.onCaughtUp = onCaughtUp
        self.onLost = onLost
        published = PublishedLists(limitBytes: limits.cacheBytes)
        health = CommitHealth(logger: logger)
    }

    // MARK: Lists

    /// Loads a list that is not in memory.
    ///
    /// - Parameter done: gets the list, also if it does not exist; possibly on this thread.
    func load(
        _ id: String, _ done: @escaping Completion<Snapshot>
    ) {
        if published.wait(for: id, done) { load(id) }
    }

    /// Reads a list's snapshot and the changes after it, and replays them. A worker reads the list,
    /// and another one replays it if it is not small. A store that a tool uses is read on this thread.
    private func load(_ id: String) {
        use.misses.add()
        if !environment.readsOnWorkers { return read(id) }
        if !workers.run(.small, { self.read(id) }) { end(id, .failure(.unavailable)) }
    }

    private func read(_ id: String) {
        let stored: LoadedList?
        do throws(StoreError) {
            stored = try store.load(id)
        } catch {
            return end(id, .failure(failure(error, list: id)))
        }
        let bytes = stored?.content?.byteCount ?? 0
        let size = WorkerThreads.Size(bytes: bytes)
        if size == .small { return replay(stored, id) }
        if !workers.run(size, holding: bytes, { self.replay(stored, id) }) {
            end(id, .failure(.unavailable))
        }
    }

    private func replay(_ stored: LoadedList?, _ id: String) {
        do {
            end(id, .success(Snapshot(try WorkingList(id: id, stored))))
        } catch {
            logger.error("list \(id) can't be read", metadata: ["error": "\(error)"])
            end(id, .failure(.unreadable))
        }
    }

    private func end(_ id: String, _ result: Result<Snapshot, ServiceError>) {
        publication.whenPublished { [self] in
            if !published.loaded(id, result) { load(id) }
        }
    }

    /// Reads from the store on a worker.
    ///
    /// - Parameter done: gets the result when all of it is published.
    func read<Value: Sendable>(
        _ done: @escaping Completion<Value>,
        _ body: @escaping @Sendable () throws(ServiceError) -> Value
    ) {
        let isTaken = workers.run(.small) { [publication] in
            let result = Result { () throws(ServiceError) in try body() }
            publication.whenPublished { done(result) }
        }
        if !isTaken { done(.failure(.unavailable)) }
    }

    // MARK: Writing

    /// Makes commits and responses durable.
    ///
    /// - Parameter publish: called if they were stored, before any result of a read that may show them is passed on.
    /// - Returns: why nothing was stored; nil on success.
    func append(
        _ commits: [ListCommit], _ responses: [StoredResponse], _ lane: Publication.Lane,
        publish: () -> Void
    ) -> StoreError? {
        let error = append(commits, responses, lane)
        publication.end(lane) { if error == nil { publish() } }
        return error
    }

    private func append(
        _ commits: [ListCommit], _ responses: [StoredResponse], _ lane: Publication.Lane
    ) -> StoreError? {
        let start = environment.uptime()
        do throws(StoreError) {
            try store.append(commits, responses: responses) { publication.begin(lane) }
            let end = environment.uptime()
            recorder.committed(commits.count, from: start, to: end)
            health.succeeded(at: end)
            return nil
        } catch  where error.isOvertaken {
            return error
        } catch {
            recorder.failed()
            health.failed(error, at: environment.uptime())
            if case .lost = error { onLost(error) }
            return error
        }
    }

    /// Makes groups durable in a shared store, each completely or not at all.
    ///
    /// - Parameter whileUnknown: called repeatedly while the outcome is unknown.
    /// - Returns: why each group was not stored; nil if it was.
    func append(
        _ groups: [CommitGroup], to store: any SharedListStore, whileUnknown: () -> Void
    ) -> [StoreError?] {
        let start = environment.uptime()
        do throws(StoreError) {
            let errors = try store.append(groups, whileUnknown: whileUnknown)
            let end = environment.uptime()
            if errors.contains(nil) {
                let count = zip(groups, errors).reduce(0) { sum, ended in
                    sum + (ended.1 == nil ? ended.0.commits.count : 0)
                }
                recorder.committed(count, from: start, to: end)
                health.succeeded(at: end)
            }
            return errors
        } catch {
            recorder.failed()
            health.failed(error, at: environment.uptime())
            if case .lost = error { onLost(error) }
            return Array(repeating: error, count: groups.count)
        }
    }

    /// Finds out whether somebody has replaced the store's files. What is written from then on would be lost.
    func checkFiles() {
        do throws(StoreError) {
            try store.checkFiles()
        } catch {
            onLost(error)
        }
    }

    func publish(_ snapshots: [Snapshot], _ commits: [ListCommit]) {
        published.publish(snapshots)
        onPublished(commits)
    }

    // MARK: Facts

    func responses(
        to keys: [StoredResponseKey]
    ) throws(ServiceError) -> [StoredResponseKey: StoredResponse] {
        do throws(StoreError) {
            return try store.responses(to: keys)
        } catch {
            throw failure(error, list: keys.first?.owner ?? "?")
        }
    }

    /// The lists that contain tasks according to the store.
    func holders(of tasks: [TaskID]) throws(ServiceError) -> [TaskID: String] {
        var holders: [TaskID: String] = [:]
        // In parts, because a store's commits may wait while it reads.
        for start in stride(from: 0, to: tasks.count, by: limits.tasksOnLoop) {
            let part = Array(tasks[start..<min(start + limits.tasksOnLoop, tasks.count)])
            do throws(StoreError) {
                holders.merge(try store.lists(containing: part)) { $1 }
            } catch {
                throw failure(error, list: "?")
            }
        }
        return holders
    }

    /// The lists that contain tasks which are to be new. A shared store refuses them when they are
    /// stored; unless `asksStore`, only those that it has refused are looked up.
    func holders(
        ofNew tasks: [TaskID], asksStore: Bool
    ) throws(ServiceError) -> [TaskID: String] {
        guard shared != nil, !asksStore else { return try holders(of: tasks) }
        let asked = refusedIDs.among(tasks)
        guard !asked.isEmpty else { return [:] }
        let holders = try holders(of: asked)
        refusedIDs.remove(asked.filter { holders[$0] == nil })
        return holders
    }

    /// The last change of a list, without its content; nil if the list never existed.
    func head(of list: String) throws(ServiceError) -> ListHead? {
        do throws(StoreError) {
            return try store.head(of: list)
        } catch {
            throw failure(error, list: list)
        }
    }

    func failure(_ error: StoreError, list: String) -> ServiceError {
        ServiceError.of(error, list: list, logger, isShared: shared != nil)
    }
}

extension WorkingList {
    /// A list from the store.
    ///
    /// - Throws: if it can't be read.
    init(id: String, _ stored: LoadedList?) throws {
        self.init(id: id)
        version = stored?.version ?? 0
        guard let content = stored?.content else { return }
        list = try content.replayed()
        exists = true
        snapshotBytes = content.snapshot.count
        bytesSinceSnapshot = content.changes.reduce(0) { $0 + $1.bytes.count }
    }
}

extension StoreError {
    /// Whether the store accepts changes, but has meanwhile got one that these contradict.
    var isOvertaken: Bool {
        switch self {
        case .conflict, .taskTaken: true
        case .lost, .unknown, .unavailable, .failed, .corrupt, .refused: false
        }
    }
}
