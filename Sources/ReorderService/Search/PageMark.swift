import ReorderEngine
import ReorderJSON
import ReorderStore

/// The end of a page of a list's tasks or sections, from which the next page continues.
///
/// The list can change between two pages. Then the next page continues after the last of these items
/// that was not moved since. So each item that exists all the time and is not moved is on exactly one
/// page: items that are not moved keep their order, and all items between the one found here and the
/// end of the page were moved.
package struct PageMark: Sendable, Equatable {
    /// The maximum number of items in a mark.
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

extension ListService {
    /// The maximum number of changes of a list, and of their bytes, since an earlier page.
    package static let maximumChangesBetweenPages = 1_000
    package static let maximumBytesBetweenPages = 1 << 20

    /// Whether the place of a mark can be found without the store.
    func isCurrent(_ mark: PageMark?, in list: VersionedList) -> Bool {
        mark.map { $0.version == list.version } ?? true
    }

    /// The moves since a page; nil if the changes are no longer stored, are too many, or have
    /// replaced the list. Blocks until the store responds, unless the mark is current.
    ///
    /// - Parameter list: at a version that is durable.
    func moves(since mark: PageMark, in list: VersionedList) throws(ServiceError) -> ListMoves? {
        var moves = ListMoves()
        guard mark.version != list.version else { return moves }
        guard mark.version < list.version,
            list.version - mark.version <= Self.maximumChangesBetweenPages
        else { return nil }
        let changes: [StoredChange]?
        do throws(StoreError) {
            changes = try store.changes(
                ChangesQuery(
                    list: list.id, version: mark.version, limit: list.version - mark.version,
                    bytes: Self.maximumBytesBetweenPages))
        } catch {
            throw durable.failure(error, list: list.id)
        }
        guard let changes, changes.last?.version == list.version else { return nil }
        do {
            for change in changes {
                let operations = try ChangeDocument(json: change.bytes).operations
                guard !operations.contains(.replace) else { return nil }
                moves.add(operations)
            }
        } catch {
            logger.error(
                "changes of list \(list.id) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
        return moves
    }
}
