import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// The files in `Tests/Fixtures`, whose README describes them.
enum Fixture {
    typealias Object = [String: Any]

    static func read<Value>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Fixtures/\(name)").standardized
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require(json as? Value)
    }

    static func bytes(_ json: Any) throws -> [UInt8] {
        Array(try JSONSerialization.data(withJSONObject: json, options: .sortedKeys))
    }

    /// The document of a short document.
    static func document(_ short: Object) -> Object {
        var document = short
        document["id"] = document["id"] ?? "l"
        document["title"] = document["title"] ?? "List"
        for member in ["sections", "tasks"] {
            let items = document[member] as? [Object] ?? []
            document[member] = items.map {
                $0.merging(["title": $0["id"] ?? ""]) { given, _ in given }
            }
        }
        return document
    }

    /// The operation of a step.
    static func operation(_ json: Object, id: String) throws -> PendingOperation {
        try PendingOperation(json: bytes(json.merging(["opId": id]) { $1 }))
    }

    /// The answer of an `answers.json` or `sync.json`.
    static func answer(_ json: Object) throws -> Answer {
        guard let status = json["status"] as? Int else { return Answer() }
        let headers = json["headers"] as? [String: String] ?? [:]
        var body: [UInt8] = []
        switch json["body"] {
        case let text as String: body = Array(text.utf8)
        case let value?: body = try bytes(value)
        case nil: break
        }
        return Answer(
            status: status,
            headers: Dictionary(
                uniqueKeysWithValues: headers.map { ($0.key.lowercased(), $0.value) }),
            body: body)
    }
}

extension ReorderableList {
    /// The outline in the form of the fixtures.
    var fixtureOutline: String {
        var words = text(of: tasks.filter { $0.placement.section == nil })
        for section in sections {
            words +=
                " #\(section.id) " + text(of: tasks.filter { $0.placement.section == section.id })
        }
        return words.split(separator: " ").joined(separator: " ")
    }

    private func text(of tasks: [ListTask]) -> String {
        var text = ""
        var depth = 0
        for task in tasks {
            text +=
                task.depth > depth ? "(" : String(repeating: ")", count: depth - task.depth) + " "
            let content = task.content
            text += task.id + (content.collapsed ? "+" : "") + (content.locked ? "!" : "")
            text += (content.done ? "*" : "")
            text += content.title == task.id ? "" : "=\(content.title)"
            depth = task.depth
        }
        return text + String(repeating: ")", count: depth)
    }
}
