import Foundation
import ReorderEngine
import ReorderJSON

/// A command of the user, with the id that makes the server apply it once, even if it is sent repeatedly. It uses ids and anchors, so it
/// keeps its meaning when the list changes.
package struct PendingOperation: Sendable, Equatable {
    package let id: String
    package let command: Command
    /// The version in the server's answer: the list has the operation from then on. nil: there is no answer yet.
    package var answeredAt: Int?

    package init(id: String, command: Command) {
        self.id = id
        self.command = command
    }

    /// Reads an operation from the outbox.
    init(json: [UInt8]) throws {
        var reader = try JSONReader(answer: json)
        let form = try CommandForm.op(from: &reader)
        guard let id = form.opID else { throw reader.missingMember("opId") }
        self.init(id: id, command: try form.command(reader))
    }
}

/// The operations of one step of the user have ids that say so: the step's id, a dot and the index. The server makes them one change,
/// or refuses all of them.
extension PendingOperation {
    /// The maximum number of operations in a batch. A longer step is sent in parts, as steps.
    static let maximumStepLength = 1_000

    /// The operations of a step.
    static func step(
        _ id: String = UUID().uuidString.lowercased(), of commands: [Command]
    ) -> [PendingOperation] {
        commands.enumerated().map { index, command in
            PendingOperation(id: commands.count == 1 ? id : "\(id).\(index)", command: command)
        }
    }

    /// The id of the step; nil for an operation that is a step of its own.
    var step: Substring? {
        id.utf8.lastIndex(of: UInt8(ascii: ".")).map { id[..<$0] }
    }

    /// The steps of a queue, or parts of them.
    static func steps(
        of queue: [PendingOperation]
    ) -> some Sequence<ArraySlice<PendingOperation>> {
        sequence(state: queue[...]) { rest in
            let step = rest.prefix(stepLength(in: rest))
            rest = rest[step.endIndex...]
            return step.isEmpty ? nil : step
        }
    }

    /// The number of operations at the start of a queue that make one step, or a part of it. 0 if it is empty.
    static func stepLength(in queue: ArraySlice<PendingOperation>) -> Int {
        guard let first = queue.first, let step = first.step else { return min(1, queue.count) }
        return queue.prefix(maximumStepLength).prefix {
            $0.answeredAt == first.answeredAt && $0.step == step
        }.count
    }
}

extension PendingOperation {
    /// The form for the outbox.
    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.command(command, opID: id)
        return writer.bytes
    }
}
