/// The time and the author of a change.
package struct ChangeStamp: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var time: Int64
    /// The author's name; nil if unknown.
    package var author: String?

    package init(time: Int64, author: String? = nil) {
        self.time = time
        self.author = author
    }
}

/// When and by whom a task was created, last changed, and done. Times are in milliseconds since
/// 1970; nil if unknown. An author is nil if unknown.
///
/// `ReorderableList.changeStamp` is the source of these values.
public struct TaskStamps: Sendable, Equatable {
    /// When the task was created.
    public var createdAt: Int64?
    /// The time of the last change of the task itself: of its title, `done`, `locked`, `data` or
    /// `collapsed`, or of a move of this task. Changes of its ancestors, siblings or subtasks do not
    /// count.
    public var updatedAt: Int64?
    /// When the task was done; nil if it is not done.
    public var completedAt: Int64?
    /// Who created the task.
    public var createdBy: String?
    /// Who made the change at `updatedAt`.
    public var updatedBy: String?
    /// Who completed the task; nil if it is not done.
    public var completedBy: String?

    /// Creates stamps; by default they are unknown.
    package init(
        createdAt: Int64? = nil, updatedAt: Int64? = nil, completedAt: Int64? = nil,
        createdBy: String? = nil, updatedBy: String? = nil, completedBy: String? = nil
    ) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.completedAt = completedAt
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.completedBy = completedBy
    }

    /// When and by whom the task was done; nil if the time is unknown.
    var completed: ChangeStamp? {
        completedAt.map { ChangeStamp(time: $0, author: completedBy) }
    }

    /// The stamps of a task that a change creates.
    init(created: ChangeStamp, done: Bool) {
        self.init(
            createdAt: created.time, updatedAt: created.time,
            completedAt: done ? created.time : nil, createdBy: created.author,
            updatedBy: created.author, completedBy: done ? created.author : nil)
    }
}

/// When a list was created and last changed, in milliseconds since 1970; nil if unknown.
package struct ListTimes: Sendable, Equatable {
    /// When the list was created.
    package var createdAt: Int64?
    /// The time of the list's last change, of any kind.
    package var updatedAt: Int64?

    /// Creates times; by default they are unknown.
    package init(createdAt: Int64? = nil, updatedAt: Int64? = nil) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

extension ReorderableList {
    /// Gives the list the time of the change that is being applied. O(1).
    mutating func noteChange() {
        if let changeStamp { times.updatedAt = changeStamp.time }
    }

    /// Gives the list the time of the change that is being applied, and a task its time and author.
    /// O(1).
    mutating func noteChange(of node: NodeID) {
        guard let changeStamp else { return }
        times.updatedAt = changeStamp.time
        table.setUpdated(of: node, changeStamp)
    }

    /// Fills in the times and authors that a document does not have, because the list is created
    /// from it or replaced by it. O(tasks).
    ///
    /// - A time or author in the document counts, except `updatedAt` and `updatedBy` of the list
    ///   and of a task that `former` contains. There, they change only if the task's content,
    ///   parent or section does.
    /// - For a missing one, that of the same task in `former` counts.
    /// - A task that `former` does not contain, or that becomes done, gets those of the change.
    ///
    /// - Parameters:
    ///   - former: the list that is replaced; nil if the list is created.
    ///   - stamp: the time and author of the change; nil leaves missing ones unknown.
    package mutating func completeStamps(
        replacing former: ReorderableList?, _ stamp: ChangeStamp?
    ) {
        let (time, author) = (stamp?.time, stamp?.author)
        times =
            if let former {
                ListTimes(
                    createdAt: times.createdAt ?? former.times.createdAt,
                    updatedAt: former.times.updatedAt)
            } else {
                ListTimes(
                    createdAt: times.createdAt ?? time, updatedAt: times.updatedAt ?? time)
            }
        for node in forest.preorder(of: Forest.root) where forest.isRow(node) {
            var stamps = table.stamps(of: node)
            if let former, let old = former.table.node(for: table.id(of: node)) {
                let known = former.table.stamps(of: old)
                let isSame = isSame(node, as: old, of: former)
                let wasDone = former.table.isDone(old)
                stamps.createdAt = stamps.createdAt ?? known.createdAt
                stamps.updatedAt = isSame ? known.updatedAt : time
                stamps.completedAt = stamps.completedAt ?? (wasDone ? known.completedAt : time)
                stamps.createdBy = stamps.createdBy ?? known.createdBy
                stamps.updatedBy = isSame ? known.updatedBy : author
                stamps.completedBy = stamps.completedBy ?? (wasDone ? known.completedBy : author)
            } else {
                stamps.createdAt = stamps.createdAt ?? time
                stamps.updatedAt = stamps.updatedAt ?? time
                stamps.completedAt = stamps.completedAt ?? time
                stamps.createdBy = stamps.createdBy ?? author
                stamps.updatedBy = stamps.updatedBy ?? author
                stamps.completedBy = stamps.completedBy ?? author
            }
            table.setStamps(of: node, stamps)
        }
    }

    /// Whether a task has the same content, parent and section in another list.
    private func isSame(_ node: NodeID, as old: NodeID, of former: ReorderableList) -> Bool {
        guard content(at: node).isSame(as: former.content(at: old)),
            let parent = forest.parent(of: node), let oldParent = former.forest.parent(of: old),
            isSection(parent) == former.isSection(oldParent)
        else { return false }
        return isSection(parent)
            ? sectionTable.id(of: parent) == former.sectionTable.id(of: oldParent)
            : table.id(of: parent) == former.table.id(of: oldParent)
    }

    /// Whether both lists are equal, except that an unknown time fits any time. Earlier versions of
    /// this program stored lists without times. O(tasks).
    package func isEqual(toStored other: ReorderableList) -> Bool {
        isEqual(to: other) { $0 == nil || $1 == nil || $0 == $1 }
    }

    /// Whether both lists have the same settings, sections and tasks in the same order. O(tasks).
    ///
    /// Texts are compared by bytes: Swift's `==` treats "é" and "e" with a combining accent as
    /// equal, but replacing one by the other is a change.
    func isEqual(to other: ReorderableList, comparing same: (Int64?, Int64?) -> Bool) -> Bool {
        settings == other.settings && count == other.count
            && same(times.createdAt, other.times.createdAt)
            && same(times.updatedAt, other.times.updatedAt)
            && settings.title.isWritten(like: other.settings.title)
            && (settings.data ?? "").isWritten(like: other.settings.data ?? "")
            && sections.elementsEqual(other.sections) {
                $0 == $1 && $0.title.isWritten(like: $1.title)
                    && ($0.data ?? "").isWritten(like: $1.data ?? "")
            }
            && tasks.elementsEqual(other.tasks) { one, other in
                let (stamps, others) = (one.content.stamps, other.content.stamps)
                guard one.content.isSame(as: other.content),
                    same(stamps.createdAt, others.createdAt),
                    same(stamps.updatedAt, others.updatedAt),
                    same(stamps.completedAt, others.completedAt),
                    stamps.createdBy == others.createdBy, stamps.updatedBy == others.updatedBy,
                    stamps.completedBy == others.completedBy
                else { return false }
                var placed = other
                placed.content = one.content
                return one == placed
            }
    }
}

extension TaskContent {
    /// Whether both contents are equal, apart from the stamps. Texts are compared by bytes.
    fileprivate func isSame(as other: TaskContent) -> Bool {
        var timed = other
        timed.stamps = stamps
        return self == timed && title.isWritten(like: other.title)
            && (data ?? "").isWritten(like: other.data ?? "")
    }
}
