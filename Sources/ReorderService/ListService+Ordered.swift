import ReorderEngine
import ReorderJSON
import ReorderStore

/// The end of a page of ordered tasks.
package struct OrderCursor: Sendable, Equatable {
    /// The value of the page's last task; nil if it has none.
    package var key: JSONScalar?
    /// The last tasks with this value; nil if no more tasks have it.
    package var ties: SearchCursor?

    package init(key: JSONScalar?, ties: SearchCursor?) {
        self.key = key
        self.ties = ties
    }
}

/// A page of tasks in the order of a value of their `data`.
package struct OrderedPage: Sendable {
    package var tasks: [TaskMatch]
    /// nil for the last page.
    package var end: OrderCursor?
    /// The lists that can't be read, so that their tasks are left out.
    package var unreadable: [String] = []
}

/// Pages of tasks that are ordered by their `data`.
///
/// The server keeps no index of `data`, so each page examines all tasks of its scope. Therefore their
/// number is limited. A page continues after a value, not after a number of tasks: if tasks are changed
/// between two pages, no other task is missed or repeated.
extension ListService {
    /// Whether a worker must call `tasks(of:_:_:by:after:limit:)` for this page.
    package func isLong(toOrder list: VersionedList, after cursor: OrderCursor?) -> Bool {
        isLong(toSearch: list) || !isCurrent(cursor?.ties?.cursor, in: list)
    }

    /// Returns tasks of a list. Parameters are as for the page in the order of the list. Blocks until the
    /// store responds, if the cursor has ties.
    ///
    /// - Returns: nil if the place of the cursor's ties is unknown.
    package func tasks(
        of list: VersionedList, _ scope: TaskScope, _ filter: TaskFilter, by order: DataOrder,
        after cursor: OrderCursor?, limit: Int
    ) throws(ServiceError) -> OrderedPage? {
        let scan = try scan(of: list, scope)
        var tasks = OrderedTasks(order, limits.pieces)
        guard cursor?.ties.map({ $0.list == list.id }) ?? true,
            try add(scan, of: list, filter, after: cursor, to: &tasks)
        else { return nil }
        return tasks.page(after: cursor, limit: limit)
    }

    /// Makes a page of a search without a start, in the order of a value. Tasks with the same value are in
    /// the order of `search`. Blocks until the store responds. The page must wait for `whenPublished`.
    package func search(
        _ search: TaskSearch, by order: DataOrder, after cursor: OrderCursor?
    ) throws(ServiceError) -> SearchStep<OrderedPage> {
        let pieces = limits.pieces
        let index = try index(of: search.runs, after: nil, limit: pieces.searchedLists)
        let count = index.lists.reduce(0) { $0 + $1.count }
        guard index.cursor == nil, count <= pieces.examinedTasks else { throw .tooManyToExamine }
        let cached = try cachedLists(index.lists.map(\.id))
        for summary in index.lists
        where summary.count > limits.tasksOnLoop && cached[summary.id] == nil
            && search.loaded[summary.id] == nil
        {
            return .needs(summary.id)
        }
        var tasks = OrderedTasks(order, pieces)
        var loadedBytes = 0
        var unreadable = search.unreadable
        for id in index.lists.map(\.id) {
            let list: VersionedList?
            if let known = cached[id] {
                list = known
            } else if let loaded = search.loaded[id] {
                list = loaded
            } else {
                list = try storedList(id, &loadedBytes, &unreadable)
            }
            guard loadedBytes <= Self.maximumLoadedBytes else { throw .tooManyToExamine }
            guard let list, let scan = TaskScan(list.list) else { continue }
            guard try add(scan, of: list, search.filter, after: cursor, to: &tasks) else {
                return .page(nil)
            }
        }
        var page = tasks.page(after: cursor, limit: search.limit)
        page.unreadable = unreadable
        return .page(page)
    }

    /// - Returns: false if the place of the cursor's ties in the list is unknown.
    private func add(
        _ scan: TaskScan, of list: VersionedList, _ filter: TaskFilter, after cursor: OrderCursor?,
        to tasks: inout OrderedTasks
    ) throws(ServiceError) -> Bool {
        var first: TaskID?
        if let ties = cursor?.ties, ties.list == list.id {
            var rest = scan
            guard let items = try resume(&rest, after: ties.cursor, in: list) else { return false }
            tasks.passedItems = items
            first = rest.advance() ? rest.id : nil
        } else if let ties = cursor?.ties, ties.list < list.id {
            tasks.passAll()
        }
        guard tasks.add(scan, of: list, filter, passingUntil: first) else {
            throw .tooManyToExamine
        }
        return true
    }
}

/// The tasks that match, of lists that are added one after another.
private struct OrderedTasks {
    /// The maximum size of the titles and of the `data` of all examined tasks.
    static let maximumExaminedBytes = 8 << 20

    private let order: DataOrder
    private let maximumExamined: Int
    private var found: [TaskMatch] = []
    private var keys: [JSONScalar?] = []
    private var versions: [String: Int] = [:]
    private var examined = 0
    private var byteCount = 0
    /// The number of found tasks before the place at which the ties of the earlier page end.
    private var passedCount: Int?
    /// The last tasks before that place.
    var passedItems: [String] = []

    init(_ order: DataOrder, _ pieces: PieceSizes) {
        self.order = order
        maximumExamined = pieces.examinedTasks
    }

    /// Sets the place to the end of the tasks that were added, if it is not known yet.
    mutating func passAll() { passedCount = passedCount ?? found.count }

    /// Adds the tasks of a list.
    ///
    /// - Parameter place: the task before which the ties of the earlier page end.
    /// - Returns: false if there are too many.
    mutating func add(
        _ scan: TaskScan, of list: VersionedList, _ filter: TaskFilter, passingUntil place: TaskID?
    ) -> Bool {
        var scan = scan
        versions[list.id] = list.version
        while scan.advance() {
            examined += 1
            byteCount += scan.withTitle(\.count) + scan.withData { $0?.count ?? 0 }
            guard examined <= maximumExamined, byteCount <= Self.maximumExaminedBytes else {
                return false
            }
            if let place, scan.id == place { passAll() }
            guard filter.matches(scan), let task = scan.task else { continue }
            keys.append(scan.withData { order.key(of: $0) })
            found.append(TaskMatch(list: list.id, task: task))
        }
        return true
    }

    func page(after cursor: OrderCursor?, limit: Int) -> OrderedPage {
        var indices = found.indices.filter { isAfter(cursor, $0) }
        indices.sort { first, second in
            if order.precedes(keys[first], keys[second]) { return true }
            return first < second && !order.precedes(keys[second], keys[first])
        }
        var page: [Int] = []
        var byteCount = 0
        for index in indices {
            guard page.count < limit, byteCount < TaskPage.maximumBytes else { break }
            page.append(index)
            byteCount += found[index].task.content.data?.utf8.count ?? 0
        }
        let tasks = page.map { found[$0] }
        guard page.count < indices.count, let last = page.last else {
            return OrderedPage(tasks: tasks, end: nil)
        }
        let isTied = keys[last] == keys[indices[page.count]]
        return OrderedPage(
            tasks: tasks,
            end: OrderCursor(key: keys[last], ties: isTied ? ties(of: page, after: cursor) : nil))
    }

    private func isAfter(_ cursor: OrderCursor?, _ index: Int) -> Bool {
        guard let cursor else { return true }
        if order.precedes(cursor.key, keys[index]) { return true }
        guard cursor.ties != nil, cursor.key == keys[index] else { return false }
        return passedCount.map { index >= $0 } ?? false
    }

    /// The last tasks of a page with the value of the last one, in its list.
    private func ties(of page: [Int], after cursor: OrderCursor?) -> SearchCursor? {
        guard let last = page.last else { return nil }
        let list = found[last].list
        var items = page.reversed().prefix { keys[$0] == keys[last] && found[$0].list == list }
            .map { found[$0].task.id }
        if let ties = cursor?.ties, ties.list == list, cursor?.key == keys[last] {
            items += passedItems
        }
        return SearchCursor(
            list: list,
            cursor: ItemCursor(
                version: versions[list] ?? 0, items: Array(items.prefix(ItemCursor.maximumCount))))
    }
}
