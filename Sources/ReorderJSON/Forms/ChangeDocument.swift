import Foundation
import ReorderEngine

/// A list's next version and the operations that lead to it. The journal stores these bytes, and
/// `changes` and event streams return them unchanged.
package struct ChangeDocument: Sendable {
    package var version: Int
    /// The time of the decision.
    package var at: Date
    /// The id that the client chose for itself (`Client-Id`).
    package let client: String?
    /// The author: the authenticated name of whoever made the change; nil if it is unknown.
    package let author: String?
    /// The `opId` of the first op of the batch's step that made the change; nil if there is none.
    package let opID: String?
    /// nil for changes that neither create nor delete the list, and for changes that older versions
    /// of this program have stored.
    package let kind: Kind?
    package var operations: [ListOperation]
    /// The other list of a transfer: the deleted tasks moved to it, or the inserted tasks came from
    /// it. nil if the change is not part of a transfer.
    package let transfer: Transfer?

    package enum Kind: String, Sendable {
        case created, deleted
    }

    package enum Transfer: Sendable, Equatable {
        case to(String)
        case from(String)
    }

    package init(
        version: Int, at: Date, client: String?, author: String? = nil,
        opID: String? = nil, kind: Kind? = nil, operations: [ListOperation],
        transfer: Transfer? = nil
    ) {
        self.version = version
        self.at = at
        self.client = client
        self.author = author
        self.opID = opID
        self.kind = kind
        self.operations = operations
        self.transfer = transfer
    }

    /// `at` in the document's precision: milliseconds since 1970, rounded down.
    package var milliseconds: Int64 { at.milliseconds }

    /// The time and author of the change.
    package var stamp: ChangeStamp { ChangeStamp(time: milliseconds, author: author) }

    /// - Parameter before: the list before the change, which has the titles of what the change deletes.
    ///   Readers of changes other than people ignore these titles.
    package func json(deletingFrom before: ReorderableList? = nil) -> [UInt8] {
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
        if let author {
            writer.name("by")
            writer.string(author)
        }
        if let opID {
            writer.name("opId")
            writer.string(opID)
        }
        if let kind {
            writer.name("kind")
            writer.string(kind.rawValue)
        }
        if kind == .deleted, let before {
            writer.name("title")
            writer.string(before.settings.title)
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
        var titleBytes = 0
        for operation in operations {
            let title = titleBytes < Self.maximumTitleBytes ? before?.deletedTitle(operation) : nil
            titleBytes += title?.utf8.count ?? 0
            writer.operation(operation, deletedTitle: title)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The kind of a change, without reading a long one.
    package static func kind(ofJSON json: [UInt8]) -> Kind? {
        // The ops are the last member, and a change of either kind has this one.
        guard json.suffix(replacement.count).elementsEqual(replacement) else { return nil }
        return (try? ChangeDocument(json: json))?.kind
    }

    /// The change without the id of a transfer's other list, unless that list may be shown.
    package static func json(
        _ json: [UInt8], showing mayShow: (_ list: String) -> Bool
    ) -> [UInt8] {
        guard let (member, list) = otherList(inJSON: json), !mayShow(list) else { return json }
        return Array(json[..<member.lowerBound] + json[member.upperBound...])
    }

    /// The id of a transfer's other list, without reading a long change; nil if the change is no transfer.
    package static func otherList(ofJSON json: [UInt8]) -> String? {
        otherList(inJSON: json)?.list
    }

    private static func otherList(inJSON json: [UInt8]) -> (member: Range<Int>, list: String)? {
        // The ops are the last member, and a string in the members before has no unescaped quote.
        guard let ops = json.prefix(maximumHeadBytes).firstRange(of: opsName) else { return nil }
        let head = json[..<ops.lowerBound]
        for name in transferNames {
            guard let start = head.firstRange(of: name),
                let end = head[start.upperBound...].firstIndex(of: UInt8(ascii: "\""))
            else { continue }
            let list = String(decoding: head[start.upperBound..<end], as: UTF8.self)
            return (start.lowerBound..<end + 1, list)
        }
        return nil
    }

    /// Deletions after so many bytes of titles have none, so that a change of many deletions stays small.
    private static let maximumTitleBytes = 256 << 10

    private static let opsName = Array(#","ops":["#.utf8)
    private static let transferNames = [#","toList":""#, #","fromList":""#].map { Array($0.utf8) }
    /// Larger than the members before the ops can be: the longest are the author and the client's id.
    private static let maximumHeadBytes = 4_096

    private static let replacement = Array(#""ops":[{"op":"replace"}]}"#.utf8)

    /// Reads a change written by the server, which may be of a later version. Ignores unknown
    /// members.
    package init(json: [UInt8]) throws {
        let text = try JSONText(checking: json, maximumDepth: FormLimits.storedNesting)
        var reader = JSONReader(text)
        var (version, at, kind): (Int?, Date?, Kind?)
        var (client, author, opID): (String?, String?, String?)
        var operations: [ListOperation] = []
        var transfer: Transfer?
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "version": version = try reader.readCount()
            case "at": at = Date(timestamp: try reader.readString())
            case "client": client = try reader.readString()
            case "by": author = try reader.readString()
            case "opId": opID = try reader.readString()
            case "kind": kind = Kind(rawValue: try reader.readString())
            case "toList": transfer = .to(try reader.readString())
            case "fromList": transfer = .from(try reader.readString())
            case "ops":
                try reader.beginArray()
                while reader.nextElement() { operations.append(try ListOperation(from: &reader)) }
            default: break
            }
        }
        self.init(
            version: try reader.required(version, "version"), at: try reader.required(at, "at"),
            client: client, author: author, opID: opID, kind: kind, operations: operations,
            transfer: transfer)
    }

    /// RFC 3339, UTC, with milliseconds.
    package static let timestamp = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension ReorderableList {
    /// The title of the task or section that an operation deletes.
    fileprivate func deletedTitle(_ operation: ListOperation) -> String? {
        switch operation {
        case .delete(let task): self.task(task)?.content.title
        case .sectionDelete(let section): self.section(section)?.title
        default: nil
        }
    }
}
