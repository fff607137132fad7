import ReorderEngine
import ReorderStore

/// Moves that count rows of versions that clients have seen.
extension ListService {
    /// Finds the tasks and neighbors that moves name by rows of certain versions.
    ///
    /// A small step back is made at once, a large one by a worker. Versions before the last changes
    /// in memory are read from the store. That can cost as much as an undo, and counts as one.
    func named(
        _ moves: [SeenMove], in request: WriteRequest, _ context: RequestContext
    ) throws(ServiceError) -> NamedMoves {
        guard !moves.isEmpty else { return [:] }
        let lists = request.lists
        let seen: SeenLists
        do throws(ServiceError) {
            seen = SeenLists(
                moves: moves,
                list: try self.seen(
                    lists.changed, at: moves.compactMap(\.version), context),
                other: try lists.other.map { list throws(ServiceError) in
                    try self.seen(list, at: moves.compactMap(\.otherVersion), context)
                })
        } catch {
            // A stored response comes before this refusal.
            guard case .listNotFound = error else { throw error }
            return Dictionary(uniqueKeysWithValues: moves.map { ($0.index, .failure(error)) })
        }
        guard seen.needsStore || seen.cost > limits.tasksOnLoop else {
            return try named(seen).get()
        }
        guard seen.needsStore else {
            return try context.wait(for: \.namedMoves) { reply throws(ServiceError) in
                guard workers.run(.small, { reply.fill(self.named(seen)) }) else {
                    throw .unavailable
                }
            }
        }
        if context.progress.undoPermit == nil {
            context.progress.undoPermit = try undos.admit(request.list)
        }
        return try context.wait(for: \.namedMoves) { reply throws(ServiceError) in
            try undos.run(of: request.list) { mayBegin in
                reply.fill(mayBegin ? self.named(seen) : .failure(.unavailable))
            }
        }
    }

    /// The current list, with its last changes. From now on, the list keeps these.
    private func seen(
        _ list: String, at versions: [Int], _ context: RequestContext
    ) throws(ServiceError) -> SeenList {
        let snapshot = try existingSnapshot(of: list, context)
        snapshot.wantsSteps.store(true, ordering: .relaxed)
        return SeenList(
            snapshot.versioned, snapshot.list.steps ?? RecentSteps(from: snapshot.version),
            at: versions)
    }

    /// Blocks until the store responds, if it is needed.
    private func named(_ seen: SeenLists) -> Result<NamedMoves, ServiceError> {
        do throws(StoreError) {
            let past = try seen.list.past(store)
            let pastOfOther = try seen.other?.past(store) ?? nil
            return .success(
                seen.named(in: past, pastOfOther) { error, list in
                    logger.error(
                        "an earlier version of list \(list) can't be read",
                        metadata: ["error": "\(error)"])
                    return .unreadable
                })
        } catch {
            return .failure(failure(error, list: seen.list.current.id))
        }
    }
}
