import ReorderEngine
import ReorderStore

/// The results of a batch's ops that have ids, while the batch is decided.
struct OperationResults {
    private let list: String
    /// One element for each op; nil if the op has no id.
    private let keys: [OperationKey?]
    private let time: Int64
    private let retention: ResponseRetention
    private var decided: [String: Decided] = [:]
    /// The results that this batch has decided, in order.
    private(set) var storedResponses: [StoredResponse] = []

    private struct Decided {
        var digest: [UInt8]
        var outcome: OperationOutcome
    }

    /// - Parameters:
    ///   - known: the stored results of earlier batches.
    ///   - time: when the batch arrived, in milliseconds since 1970.
    init(
        _ keys: [OperationKey?], known: [StoredResponseKey: StoredResponseContent], of list: String,
        at time: Int64,
        _ retention: ResponseRetention
    ) throws(ServiceError) {
        self.keys = keys
        self.list = list
        self.time = time
        self.retention = retention
        for (key, answer) in known {
            guard let outcome = OperationOutcome(stored: answer.bytes) else { throw .unreadable }
            decided[key.key] = Decided(digest: answer.digest, outcome: outcome)
        }
    }

    /// Returns the stored result of an op, or nil if the op must be applied.
    ///
    /// - Parameter version: the list's current version.
    func result(of index: Int, version: Int) -> Result<CommandResult, ServiceError>? {
        guard let key = keys[index], let decided = decided[key.id] else { return nil }
        guard decided.digest == key.digest else { return .failure(.keyReused(opID: key.id)) }
        let outcome = decided.outcome
        if outcome.isRefusal {
            return .failure(.refusedBefore(outcome.bytes, version: version))
        }
        return .success(outcome.replayed)
    }

    /// The stored result of an op, also if it is a refusal; nil if there is none.
    func replayed(_ index: Int) -> CommandResult? {
        guard let key = keys[index], let decided = decided[key.id], decided.digest == key.digest
        else { return nil }
        return decided.outcome.replayed
    }

    /// Whether the result of an op is to be stored. A refused step can have an op whose id was used for
    /// a different op: the stored result stays.
    func stores(_ result: Result<CommandResult, ServiceError>, of index: Int) -> Bool {
        guard let key = keys[index], decided[key.id] == nil else { return false }
        if case .failure(let error) = result { return error.isDecision }
        return true
    }

    /// Records the result of an op.
    mutating func note(
        _ result: Result<CommandResult, ServiceError>, of index: Int, _ renderer: some WriteRenderer
    ) {
        guard let key = keys[index] else { return }
        var outcome = OperationOutcome(
            result, renderer.bytes(of: result, at: index, withTasks: true))
        if outcome.bytes.count > StoredResponseContent.maximumOperationBytes {
            outcome.taskCount = 1
            outcome.bytes = renderer.bytes(of: result, at: index, withTasks: false)
        }
        decided[key.id] = Decided(digest: key.digest, outcome: outcome)
        storedResponses.append(
            StoredResponse(
                StoredResponseKey(.operation, of: list, key.id), at: time, retention,
                StoredResponseContent(digest: key.digest, bytes: outcome.stored)))
    }

    /// Forgets the results that this batch has decided after the first `count`.
    mutating func forget(after count: Int) {
        for response in storedResponses[count...] { decided[response.key.key] = nil }
        storedResponses.removeLast(storedResponses.count - count)
    }
}

/// The stored form of an op's result.
private struct OperationOutcome {
    var isRefusal: Bool
    /// The number of tasks in the result.
    var taskCount: Int
    /// The rendered result.
    var bytes: [UInt8]

    var replayed: CommandResult { .replayed(bytes, tasks: taskCount) }

    init(_ result: Result<CommandResult, ServiceError>, _ bytes: [UInt8]) {
        if case .failure = result { isRefusal = true } else { isRefusal = false }
        taskCount = result.taskCount
        self.bytes = bytes
    }

    /// Returns nil if the bytes are not a stored result.
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
