import ReorderEngine

/// The versions of the lists in which a move counts rows; nil means the current version.
package struct RowVersions: Sendable, Equatable {
    /// The version of the list that the move changes.
    package var list: RequestedVersion?
    /// The version of the list that the tasks move into.
    package var otherList: RequestedVersion?

    package init(list: RequestedVersion? = nil, otherList: RequestedVersion? = nil) {
        self.list = list
        self.otherList = otherList
    }

    /// Whether all rows are those of the current versions.
    package var areCurrent: Bool { list == nil && otherList == nil }
}

/// A move that counts rows of certain versions.
struct SeenMove: Sendable {
    /// The index in the request's batch; 0 if it is not a batch.
    let index: Int
    let request: MoveRequest
    /// nil for the current version.
    let version: Int?
    /// The version of the list that the tasks move into; nil for the current one.
    let otherVersion: Int?
}

/// The moves of a request by ids, with the indices in its batch. Those that can't be named are
/// refused.
typealias NamedMoves = [Int: Result<MoveRequest, ServiceError>]

extension NamedMoves {
    /// Why moves can't be named.
    var refusals: [Int: ServiceError] {
        compactMapValues { if case .failure(let error) = $0 { error } else { nil } }
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
