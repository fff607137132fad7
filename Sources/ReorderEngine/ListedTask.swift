/// A task with references to its texts instead of strings: the form in which tasks are written. It is
/// valid only during the call that receives it.
///
/// It has no members with a reference count, so reading a member costs one load.
package struct ListedTask: BitwiseCopyable {
    package typealias Text = UnsafeBufferPointer<UInt8>

    package let id: Text
    package let title: Text
    package let data: Text?
    package let section: Text?
    package let parent: Text?
    package let position: Int
    package let row: Int?
    package let depth: Int
    package let collapsed: Bool
    package let locked: Bool
    package let done: Bool
    package let subtasks: Int
    /// As in `ListTask`.
    package let isLockedByOffset: Bool
    /// These as in `TaskStamps`.
    package let createdAt: Int64?
    package let updatedAt: Int64?
    package let completedAt: Int64?
    package let createdBy: Text?
    package let updatedBy: Text?
    package let completedBy: Text?
}

extension ListTask {
    /// Passes the task with references to copies of its texts.
    package func withTexts(_ body: (ListedTask) -> Void) {
        let (place, stamps) = (placement, content.stamps)
        let byteCount =
            content.id.utf8.count + content.title.utf8.count + (content.data?.utf8.count ?? 0)
            + (place.section?.utf8.count ?? 0) + (place.parent?.utf8.count ?? 0)
            + (stamps.createdBy?.utf8.count ?? 0) + (stamps.updatedBy?.utf8.count ?? 0)
            + (stamps.completedBy?.utf8.count ?? 0)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { memory in
            var texts = TextCopies(rest: memory)
            body(
                ListedTask(
                    id: texts.copy(content.id), title: texts.copy(content.title),
                    data: texts.copy(ifAny: content.data),
                    section: texts.copy(ifAny: place.section),
                    parent: texts.copy(ifAny: place.parent), position: place.position,
                    row: place.row, depth: depth, collapsed: content.collapsed,
                    locked: content.locked, done: content.done, subtasks: subtasks,
                    isLockedByOffset: isLockedByOffset, createdAt: stamps.createdAt,
                    updatedAt: stamps.updatedAt, completedAt: stamps.completedAt,
                    createdBy: texts.copy(ifAny: stamps.createdBy),
                    updatedBy: texts.copy(ifAny: stamps.updatedBy),
                    completedBy: texts.copy(ifAny: stamps.completedBy)))
        }
    }
}

/// Copies of strings, one after another: without a closure for each string, which would cost more.
private struct TextCopies {
    var rest: UnsafeMutableBufferPointer<UInt8>

    mutating func copy(_ text: String) -> ListedTask.Text {
        let end = rest.initialize(fromContentsOf: text.utf8)
        defer { rest = UnsafeMutableBufferPointer(rebasing: rest[end...]) }
        return ListedTask.Text(rebasing: rest[..<end])
    }

    mutating func copy(ifAny text: String?) -> ListedTask.Text? {
        if let text { copy(text) } else { nil }
    }
}
