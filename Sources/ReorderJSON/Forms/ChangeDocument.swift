import Foundation
import ReorderEngine

/// A list's next version and the operations that lead to it. The journal stores these bytes, and
/// `changes` and event streams return them unchanged.
package struct ChangeDocument: Sendable {
    package var version: Int
    /// The time of the decision.
    package var at: Date
    /// The id that the client chose for itself (`Client-Id`).
    package var client: String?
    package var operations: [ListOperation]
    /// The other list of a transfer: the deleted tasks moved to it, or the inserted tasks came from
    /// it. nil if the change is not part of a transfer.
    package var transfer: Transfer?

    package enum Transfer: Sendable, Equatable {
        case to(String)
        case from(String)
    }

    package init(
        version: Int, at: Date, client: String?, operations: [ListOperation],
        transfer: Transfer? = nil
    ) {
        self.version = version
        self.at = at
        self.client = client
        self.operations = operations
        self.transfer = transfer
    }

    /// `at` in the document's precision: milliseconds since 1970, rounded down. A small number is
    /// added first, because `Date` is not exact.
    package var milliseconds: Int64 {
        Int64((at.timeIntervalSince1970 * 1_000 + 0.0005).rounded(.down))
    }

    package func json() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("version")
        writer.int(version)
        writer.name("at")
        writer.time(milliseconds: milliseconds)
        if let client {
            writer.name("client")
            writer.string(client)
        }
        switch transfer {
        case .to(let list):
            writer.name("toList")
            writer.string(list)
        case .from(let list):
            writer.name("fromList")
            writer.string(list)
        case nil: break
        }
        writer.name("ops")
        writer.beginArray()
        for operation in operations { writer.operation(operation) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Reads a change written by the server.
    package init(json: [UInt8]) throws {
        let text = try JSONText(checking: json, maximumDepth: FormLimits.storedNesting)
        var reader = JSONReader(text)
        var version: Int?
        var at: Date?
        operations = []
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": version = try reader.readCount()
            case "at": at = Date(timestamp: try reader.readString())
            case "client": client = try reader.readString()
            case "toList": transfer = .to(try reader.readString())
            case "fromList": transfer = .from(try reader.readString())
            case "ops":
                try reader.beginArray()
                while reader.nextElement() { operations.append(try ListOperation(from: &reader)) }
            default: throw reader.unknownMember()
            }
        }
        guard let version else { throw reader.missingMember("version") }
        guard let at else { throw reader.missingMember("at") }
        self.version = version
        self.at = at
    }

    /// RFC 3339, UTC, with milliseconds.
    package static let timestamp = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
