import ReorderEngine
import ReorderJSON
import ReorderStore

/// The end of a page of a list's tasks or sections, from which the next page continues.
///
/// The list can change between two pages. Then the next page continues after the last of these items
/// that was not moved since. So each item that exists all the time and is not moved is on exactly one
/// page: items that are not moved keep their order, and all items between the one found here and the
/// end of the page were moved.
package struct ItemCursor: Sendable, Equatable {
    /// The maximum number of items in a cursor.
    package static let maximumCount = 8

    /// The version of the list that the page was read from.
    package var version: Int
    /// The last items that were examined, the last one first.
    package var items: [String]

    package init(version: Int, items: [String]) {
        self.version = version
        self.items = items
    }
}

/// The tasks and sections that changes of a list have moved, inserted or deleted.
struct ListMoves {
    private var tasks: Set<TaskID> = []
    private var sections: Set<SectionID> = []

    mutating func add(_ operations: [ListOperation]) {
        for operation in operations {
            switch operation {
            case .move(let task, _, _, _), .delete(let task): tasks.insert(task)
            case .insert(let task): tasks.insert(task.id)
            case .sectionInsert(let section, _, _, _, _), .sectionMove(let section, _),
                .sectionDelete(let section):
                sections.insert(section)
            case .update, .collapse, .list, .sectionUpdate, .replace: break
            }
        }
    }

    /// Whether neither the task nor anything above it was moved.
    func spare(task: TaskID, in list: ReorderableList) -> Bool {
        guard let (parents, section) = list.ancestors(of: task), !tasks.contains(task) else {
            return false
        }
        return !parents.contains { tasks.contains($0) }
            && !(section.map { sections.contains($0) } ?? false)
    }

    func spare(section: SectionID, in list: ReorderableList) -> Bool {
        list.contains(section: section) && !sections.contains(section)
    }
}
