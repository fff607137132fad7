import ReorderEngine
import ReorderJSON
import ReorderStore

/// Pages of a list's tasks and sections.
extension ListService {
    /// A page of tasks of one list.
    package struct TasksOfList: Sendable {
        package var tasks: [TaskMatch]
        /// nil for the last page.
        package var end: ItemCursor?
    }

    /// Whether a worker must call `tasks` for this page.
    package func isLong(
        _ filter: TaskFilter, of list: VersionedList, after start: ItemCursor?, limit: Int
    ) -> Bool {
        let most = filter.isSelective ? limits.pieces.examinedTasks : limit
        return min(list.list.count, most) > limits.tasksOnLoop || !isCurrent(start, in: list)
            || filter.readsTexts && isLong(toSearch: list)
    }

    /// Whether a worker must read the texts of a list's tasks.
    func isLong(toSearch list: VersionedList) -> Bool {
        // To compare a text takes longer than to skip it.
        list.list.count * 10 > limits.tasksOnLoop
            || list.list.memoryBytes > limits.searchedBytesOnLoop
    }

    /// Whether a worker must compare these tasks with a filter.
    package func isLong(_ filter: TaskFilter, of tasks: [TaskMatch]) -> Bool {
        filter.readsTexts
            && tasks.reduce(0) { $0 + $1.task.content.byteCount } > limits.searchedBytesOnLoop
    }

    /// Returns tasks of a list, in the order of the list. Blocks until the store responds, if `isLong`.
    ///
    /// - Parameters:
    ///   - start: the end of the page before this one.
    ///   - limit: the maximum number of tasks, at least 1.
    /// - Returns: nil if the place of `start` in the list is unknown.
    /// - Throws: `refused` if the list does not contain the place of the scope.
    package func tasks(
        of list: VersionedList, _ scope: TaskScope, _ filter: TaskFilter, after start: ItemCursor?,
        limit: Int
    ) throws(ServiceError) -> TasksOfList? {
        var scan = try scan(of: list, scope)
        guard let items = try resume(&scan, after: start, in: list) else { return nil }
        var page = TaskPage(limit: limit, limits.pieces)
        let end = page.fill(from: &scan, of: list, filter, after: items)
        return TasksOfList(tasks: page.tasks, end: end)
    }

    /// - Throws: `refused` if the list does not contain the place of the scope.
    func scan(of list: VersionedList, _ scope: TaskScope) throws(ServiceError) -> TaskScan {
        guard let scan = TaskScan(list.list, scope) else {
            switch scope.root {
            case .section(let section?): throw refusal(.sectionNotFound(section), list)
            case .subtasks(let task): throw refusal(.taskNotFound(task), list)
            case .list, .section(nil): throw .listNotFound(list.id)
            }
        }
        return scan
    }

    private func refusal(_ refusal: Refusal, _ list: VersionedList) -> ServiceError {
        .refused(refusal, version: list.version, tasks: .one(nil))
    }

    /// Moves a scan to the task after which a page begins.
    ///
    /// - Returns: the items of the mark that were not moved; nil if the place is unknown.
    func resume(
        _ scan: inout TaskScan, after mark: ItemCursor?, in list: VersionedList
    ) throws(ServiceError) -> [String]? {
        guard let mark else { return [] }
        guard let moves = try moves(since: mark, in: list) else { return nil }
        let items = mark.items.filter { moves.spare(task: $0, in: list.list) }
        guard let last = items.first, scan.skip(to: last) else { return nil }
        return items
    }

    /// A page of sections of a list.
    package struct SectionsOfList: Sendable {
        package var sections: [ListSection]
        /// nil for the last page.
        package var end: ItemCursor?
    }

    /// Whether a worker must call `sections` for this page.
    package func isLong(toReadSectionsOf list: VersionedList, after start: ItemCursor?) -> Bool {
        list.list.sectionCount > limits.tasksOnLoop || !isCurrent(start, in: list)
    }

    /// Returns sections of a list, in order. Parameters and result are as for `tasks`.
    package func sections(
        of list: VersionedList, after start: ItemCursor?, limit: Int
    ) throws(ServiceError) -> SectionsOfList? {
        let all = list.list.sections
        var first = 0
        var items: [String] = []
        if let start {
            guard let moves = try moves(since: start, in: list) else { return nil }
            items = start.items.filter { moves.spare(section: $0, in: list.list) }
            guard let last = all.firstIndex(where: { $0.id == items.first }) else { return nil }
            first = last + 1
        }
        var page: [ListSection] = []
        var byteCount = 0
        for section in all[first...] where page.count < limit && byteCount < TaskPage.maximumBytes {
            page.append(section)
            byteCount += section.title.utf8.count + (section.data?.utf8.count ?? 0)
        }
        guard first + page.count < all.count else {
            return SectionsOfList(sections: page, end: nil)
        }
        items = Array((page.reversed().map(\.id) + items).prefix(ItemCursor.maximumCount))
        return SectionsOfList(
            sections: page, end: ItemCursor(version: list.version, items: items))
    }

    /// Whether a worker must compute how a person with these folds sees a list.
    package func isLong(toSee list: VersionedList, with folds: Folds) -> Bool {
        list.list.costOfFolding(folds.states) > limits.tasksOnLoop
    }
}

extension ListService {
    /// The maximum number of changes of a list, and of their bytes, since an earlier page.
    package static let maximumChangesBetweenPages = 1_000
    package static let maximumBytesBetweenPages = 1 << 20

    /// Whether the place of a mark can be found without the store.
    func isCurrent(_ mark: ItemCursor?, in list: VersionedList) -> Bool {
        mark.map { $0.version == list.version } ?? true
    }

    /// The moves since a page; nil if the changes are no longer stored, are too many, or have
    /// replaced the list. Blocks until the store responds, unless the mark is current.
    ///
    /// - Parameter list: at a version that is durable.
    func moves(since mark: ItemCursor, in list: VersionedList) throws(ServiceError) -> ListMoves? {
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
