import ReorderEngine
import ReorderStore

/// A request that may change a list.
package struct WriteRequest: Sendable {
    package var list: String
    /// The task whose list is changed, whichever holds it; nil: `list` is changed.
    package var holder: TaskID?
    package var action: Action
    /// What the client wants to hold of the list, as `If-Match` and `If-None-Match` give it.
    package var precondition: Precondition
    /// Whether only to tell what would happen.
    package var isDryRun: Bool
    /// Who asks, echoed in the change.
    package var client: String?
    /// Which lists whoever asks may see and change; `nil`: all.
    package var scope: ListScope?
    /// The request's idempotency key.
    package var key: IdempotencyKey?

    /// Indirect for the reason that `CommandResult` is.
    package indirect enum Action: Sendable {
        case command(ListCommand)
        /// Moves tasks into another list; one commit changes both. To the list itself it is a move.
        case transfer(MoveRequest, to: String)
        /// Several commands as one change: all or nothing, or each for itself.
        case batch([ListCommand], isAtomic: Bool, once: [OperationKey?]? = nil)
        /// Brings a task to what a table view's client has stored of it.
        case element(TaskElement)
        /// Makes the list; it must not exist.
        case create(ReorderableList)
        /// Makes the list, or replaces it on a precondition.
        case put(ReorderableList)
        case deleteList
        /// Takes a change back, as the list is now.
        case undo(version: Int)
    }

    /// The first of the lists that it changes that its sender may not.
    var forbiddenList: String? {
        guard let scope else { return nil }
        if !scope(list) { return list }
        guard case .transfer(_, let target) = action, !scope(target) else { return nil }
        return target
    }

    package init(
        list: String, holder: TaskID? = nil, action: Action, precondition: Precondition = .none,
        isDryRun: Bool = false, client: String? = nil, scope: ListScope? = nil,
        key: IdempotencyKey? = nil
    ) {
        self.list = list
        self.holder = holder
        self.action = action
        self.precondition = precondition
        self.isDryRun = isDryRun
        self.client = client
        self.scope = scope
        self.key = key
    }
}

/// The lists that whoever asks may see and change.
package struct ListScope: Sendable {
    private let contains: @Sendable (_ list: String) -> Bool

    package init(_ contains: @escaping @Sendable (_ list: String) -> Bool) {
        self.contains = contains
    }

    /// Whether a list is one of them.
    package func callAsFunction(_ list: String) -> Bool { contains(list) }
}

/// What must hold of a list for a write to be done.
package enum Precondition: Sendable, Equatable {
    case none
    /// The list exists (`If-Match: *`).
    case exists
    /// The list does not exist (`If-None-Match: *`).
    case absent
    /// The list exists at one of these versions; none of them where the array is empty.
    case versions([SeenVersion])

    func holds(for list: String, version: Int, exists: Bool) -> Bool {
        switch self {
        case .none: true
        case .exists: exists
        case .absent: !exists
        case .versions(let versions):
            exists
                && versions.contains { $0.version == version && ($0.list ?? list) == list }
        }
    }
}

/// A version of a list, of which a client has a copy.
package struct SeenVersion: Sendable, Equatable, ExpressibleByIntegerLiteral {
    package var version: Int
    /// The list, if the client names it. A client that has a copy of a task does: the task may be in
    /// another list by now.
    package var list: String?

    package init(_ version: Int, of list: String? = nil) {
        self.version = version
        self.list = list
    }

    package init(integerLiteral version: Int) { self.init(version) }
}

/// What a write did.
package struct WriteResult: Sendable {
    package var list: String
    /// The list's version now; a dry run does not change it.
    package var version: Int
    /// The store's: see `ListStore.epoch`.
    package var epoch: String?
    package var changed: Bool
    /// Whether the list was made by this.
    package var created: Bool
    package var result: CommandResult
    /// Results of ops, to be stored before this is sent: if nothing changed, no commit has them.
    var unstored: [StoredResponse] = []
}

/// Renders responses that are stored with the change that they report.
package protocol WriteRenderer {
    /// The response to a write.
    func bytes(of result: Result<WriteResult, ServiceError>) -> [UInt8]
    /// The result of the op of a batch at an index.
    func bytes(of result: Result<CommandResult, ServiceError>, at index: Int) -> [UInt8]
}

/// What has become of a write.
package enum WriteOutcome: Sendable {
    /// Of a request without an idempotency key.
    case done(WriteResult)
    /// Of a request with a key: its response as it was rendered.
    ///
    /// - Parameter answer: nil if the request was refused.
    case stored([UInt8], of: WriteResult?)
    /// The stored response to a request that came before.
    case replayed([UInt8])
}
