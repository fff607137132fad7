/// When a task was created, last changed, and done, in milliseconds since 1970; nil if unknown.
///
/// `ReorderableList.changeTime` is the source of these times.
public struct TaskTimes: Sendable, Equatable {
    /// When the task was created.
    public var createdAt: Int64?
    /// The time of the last change of the task itself: of its title, `done`, `locked`, `data` or
    /// `collapsed`, or of a move of this task. Changes of its ancestors, siblings or subtasks do not
    /// count.
    public var updatedAt: Int64?
    /// When the task was done; nil if it is not done.
    public var completedAt: Int64?

    /// Creates times; by default they are unknown.
    package init(createdAt: Int64? = nil, updatedAt: Int64? = nil, completedAt: Int64? = nil) {
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.completedAt = completedAt
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
        if let changeTime { times.updatedAt = changeTime }
    }

    /// Gives the list and a task the time of the change that is being applied. O(1).
    mutating func noteChange(of node: NodeID) {
        guard let changeTime else { return }
        times.updatedAt = changeTime
        table.setUpdatedAt(of: node, changeTime)
    }

    /// Fills in the times that a document does not have, because the list is created from it or
    /// replaced by it. O(tasks).
    ///
    /// - A time in the document counts, except `updatedAt` of the list and of a task that `former`
    ///   contains. There, `updatedAt` changes only if the task's content, parent or section does.
    /// - For a missing time, that of the same task in `former` counts.
    /// - A task that `former` does not contain, or that becomes done, gets `time`.
    ///
    /// - Parameters:
    ///   - former: the list that is replaced; nil if the list is created.
    ///   - time: the time of the change; nil leaves times unknown.
    package mutating func completeTimes(replacing former: ReorderableList?, at time: Int64?) {
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
            var times = table.times(of: node)
            if let former, let old = former.table.node(for: table.id(of: node)) {
                let known = former.table.times(of: old)
                times.createdAt = times.createdAt ?? known.createdAt
                times.updatedAt = isSame(node, as: old, of: former) ? known.updatedAt : time
                if table.isDone(node) {
                    times.completedAt =
                        times.completedAt ?? (former.table.isDone(old) ? known.completedAt : time)
                }
            } else {
                times.createdAt = times.createdAt ?? time
                times.updatedAt = times.updatedAt ?? time
                if table.isDone(node) { times.completedAt = times.completedAt ?? time }
            }
            table.setTimes(of: node, times)
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
            && sections.elementsEqual(other.sections) {
                $0 == $1 && $0.title.isWritten(like: $1.title)
                    && ($0.data ?? "").isWritten(like: $1.data ?? "")
            }
            && tasks.elementsEqual(other.tasks) { one, other in
                guard one.content.isSame(as: other.content),
                    same(one.content.times.createdAt, other.content.times.createdAt),
                    same(one.content.times.updatedAt, other.content.times.updatedAt),
                    same(one.content.times.completedAt, other.content.times.completedAt)
                else { return false }
                var placed = other
                placed.content = one.content
                return one == placed
            }
    }
}

extension TaskContent {
    /// Whether both contents are equal, apart from the times. Texts are compared by bytes.
    fileprivate func isSame(as other: TaskContent) -> Bool {
        var timed = other
        timed.times = times
        return self == timed && title.isWritten(like: other.title)
            && (data ?? "").isWritten(like: other.data ?? "")
    }
}
