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
        _ request: WriteRequest, _ context: RequestContext, _ renderer: some WriteRenderer,
        _ slot: ResponseSlot?
    ) throws(ServiceError) -> WriteResult {
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
            let answer = try decide(on: request.list, context) {
                lists throws(Interruption) -> WriteResult? in
                let list = lists.list
                version = list.state.version
                if !list.state.exists {
                    guard list.state.isDurable else { throw .blocked(by: list.cached) }
                    guard known == version else { return nil }
                }
                return try apply(
                    request, to: lists, WriteLookups(binned: found), at: context.time, renderer,
                    slot)
            }
            if let answer { return answer }
            if known != nil { try context.startAgain() }
            context.discardTickets()
            context.progress.bin = BinLookup(version: version)
        }
    }

    /// Creates a list again.
    ///
    /// - Parameter content: the list in the bin.
    func restore(
        _ list: CachedList, _ content: ReorderableList?
    ) throws(Interruption) -> Change {
        guard !list.state.exists, let content else { throw .refused(.listNotDeleted(list.id)) }
        // Keeps unknown times unknown.
        list.state.list.changeTime = nil
        return try replace(list, with: content)
    }

    /// Deletes a list.
    ///
    /// - Parameters:
    ///   - isPermanent: whether its content does not go to the bin.
    ///   - binned: the list in the bin, if it does not exist.
    func delete(
        _ list: CachedList, isPermanent: Bool, _ binned: BinLookup.Found?
    ) -> Change {
        let (title, count) = (list.state.list.settings.title, list.state.list.count)
        list.state.exists = false
        list.state.list = .absent
        return Change(
            operations: [.replace], countInDeletedList: count + (binned?.count ?? 0),
            binned: isPermanent || limits.bin.days == 0
                ? nil : ListCommit.Binned(title: title, count: count),
            kind: .deleted)
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
