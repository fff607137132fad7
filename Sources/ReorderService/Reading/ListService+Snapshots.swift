import ReorderEngine
import ReorderStore

extension ListService {
    /// The last durable state of a list, also if it does not exist. Until it is in memory, the run
    /// ends.
    func snapshot(
        of id: String, _ context: RequestContext
    ) throws(ServiceError) -> Snapshot {
        if currentLists == nil, let found = durable.published.find(id) {
            durable.use.hits.add()
            context.existingProgress?.loads[id] = nil
            return found
        }
        let progress = context.progress
        if progress.loads[id] == nil {
            let reply = Reply<Snapshot>(for: context.host)
            progress.loads[id] = reply
            find(id) { reply.fill($0) }
        }
        // It may be there already.
        let result = try context.result(of: progress.loads[id])
        progress.loads[id] = nil
        return try result.get()
    }

    /// Looks up the last durable state of a list, also if it does not exist.
    ///
    /// - Parameter done: can be called on this thread or on another one.
    func find(
        _ id: String, _ done: @escaping @Sendable (Result<Snapshot, ServiceError>) -> Void
    ) {
        if let currentLists { return currentLists.find(id, done) }
        if let found = durable.published.find(id) { return done(.success(found)) }
        durable.load(id, done)
    }

    /// The last durable state of a list that exists.
    func existingSnapshot(
        of id: String, _ context: RequestContext
    ) throws(ServiceError) -> Snapshot {
        let snapshot = try snapshot(of: id, context)
        guard snapshot.exists else { throw .listNotFound(id) }
        return snapshot
    }
}
