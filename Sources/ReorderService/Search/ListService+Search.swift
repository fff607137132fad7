import ReorderEngine
import ReorderStore

/// The end of a page of a search: in a list, or after a list.
package struct SearchMark: Sendable, Equatable {
    package var list: String
    /// nil: the page ended after the last task of the list.
    package var mark: PageMark?

    package init(list: String, mark: PageMark?) {
        self.list = list
        self.mark = mark
    }
}

/// A page of tasks of many lists.
package struct SearchPage: Sendable {
    package var tasks: [FoundTask]
    /// nil for the last page.
    package var end: SearchMark?
}

/// A search runs on threads of its own, because it reads many lists from the store. Lists that are
/// not in memory are read without keeping them there, because a search would evict the lists that
/// clients use.
extension ListService {
    /// The maximum size of stored lists that a page reads, unless the last one exceeds it.
    private static let maximumLoadedBytes = 8 << 20

    /// Returns tasks of many lists: the lists in the order of their ids, and the tasks of each list
    /// in its order.
    ///
    /// - Parameters:
    ///   - runs: the lists to search, after the one of `start`; nil means all lists.
    ///   - scope: the lists that the client may read; nil means all lists.
    ///   - start: the end of the page before this one.
    ///   - limit: the maximum number of tasks, at least 1.
    /// - Returns: nil if the place of `start` in its list is unknown.
    package func search(
        _ runs: [ListIDRange]?, in scope: (any ListScope)?, _ filter: TaskFilter,
        after start: SearchMark?, limit: Int, _ context: RequestContext
    ) throws(ServiceError) -> SearchPage? {
        if let found = context.existingProgress?.searchPage {
            return try context.result(of: found).get()
        }
        guard context.isOnWorker else { throw context.wait(forWorker: .search) }
        let page = try page(runs, in: scope, filter, after: start, limit: limit, context)
        return try context.wait(for: \.searchPage) { $0.fill(.success(page), through: publication) }
    }

    private func page(
        _ runs: [ListIDRange]?, in scope: (any ListScope)?, _ filter: TaskFilter,
        after start: SearchMark?, limit: Int, _ context: RequestContext
    ) throws(ServiceError) -> SearchPage? {
        var page = TaskPage(limit: limit, limits.pieces)
        if let start, let mark = start.mark, scope?.allow(start.list) ?? true,
            let list = try existingList(start.list, context)
        {
            guard var scan = TaskScan(list.list),
                let items = try resume(&scan, after: mark, in: list)
            else { return nil }
            if let end = page.fill(from: &scan, of: list, filter, after: items) {
                return SearchPage(
                    tasks: page.tasks, end: SearchMark(list: list.id, mark: end))
            }
            if list.list.count > limits.tasksOnLoop {
                return SearchPage(tasks: page.tasks, end: SearchMark(list: list.id, mark: nil))
            }
        }
        return try search(runs, filter, after: start?.list, page, context)
    }

    private func search(
        _ runs: [ListIDRange]?, _ filter: TaskFilter, after start: String?, _ page: TaskPage,
        _ context: RequestContext
    ) throws(ServiceError) -> SearchPage {
        var page = page
        let index = try index(of: runs, after: start, limit: limits.pieces.searchedLists)
        let cached = try cachedLists(index.lists.map(\.id))
        // The last list that this page has examined.
        var last = page.examined > 0 ? start : nil
        var loadedBytes = 0
        for summary in index.lists {
            if let last, page.isFull || loadedBytes >= Self.maximumLoadedBytes {
                return SearchPage(tasks: page.tasks, end: SearchMark(list: last, mark: nil))
            }
            var list = cached[summary.id]
            if list == nil, summary.count > limits.tasksOnLoop {
                // To load a large list takes long, and its pages need it several times. So it is the
                // first list of a page, and is loaded like a list that a client reads.
                if let last {
                    return SearchPage(tasks: page.tasks, end: SearchMark(list: last, mark: nil))
                }
                list = try existingList(summary.id, context)
            } else if list == nil {
                list = try storedList(summary.id, &loadedBytes)
            }
            last = summary.id
            guard let list, var scan = TaskScan(list.list) else { continue }
            if let end = page.fill(from: &scan, of: list, filter, after: []) {
                return SearchPage(tasks: page.tasks, end: SearchMark(list: list.id, mark: end))
            }
        }
        return SearchPage(
            tasks: page.tasks, end: index.cursor.map { SearchMark(list: $0, mark: nil) })
    }

    /// Returns tasks by their ids, in the order of the ids. Tasks that do not exist, or that are in
    /// lists outside of `scope`, are left out.
    package func tasks(
        _ ids: [TaskID], in scope: (any ListScope)?, _ context: RequestContext
    ) throws(ServiceError) -> [FoundTask] {
        guard context.isOnWorker else { throw context.wait(forWorker: .search) }
        let progress = context.progress
        while true {
            let missing = ids.filter { progress.foundTasks[$0] == nil }
            let holders = try holders(of: missing, context)
            let places = holders.filter { task, list in
                progress.foundTasks[task] == nil && scope?.allow(list) ?? true
            }
            guard !places.isEmpty else { break }
            var isMoved = false
            for (id, tasks) in Dictionary(grouping: places.keys, by: { places[$0] ?? "" }) {
                let list = try existingList(id, context)
                for task in tasks {
                    progress.foundTasks[task] = list?.list.task(task).map {
                        FoundTask(list: id, task: $0)
                    }
                    isMoved = isMoved || progress.foundTasks[task] == nil
                }
            }
            guard isMoved else { break }
            // A task has moved to another list meanwhile, or was deleted.
            (progress.list, progress.holders) = (nil, nil)
            progress.searchAttempts += 1
            guard progress.searchAttempts < Self.maximumSearchAttempts else { throw .unavailable }
        }
        return ids.compactMap { progress.foundTasks[$0] }
    }

    private static let maximumSearchAttempts = 10

    // MARK: Lists

    /// Returns a list as a read does: it is loaded into memory. nil if it does not exist.
    private func existingList(
        _ id: String, _ context: RequestContext
    ) throws(ServiceError) -> VersionedList? {
        do throws(ServiceError) {
            return try list(id, context)
        } catch {
            guard case .listNotFound = error else { throw error }
            return nil
        }
    }

    /// Those of the lists that are in memory, and equal to the stored lists.
    private func cachedLists(_ ids: [String]) throws(ServiceError) -> [String: VersionedList] {
        var lists: [String: VersionedList] = [:]
        for case let snapshot? in durable.published.find(ids) where snapshot.exists {
            lists[snapshot.id] = snapshot.versioned
        }
        guard let shared = durable.shared, !lists.isEmpty else { return lists }
        do throws(StoreError) {
            let states = try shared.listStates(
                of: lists.keys.map { ListStateQuery(list: $0, known: nil) })
            return lists.filter { id, list in
                states[id].map { $0.exists && $0.version == list.version } ?? false
            }
        } catch {
            throw failure(error, list: "search")
        }
    }

    /// Reads a list from the store, without keeping it in memory; nil if it does not exist.
    private func storedList(
        _ id: String, _ loadedBytes: inout Int
    ) throws(ServiceError) -> VersionedList? {
        let stored: StoredList?
        do throws(StoreError) {
            stored = try store.load(id)
        } catch {
            throw failure(error, list: id)
        }
        guard let stored, let content = stored.content else { return nil }
        loadedBytes += content.byteCount
        do {
            return VersionedList(id: id, version: stored.version, list: try content.replayed())
        } catch {
            logger.error("list \(id) can't be read", metadata: ["error": "\(error)"])
            throw .unreadable
        }
    }
}
