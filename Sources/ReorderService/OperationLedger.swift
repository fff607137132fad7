import ReorderEngine
import ReorderStore

/// The ids of a batch's ops, and how the ops' results are rendered for those who ask again.
package struct OperationKeys: Sendable {
    /// One for each op; `nil` where it has none.
    package var keys: [OperationKey?]
    /// Renders the result of the op at an index.
    package var render: @Sendable (Result<CommandResult, ServiceError>, _ index: Int) -> [UInt8]
    /// What is known of them; set by the service once they are claimed.
    var known: [AnswerKey: KeptAnswer]?
    /// When the batch came, in milliseconds since 1970; set by the service.
    var time: Int64 = 0

    package init(
        _ keys: [OperationKey?],
        render: @escaping @Sendable (Result<CommandResult, ServiceError>, _ index: Int) -> [UInt8]
    ) {
        self.keys = keys
        self.render = render
    }
}

/// What is decided of a batch's ops, while the batch is being done.
struct OperationLedger {
    private let list: String
    private let keys: OperationKeys
    private var decided: [String: Decided] = [:]
    /// Those that this batch has decided, in their order.
    private(set) var answers: [(key: AnswerKey, answer: KeptAnswer)] = []

    private struct Decided {
        var digest: [UInt8]
        var outcome: OperationOutcome
    }

    init(_ keys: OperationKeys, of list: String) throws(ServiceError) {
        self.keys = keys
        self.list = list
        for (key, answer) in keys.known ?? [:] {
            guard let outcome = OperationOutcome(stored: answer.bytes) else { throw .unreadable }
            decided[key.key] = Decided(digest: answer.digest, outcome: outcome)
        }
    }

    /// The result that an op has already; `nil` where it has to be done.
    ///
    /// - Parameters:
    ///   - isAtomic: whether an op that was refused before keeps the whole batch from being done.
    ///   - version: the list's, now.
    func result(
        of index: Int, isAtomic: Bool, version: Int
    ) -> Result<CommandResult, ServiceError>? {
        guard let key = keys.keys[index], let decided = decided[key.id] else { return nil }
        guard decided.digest == key.digest else { return .failure(.keyReused) }
        let outcome = decided.outcome
        if outcome.isRefusal, isAtomic {
            return .failure(.refusedBefore(outcome.bytes, version: version))
        }
        return .success(.replayed(outcome.bytes, tasks: outcome.taskCount))
    }

    mutating func note(_ result: Result<CommandResult, ServiceError>, of index: Int) {
        guard let key = keys.keys[index] else { return }
        if case .failure(let error) = result, !error.isDecision { return }
        let outcome = OperationOutcome(result, keys.render(result, index))
        decided[key.id] = Decided(digest: key.digest, outcome: outcome)
        let answer = KeptAnswer(digest: key.digest, bytes: outcome.stored)
        answers.append((AnswerKey(.operation, of: list, key.id), answer))
    }
}

/// What became of an op, as it is kept.
private struct OperationOutcome {
    var isRefusal: Bool
    /// How many tasks the result tells.
    var taskCount: Int
    /// The result as it was rendered.
    var bytes: [UInt8]

    init(_ result: Result<CommandResult, ServiceError>, _ bytes: [UInt8]) {
        if case .failure = result { isRefusal = true } else { isRefusal = false }
        taskCount = result.taskCount
        self.bytes = bytes
    }

    /// `nil` where it is not one.
    init?(stored: [UInt8]) {
        guard let end = stored.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let head = String(decoding: stored[..<end], as: UTF8.self).split(separator: " ")
        guard head.count == 2, let count = Int(head[1]) else { return nil }
        isRefusal = head[0] == "refused"
        taskCount = count
        bytes = Array(stored[(end + 1)...])
    }

    var stored: [UInt8] { Array("\(isRefusal ? "refused" : "done") \(taskCount)\n".utf8) + bytes }
}
