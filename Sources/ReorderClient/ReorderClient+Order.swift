import ReorderEngine
import ReorderJSON

/// Which tasks of a list are ordered.
public enum OrderedPlace: Sendable, Equatable {
    /// The top level of each section, and the tasks without a section.
    case list
    /// The tasks of a section; nil: those without a section.
    case section(SectionID?)
    /// The subtasks of a task.
    case subtasks(of: TaskID)
}

/// Changes of many tasks, each as one change for everybody. These calls need the network, and are sent once: after
/// `unreachable`, the server may have applied the request. Changes of this device that the server does not have yet are
/// not considered. ``ReorderClient/ReorderClient/undo(_:of:)`` takes them back.
extension ReorderClient {
    /// Sorts tasks. Locked rows keep their places, and equal tasks their order.
    ///
    /// - Parameters:
    ///   - property: `title`, `done` (open tasks come first), `createdAt`, `completedAt`, or a member of the data such as
    ///     `data.due`.
    ///   - isRecursive: whether the levels below are sorted, too.
    ///   - language: whose rules order titles, as a tag of BCP 47 such as `de`.
    /// - Returns: whether the list has changed.
    /// - Throws: `invalid` if an id, the property or the language is malformed or unknown, there are more than 10,000 tasks,
    ///   or the place does not exist; `listNotFound`; `unauthorized`, also if the token does not allow it; `unreachable`, also
    ///   if the server asks to try again later.
    @discardableResult
    public func sort(
        _ list: String, by property: String, isDescending: Bool = false,
        _ place: OrderedPlace = .list, isRecursive: Bool = false, language: String = "en"
    ) async throws(ClientError) -> Bool {
        try await changeOrder(of: list, "sort", place) { writer in
            writer.name("by")
            writer.string(property)
            writer.name("locale")
            writer.string(language)
            writer.name("descending")
            writer.bool(isDescending)
            writer.name("recursive")
            writer.bool(isRecursive)
        }
    }

    /// Reverses the order of tasks. Locked rows keep their places. Parameters and errors are as for `sort`.
    ///
    /// - Returns: whether the list has changed.
    @discardableResult
    public func reverse(
        _ list: String, _ place: OrderedPlace = .list, isRecursive: Bool = false
    ) async throws(ClientError) -> Bool {
        try await changeOrder(of: list, "reverse", place) { writer in
            writer.name("recursive")
            writer.bool(isRecursive)
        }
    }

    /// Deletes the tasks that are done and whose subtasks are all done. Locked rows stay. Errors are as for `sort`.
    ///
    /// - Returns: whether the list has changed.
    @discardableResult
    public func removeDone(
        _ list: String, _ place: OrderedPlace = .list
    ) async throws(ClientError) -> Bool {
        try await changeOrder(of: list, "remove-done", place) { _ in }
    }

    /// Moves a section with its tasks to another list. To undo it, move the section back.
    ///
    /// - Parameter position: the index among the sections there; nil: the last one.
    /// - Throws: `invalid` if an id is malformed, a rule of either list forbids it, or the section does not exist;
    ///   `listNotFound`; `unauthorized`, also if the token does not allow it; `unreachable`, also if the server asks to try again
    ///   later.
    public func moveSection(
        _ section: SectionID, of list: String, toList other: String, position: Int? = nil
    ) async throws(ClientError) {
        for id in [section, list, other] { try Self.check(id) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("toList")
        writer.string(other)
        if let position {
            writer.name("position")
            writer.int(max(0, position))
        }
        writer.endObject()
        let (status, body) = try await response(
            to: ClientRequest(
                method: "POST", target: "/lists/\(list)/sections/\(section)/move",
                headers: [("Content-Type", "application/json")], body: writer.bytes))
        guard status != 200 else { return }
        throw Self.orderError(status, body)
    }

    private static func orderError(_ status: Int, _ body: [UInt8]) -> ClientError {
        let problem = ServerProblem(json: body)
        let isInvalid =
            [409, 422].contains(status)
            || ["section_not_found", "task_not_found"].contains(problem.code)
        return isInvalid ? .invalid(problem.detail) : error(of: status)
    }

    private func changeOrder(
        of list: String, _ action: String, _ place: OrderedPlace,
        _ write: (inout JSONWriter) -> Void
    ) async throws(ClientError) -> Bool {
        try Self.check(list)
        var writer = JSONWriter()
        writer.beginObject()
        switch place {
        case .list: break
        case .section(let section):
            writer.name("section")
            writer.stringOrNull(section)
        case .subtasks(let task):
            writer.name("parent")
            writer.string(task)
        }
        write(&writer)
        writer.endObject()
        let (status, body) = try await response(
            to: ClientRequest(
                method: "POST", target: "/lists/\(list)/\(action)",
                headers: [("Content-Type", "application/json")], body: writer.bytes))
        guard status == 200 else { throw Self.orderError(status, body) }
        guard let text = try? JSONText(checking: body), let changed = try? Self.changed(text) else {
            throw .unreachable
        }
        return changed
    }

    private static func changed(_ text: JSONText) throws -> Bool {
        var reader = JSONReader(text)
        var changed = false
        try reader.beginObject()
        while let name = reader.nextMember() {
            if case "changed" = name { changed = try reader.readBool() } else { reader.skip() }
        }
        return changed
    }
}
