import Foundation
import ReorderEngine
import ReorderStore

/// What a request has read about a list in the bin.
struct BinLookup {
    /// The version of the list that does not exist; nil before the lookup. It was durable.
    var version: Int?
    var reply: Reply<Found?>?
    /// Whether the list's version was checked again after the lookup.
    var isConfirmed = false

    /// A list in the bin that has not expired.
    struct Found: Sendable {
        /// The number of its tasks.
        var count: Int
        /// The list before its deletion; nil if the request does not need it.
        var list: ReorderableList?
    }
}

extension ListService {
    /// Restores a list, or permanently deletes a list, which can be in the bin.
    ///
    /// Only the store has the bin. If the list does not exist, it is looked up there, and then
    /// decided again. Each change of the list ends its time in the bin. So if the list still has the
    /// same version, its entry in the bin is the same, or has expired.
    func usingBin(
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer
    ) throws(ServiceError) -> Decision {
        if case .restore = request.action { try claimRestore(of: request.list, context) }
        while true {
            let known = context.existingProgress?.bin.version
            var found: BinLookup.Found?
            if known != nil {
                found = try context.wait(for: \.bin.reply) { reply throws(ServiceError) in
                    try loadFromBin(for: request, at: context.time, reply)
                }
                if !context.progress.bin.isConfirmed {
                    context.progress.bin.isConfirmed = true
                    context.progress.listStates = nil
                }
            }
            var version = 0
            let decision = try onLists(request.list, context) {
                lists throws(Interruption) -> Decision? in
                let list = lists.list
                version = list.state.version
                if !list.state.exists {
                    guard list.state.isDurable else { throw .blocked(by: list.cached) }
                    guard known == version else { return nil }
                }
                return try decide(
                    request, on: lists, Facts(binned: found), at: context.time, renderer)
            }
            if let decision { return decision }
            if known != nil { try context.startAgain() }
            context.discardTickets()
            context.progress.bin = BinLookup(version: version)
        }
    }

    // MARK: Reading the bin

    /// Waits until no other request restores the list. Otherwise each of them would read it from the
    /// bin, although only one can succeed.
    private func claimRestore(
        of list: String, _ context: RequestContext
    ) throws(ServiceError) {
        if context.progress.restoreClaim == nil {
            context.progress.restoreClaim = restores.claim(
                [StoredResponseKey(.list, of: list, "")], for: context)
        }
        _ = try context.result(of: context.progress.restoreClaim?.granted)
    }

    /// Looks for the request's list in the bin. A worker reads it, and another one replays it if it is
    /// not small.
    private func loadFromBin(
        for request: WriteRequest, at time: Date, _ reply: Reply<BinLookup.Found?>
    ) throws(ServiceError) {
        let id = request.list
        var needsContent = false
        if case .restore = request.action { needsContent = true }
        let isTaken = workers.run(.small) { [self, needsContent] in
            let deleted: DeletedList?
            do throws(StoreError) {
                deleted = try store.deletedList(id, withContent: needsContent)
            } catch {
                return reply.fill(.failure(failure(error, list: id)))
            }
            guard let deleted, limits.bin.holds(deleted, at: time.milliseconds) else {
                return reply.fill(.success(nil))
            }
            guard let content = deleted.content else {
                return reply.fill(.success(BinLookup.Found(count: deleted.count)))
            }
            let size = WorkerThreads.Size(bytes: content.byteCount)
            if size == .small { return replay(content, of: id, reply) }
            let isTaken = workers.run(size, holding: content.byteCount) { [self] in
                replay(content, of: id, reply)
            }
            if !isTaken { reply.fill(.failure(.unavailable)) }
        }
        guard isTaken else { throw .unavailable }
    }

    private func replay(
        _ content: StoredList.Content, of list: String, _ reply: Reply<BinLookup.Found?>
    ) {
        do {
            let list = try content.replayed()
            reply.fill(.success(BinLookup.Found(count: list.count, list: list)))
        } catch {
            logger.error("list \(list) can't be restored", metadata: ["error": "\(error)"])
            reply.fill(.failure(.unreadable))
        }
    }

    /// The lists in the bin, ordered by id. The parameters are those of `index`.
    package func bin(
        of runs: [ListIDRange]?, after id: String?, limit: Int, _ context: RequestContext
    ) throws(ServiceError) -> IDPage<DeletedList> {
        let time = context.time.milliseconds
        var found = try context.wait(for: \.binPage) { reply throws(ServiceError) in
            let isTaken = workers.run(.small) { [self] in
                reply.fill(
                    Result { () throws(ServiceError) in
                        try page(of: runs, after: id, limit: limit, \.id) {
                            id, limit throws(StoreError) in
                            try store.deletedLists(after: id, limit: limit)
                        }
                    })
            }
            guard isTaken else { throw .unavailable }
        }
        found.lists.removeAll { !limits.bin.holds($0, at: time) }
        return found
    }
}
