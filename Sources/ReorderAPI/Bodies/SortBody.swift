import Foundation
import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

/// The part of a list that a request orders.
struct ScopeBody {
    private(set) var scope = TaskScope(isTopOnly: true)
    private let hasLevels: Bool

    static let members: [JSONName] = ["section", "parent", "recursive"]

    /// - Parameter hasLevels: whether the request can be for one level only.
    init(hasLevels: Bool = true) { self.hasLevels = hasLevels }

    init(from reader: inout JSONReader, hasLevels: Bool = true) throws(JSONTypeError) {
        self.init(hasLevels: hasLevels)
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard try read(name, from: &reader) else {
                throw reader.unknownMember(
                    allowed: hasLevels ? Self.members : ["section", "parent"])
            }
        }
    }

    /// - Returns: false if the member does not belong to a scope.
    mutating func read(
        _ name: JSONName, from reader: inout JSONReader
    ) throws(JSONTypeError) -> Bool {
        switch name {
        case "section":
            let section = reader.readNull() ? nil : try reader.readIdentifier()
            try take(.section(section), reader)
        case "parent": try take(.subtasks(of: try reader.readIdentifier()), reader)
        case "recursive" where hasLevels: scope.isTopOnly = !(try reader.readBool())
        default: return false
        }
        return true
    }

    private mutating func take(
        _ place: TaskScope.Root, _ reader: borrowing JSONReader
    ) throws(JSONTypeError) {
        guard scope.root == .list else {
            throw reader.invalid("Send either section or parent.")
        }
        scope.root = place
    }
}

/// The body of a request that sorts tasks.
struct SortBody {
    let scope: TaskScope
    let sorting: TaskSorting

    init(from reader: inout JSONReader) throws(JSONTypeError) {
        var scope = ScopeBody()
        var property: TaskSorting.Property?
        var locale: Locale?
        var isDescending = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "by":
                guard let value = Self.property(try reader.readString()) else {
                    throw reader.invalid(
                        "It must be title, done, createdAt, completedAt, or a member such as data.due, of at "
                            + "most \(Request.maximumFilterBytes) bytes of UTF-8.")
                }
                property = value
            case "descending": isDescending = try reader.readBool()
            case "locale":
                locale = TaskSorting.locale(try reader.readString())
                guard locale != nil else {
                    throw reader.invalid(
                        "It must be a known language, such as de or sv-SE.")
                }
            default:
                guard try scope.read(name, from: &reader) else {
                    throw reader.unknownMember(
                        allowed: ["by", "descending", "locale"] + ScopeBody.members)
                }
            }
        }
        guard var property else { throw reader.missingMember("by") }
        if case .title = property, let locale { property = .title(locale) }
        self.scope = scope.scope
        sorting = TaskSorting(property, isDescending: isDescending)
    }

    private static func property(_ name: String) -> TaskSorting.Property? {
        switch name {
        case "title": .title(Locale(identifier: "en"))
        case "done": .done
        case "createdAt": .createdAt
        case "completedAt": .completedAt
        default:
            name.hasPrefix("data.") && name.utf8.count <= Request.maximumFilterBytes
                ? (try? DataOrder(name)).map { .data($0) } : nil
        }
    }
}
