import Foundation
import ReorderEngine
import ReorderJSON

/// A move of tasks from one list to another, which the server makes.
struct ListTransfer: Sendable {
    struct Part: Sendable {
        var tasks: [TaskID]
        var destination: Destination
    }

    var from: String
    var to: String
    /// One request for each.
    var parts: [Part]
    /// The parts that bring the tasks back.
    var back: [Part]

    var tasks: [TaskID] { parts.flatMap(\.tasks) }
}

extension ReorderClient {
    /// Moves tasks to another list. What waits to be sent is sent first.
    ///
    /// - Returns: the transfer that undoes it.
    /// - Throws: `refused`, `listNotFound`, `unauthorized`, `unreachable`, or `invalid` if the request is malformed.
    func transfer(_ transfer: ListTransfer) async throws(ClientError) -> ListTransfer {
        try InputValidation.id(transfer.to)
        try await flush([transfer.from, transfer.to])
        if memory != nil {
            try transferInMemory(transfer)
        } else {
            for part in transfer.parts {
                let first = part.tasks.first ?? ""
                _ = try await send(
                    APICall(
                        method: "POST", path: ["lists", transfer.from, "move"],
                        headers: [
                            ("Idempotency-Key", UUID().uuidString.lowercased()),
                            ClientRequest.minimal,
                        ],
                        refusals: Refusal.ofPlaces + [.idTaken(first), .taskNotFound(first)],
                        form: { writer in
                            writer.members(
                                of: MoveRequest(.tasks(part.tasks), to: part.destination))
                            writer.member("toList", transfer.to)
                        }
                    ) { try $0.version() })
            }
        }
        return ListTransfer(
            from: transfer.to, to: transfer.from, parts: transfer.back, back: transfer.parts)
    }

    private func transferInMemory(_ transfer: ListTransfer) throws(ClientError) {
        let source = try openNow(transfer.from)
        let target = try openNow(transfer.to)
        guard target.status.connection != .gone else { throw .listNotFound }
        for part in transfer.parts {
            var (from, to) = (source.snapshot, target.snapshot)
            do {
                let request = MoveRequest(.tasks(part.tasks), to: part.destination)
                _ = try from.transfer(request, to: &to)
            } catch {
                throw .refused(error)
            }
            source.runner.update { machine, _ in machine.replace(with: from) }
            target.runner.update { machine, _ in machine.replace(with: to) }
        }
    }
}

extension SyncMachine {
    /// Replaces a list that has no server.
    fileprivate mutating func replace(with list: ReorderableList) {
        change { local in
            _ = local.replaceBase(list, at: SyncPoint(version: local.version + 1))
            return .all
        }
    }
}
