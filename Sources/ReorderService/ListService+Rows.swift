import ReorderEngine
import ReorderStore

/// Moves that count rows of versions that clients have seen.
extension ListService {
    /// Finds the tasks and neighbors that moves name by rows of certain versions.
    ///
    /// A small step back is made at once, a large one by a worker. Versions before the last changes
    /// in memory are read from the store. That can cost as much as an undo, and counts as one.
    func name(
        _ moves: [SeenMove], in request: WriteRequest, _ done: @escaping Completion<NamedMoves>
    ) {
        guard !moves.isEmpty else { return done(.success([:])) }
        seenLists(of: moves, in: request) { [self] seen in
            attempt(done) { () throws(ServiceError) in
                do throws(ServiceError) {
                    try name(try seen.get(), in: request.list, done)
                } catch {
                    // A stored response comes before this refusal.
                    guard case .listNotFound = error else { throw error }
                    let refusals = moves.map { ($0.index, NamedMoves.Value.failure(error)) }
                    done(.success(Dictionary(uniqueKeysWithValues: refusals)))
                }
            }
        }
    }

    private func name(
        _ seen: SeenLists, in list: String, _ done: @escaping Completion<NamedMoves>
    ) throws(ServiceError) {
        if seen.needsStore {
            let permit = try undos.admit(list)
            return undos.run(
                of: list,
                { moves in
                    permit.end()
                    done(moves)
                }
            ) { [self] () throws(ServiceError) in try named(seen) }
        }
        guard seen.cost > Self.quickCost else { return done(.success(try named(seen))) }
        let isTaken = workers.run(.small) { [self] in
            done(Result { () throws(ServiceError) in try named(seen) })
        }
        guard isTaken else { throw .unavailable }
    }

    /// The cost of a step back that is made at once, although the thread may be the writer's.
    private static var quickCost: Int { 50 }

    private func seenLists(
        of moves: [SeenMove], in request: WriteRequest, _ done: @escaping Completion<SeenLists>
    ) {
        let lists = request.lists
        findSeen(
            lists.changed, at: moves.compactMap(\.version),
            continuing(done) { [self] list in
                guard let id = lists.other else {
                    return done(.success(SeenLists(moves: moves, list: list, other: nil)))
                }
                findSeen(
                    id, at: moves.compactMap(\.otherVersion),
                    continuing(done) { other in
                        done(.success(SeenLists(moves: moves, list: list, other: other)))
                    })
            })
    }

    /// Finds the current list, with its last changes. From now on, the list keeps these.
    private func findSeen(
        _ list: String, at versions: [Int], _ done: @escaping Completion<SeenList>
    ) {
        findExisting(
            list,
            continuing(done) { snapshot in
                snapshot.wantsSteps.store(true, ordering: .relaxed)
                let steps = snapshot.list.steps ?? RecentSteps(from: snapshot.version)
                done(.success(SeenList(snapshot.versioned, steps, at: versions)))
            })
    }

    /// Blocks until the store responds, if it is needed.
    private func named(_ seen: SeenLists) throws(ServiceError) -> NamedMoves {
        do throws(StoreError) {
            let past = try seen.list.past(store)
            let pastOfOther = try seen.other?.past(store) ?? nil
            return seen.named(in: past, pastOfOther) { error, list in
                logger.error(
                    "an earlier version of list \(list) can't be read",
                    metadata: ["error": "\(error)"])
                return .unreadable
            }
        } catch {
            throw durable.failure(error, list: seen.list.current.id)
        }
    }
}

extension WriteRequest {
    /// The moves that count rows of certain versions.
    ///
    /// - Parameter epoch: the store's epoch.
    func seenMoves(in epoch: String) -> [SeenMove] {
        rowVersions.enumerated().compactMap { index, versions in
            guard !versions.areCurrent, let move = move(at: index) else { return nil }
            var version = versions.list
            // A drag that names its own list.
            if lists.other == nil, version == nil { version = versions.otherList }
            return SeenMove(
                index: index, request: move, version: version?.number(in: epoch),
                otherVersion: versions.otherList?.number(in: epoch))
        }
    }

    private func move(at index: Int) -> MoveRequest? {
        switch action {
        case .command(.move(let move)), .transfer(let move, _): return move
        case .batch(let batch):
            if case .move(let move) = batch.commands[index] { return move }
            return nil
        default: return nil
        }
    }

    /// Replaces moves by moves with ids.
    mutating func replace(_ moves: NamedMoves) {
        let moves = moves.compactMapValues { try? $0.get() }
        switch action {
        case .command: if let move = moves[0] { action = .command(.move(move)) }
        case .transfer(_, let list): if let move = moves[0] { action = .transfer(move, to: list) }
        case .batch(var batch):
            for (index, move) in moves { batch.commands[index] = .move(move) }
            action = .batch(batch)
        default: break
        }
    }
}
