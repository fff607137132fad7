import Foundation
import ReorderEngine

extension LiveList {
    /// A row of a list, as a cell displays it. Rows are equal if they look the same.
    public struct Row: Identifiable, Hashable, Sendable {
        /// One reference instead of many makes arrays of rows cheap to copy.
        private final class Content: Sendable {
            let task: ListTask
            let isWaiting: Bool
            let drag: OtherDrag?

            init(_ task: ListTask, isWaiting: Bool, drag: OtherDrag?) {
                self.task = task
                self.isWaiting = isWaiting
                self.drag = drag
            }
        }

        private let content: Content

        init(_ task: ListTask, isWaiting: Bool, drag: OtherDrag?) {
            var task = task
            // It changes with the rows above.
            task.placement.row = nil
            task.placement.position = 0
            content = Content(task, isWaiting: isWaiting, drag: drag)
        }

        private var task: ListTask { content.task }
        /// Another person's drag of the row.
        var drag: OtherDrag? { content.drag }

        /// The id of the row's task.
        public var id: TaskID { task.id }
        /// The displayed title.
        public var title: String { task.content.title }
        /// The indentation: 0 at the top level, at most 15.
        public var level: Int { task.depth }
        /// The section of the row; nil for rows without one.
        public var section: SectionID? { task.placement.section }
        /// The task of which the row is a subtask; nil at the top level.
        public var parent: TaskID? { task.placement.parent }
        /// Whether the task is done.
        public var isCompleted: Bool { task.content.done }
        /// Whether the row can't be moved or deleted: it is locked itself, or one of the first rows that the list locks.
        public var isLocked: Bool { task.content.locked || task.isLockedByOffset }
        /// Whether the row has subtasks, visible or not.
        public var hasSubtasks: Bool { task.subtasks > 0 }
        /// The number of direct subtasks.
        public var subtaskCount: Int { task.subtasks }
        /// Whether the subtasks are hidden.
        public var isCollapsed: Bool { task.content.collapsed }
        /// Whether a change of the row waits to be sent.
        public var isWaiting: Bool { content.isWaiting }
        /// Whether another person drags the row.
        public var isDraggedByOthers: Bool { drag != nil }
        /// Who drags the row, if another person does and the server knows it; as in `updatedBy`.
        public var draggedBy: String? { drag?.author }
        /// The list that the row stands for, in an index of lists; nil for other rows, and for folders.
        public var listID: String? { task.entryList }
        /// When the task was created, if the server has confirmed it.
        public var createdAt: Date? { Self.date(task.content.stamps.createdAt) }
        /// When the task was last changed, if the server has confirmed it.
        public var updatedAt: Date? { Self.date(task.content.stamps.updatedAt) }
        /// When the task was done; nil if it is not, or if the server has not confirmed it.
        public var completedAt: Date? { Self.date(task.content.stamps.completedAt) }

        /// Who created the task, if the server knows it: the name of the token, or the subject of a signed token.
        public var createdBy: String? { task.content.stamps.createdBy }
        /// Who made the change at `updatedAt`, if the server knows it.
        public var updatedBy: String? { task.content.stamps.updatedBy }
        /// Who completed the task; nil if it is not done, or if the server does not know it.
        public var completedBy: String? { task.content.stamps.completedBy }

        /// The app's data of the task.
        ///
        /// - Returns: nil if the task has no data, or other data.
        public func data<Value: Decodable>(as type: Value.Type) -> Value? {
            task.content.data.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
        }

        private static func date(_ milliseconds: Int64?) -> Date? {
            milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000) }
        }

        /// Whether both rows look the same.
        public static func == (left: Row, right: Row) -> Bool {
            left.content === right.content
                || left.task == right.task && left.isWaiting == right.isWaiting
                    && left.drag == right.drag
        }

        /// Hashes what identifies the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
            hasher.combine(title)
        }
    }

    /// A section with its visible rows.
    public struct Section: Identifiable, Hashable, Sendable {
        /// The section's id; nil for the rows without a section.
        public let id: SectionID?
        /// The displayed title; empty for the rows without a section.
        public let title: String
        /// The visible rows: subtasks follow their parent.
        public let rows: Rows
        let data: String?
        /// The list that the rows are of.
        let list: ReorderableList

        /// The app's data of the section.
        ///
        /// - Returns: nil if the section has no data, or other data.
        public func data<Value: Decodable>(as type: Value.Type) -> Value? {
            data.flatMap { try? JSONDecoder().decode(type, from: Data($0.utf8)) }
        }

        /// Whether both sections look the same.
        public static func == (left: Section, right: Section) -> Bool {
            left.id == right.id && left.title == right.title && left.data == right.data
                && left.rows == right.rows
        }

        /// Hashes what identifies the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(id)
            hasher.combine(title)
        }
    }
}
