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
        try Self.check(transfer.from)
        try Self.check(transfer.to)
        try await flush([transfer.from, transfer.to])
        if memory != nil {
            try transferInMemory(transfer)
        } else {
            for part in transfer.parts { try await send(part, of: transfer) }
        }
        return ListTransfer(
            from: transfer.to, to: transfer.from, parts: transfer.back, back: transfer.parts)
    }

    private func send(
        _ part: ListTransfer.Part, of transfer: ListTransfer
    ) async throws(ClientError) {
        var writer = JSONWriter()
        writer.transfer(part, to: transfer.to)
        var request = ClientRequest.post("/lists/\(transfer.from)/move", writer.bytes)
        request.headers += [
            ("Idempotency-Key", UUID().uuidString.lowercased()), ClientRequest.minimal,
        ]
        let first = part.tasks.first ?? ""
        _ = try await send(
            request,
            refusal: { problem in
                switch problem.code {
                case "locked": .refused(.locked)
                case "not_siblings": .refused(.notSiblings)
                case "depth_limit": .refused(.depthLimit)
                case "max_depth": .refused(.maxDepth)
                case "section_full": .refused(.sectionFull)
                case "parent_full": .refused(.parentFull)
                case "anchor_gone": .refused(.anchorGone)
                case "id_taken": .refused(.idTaken(first))
                case "task_not_found": .refused(.taskNotFound(first))
                default: nil
                }
            }, { try $0.version() })
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

extension JSONWriter {
    fileprivate mutating func transfer(_ part: ListTransfer.Part, to list: String) {
        beginObject()
        members(of: MoveRequest(.tasks(part.tasks), to: part.destination))
        name("toList")
        string(list)
        endObject()
    }
}
