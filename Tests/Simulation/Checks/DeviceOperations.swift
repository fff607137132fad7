import ReorderJSON

/// The operations of a device's user that no crash has lost, and what became of them.
struct DeviceOperations {
    private struct Operation {
        /// The form in which it is sent.
        var text: String
        var command: Command
        /// Whether a response that the device received says that it was refused.
        var isRefused = false
        /// Whether such a response says that it was applied, or the device has received its change.
        var isApplied = false
        /// The number of restores of the store when it was applied as a part of a change.
        var changedAfter: Int?
        /// Whether the client library reported it as refused.
        var isReported = false
    }

    private var operations: [String: Operation] = [:]

    mutating func add(_ id: String, _ text: String, _ command: Command) {
        operations[id] = Operation(text: text, command: command)
    }

    mutating func remove(_ ids: Set<String>) {
        for id in ids { operations[id] = nil }
    }

    mutating func report(_ ids: [String]) {
        for id in ids { operations[id]?.isReported = true }
    }

    /// Notes that the device has received the changes of operations, unless it has received their refusal.
    /// The response of a change can be lost.
    mutating func receiveChanges(_ ids: Set<String>) {
        for id in ids where operations[id]?.isRefused == false {
            operations[id]?.isApplied = true
        }
    }

    /// The operations of a batch, in order. Each is sent as the user made it, however often.
    ///
    /// - Returns: nil if one is not.
    func commands(of ids: [String], in body: String) -> [Command]? {
        var commands: [Command] = []
        for id in ids {
            guard let operation = operations[id], body.contains(operation.text) else { return nil }
            commands.append(operation.command)
        }
        return commands
    }

    /// Takes the response to a batch that the device receives.
    ///
    /// - Parameter restores: the number of restores of the store when the server sent it.
    mutating func receive(
        status: Int, _ body: [UInt8], to ids: [String], after restores: Int?
    ) {
        switch status {
        case 200:
            guard let response = ParsedJSON.object(body),
                let results = response["results"] as? [[String: Any]]
            else { return }
            let isChange = response["changed"] as? Bool == true
            for (id, result) in zip(ids, results) {
                if let status = result["status"] as? Int, status < 300 {
                    operations[id]?.isApplied = true
                    if isChange { operations[id]?.changedAfter = restores }
                } else {
                    operations[id]?.isRefused = true
                }
            }
        case 400, 413, 422:
            // The library can send the operations again in smaller batches.
            for id in ids { operations[id]?.isRefused = true }
        default: break
        }
    }

    /// What is wrong at the end; nil if each operation was applied, or refused and reported.
    func difference(_ checker: Checker) -> String? {
        for (id, operation) in operations.sorted(by: { $0.key < $1.key }) {
            guard operation.isApplied || operation.isReported else {
                return "\(id) is lost: refused \(operation.isRefused)"
            }
            if operation.isReported, !operation.isRefused { return "\(id) was not refused" }
            if operation.changedAfter == checker.restores, !checker.journal.operations.contains(id)
            {
                return "\(id) is not in the journal: \(operation.text)"
            }
        }
        return nil
    }
}
