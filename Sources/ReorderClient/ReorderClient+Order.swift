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

/// A move of a section to another list.
struct SectionTransfer: Sendable {
    var section: SectionID
    var from: String
    var to: String
    /// The index among the sections there; nil: the last one.
    var position: Int?
    /// The former index.
    var formerPosition: Int?

    var back: SectionTransfer {
        SectionTransfer(
            section: section, from: to, to: from, position: formerPosition, formerPosition: position
        )
    }
}

/// Changes of many tasks, each as one change for everybody. These calls need the network, and are sent once: after
/// `unreachable`, the server may have applied the request. What waits to be sent in an open list is sent first.
/// ``ReorderClient/ReorderClient/undo(version:of:)`` takes a change back, except a move to another list. The calls of ``LiveList`` with
/// the same names are steps of its ``LiveList/undo()``.
extension ReorderClient {
    /// Sorts tasks. Locked rows keep their places, and equal tasks their order.
    ///
    /// - Parameters:
    ///   - property: `title`, `done` (open tasks come first), `createdAt`, `completedAt`, or a member of the data such as
    ///     `data.due`.
    ///   - isRecursive: whether the levels below are sorted, too.
    ///   - language: whose rules order titles, as a tag of BCP 47 such as `de`.
    /// - Returns: the version of the change; nil if nothing has changed.
    /// - Throws: `invalid` if an id, the property or the language is malformed or unknown, there are more than 10,000 tasks,
    ///   or the place does not exist; `listNotFound`; `unauthorized`, also if the token does not allow it; `unreachable`, also
    ///   if the server asks to try again later.
    @discardableResult
    public func sort(
        _ list: String, by property: String, isDescending: Bool = false,
        _ place: OrderedPlace = .list, isRecursive: Bool = false, language: String = "en"
    ) async throws(ClientError) -> Int? {
        try await changeOrder(of: list, "sort", place) { writer in
            writer.member("by", property)
            writer.member("locale", language)
            writer.member("descending", isDescending)
            writer.member("recursive", isRecursive)
        }
    }

    /// Reverses the order of tasks. Locked rows keep their places. Parameters and errors are as for `sort`.
    ///
    /// - Returns: the version of the change; nil if nothing has changed.
    @discardableResult
    public func reverse(
        _ list: String, _ place: OrderedPlace = .list, isRecursive: Bool = false
    ) async throws(ClientError) -> Int? {
        try await changeOrder(of: list, "reverse", place) {
            $0.member("recursive", isRecursive)
        }
    }

    /// Deletes the tasks that are done and whose subtasks are all done. Locked rows stay. Errors are as for `sort`.
    ///
    /// - Returns: the version of the change; nil if nothing has changed.
    @discardableResult
    public func removeDone(
        _ list: String, _ place: OrderedPlace = .list
    ) async throws(ClientError) -> Int? {
        try await changeOrder(of: list, "remove-done", place) { _ in }
    }

    /// Moves a section with its tasks to another list. To undo it, move the section back.
    ///
    /// - Parameters:
    ///   - position: the index among the sections there; nil: the last one.
    ///   - isUndo: whether it is put back: then the limits of the other list do not refuse it.
    /// - Throws: `invalid` if an id is malformed, a rule of either list forbids it, or the section does not exist;
    ///   `listNotFound`; `unauthorized`, also if the token does not allow it; `unreachable`, also if the server asks to try again
    ///   later.
    public func moveSection(
        _ section: SectionID, of list: String, toList other: String, position: Int? = nil,
        isUndo: Bool = false
    ) async throws(ClientError) {
        try InputValidation.id(other)
        _ = try await send(
            APICall(
                method: "POST", path: ["lists", list, "sections", section, "move"],
                form: { writer in
                    writer.member("toList", other)
                    writer.member("position", position.map { max(0, $0) })
                    if isUndo { writer.member("undo", true) }
                }
            ) { try $0.version() }, flushing: [list, other])
    }

    func move(_ transfer: SectionTransfer, isUndo: Bool = false) async throws(ClientError) {
        try await moveSection(
            transfer.section, of: transfer.from, toList: transfer.to, position: transfer.position,
            isUndo: isUndo)
    }

    /// - Returns: the version of the change; nil if nothing has changed.
    private func changeOrder(
        of list: String, _ action: String, _ place: OrderedPlace,
        _ write: @escaping (inout JSONWriter) -> Void
    ) async throws(ClientError) -> Int? {
        try await send(
            APICall(
                method: "POST", path: ["lists", list, action],
                form: { writer in
                    switch place {
                    case .list: break
                    case .section(let section):
                        writer.name("section")
                        writer.stringOrNull(section)
                    case .subtasks(let task): writer.member("parent", task)
                    }
                    write(&writer)
                }
            ) { try $0.changedVersion() }, flushing: [list])
    }
}
