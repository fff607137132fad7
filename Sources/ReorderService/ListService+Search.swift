import ReorderEngine
import ReorderStore

/// The end of a page of a search: in a list, or after a list.
package struct SearchCursor: Sendable, Equatable {
    package var list: String
    /// nil: the page ended after the last task of the list.
    package var cursor: ItemCursor?

    package init(list: String, cursor: ItemCursor?) {
        self.list = list
        self.cursor = cursor
    }
}

/// A page of tasks of many lists.
package struct SearchPage: Sendable {
    package var tasks: [TaskMatch]
    /// nil for the last page.
    package var end: SearchCursor?
    /// The lists of the page that can't be read, so that their tasks are left out.
    package var unreadable: [String]
}

/// A search for tasks of many lists: the lists in the order of their ids, and the tasks of each list in
/// its order.
package struct TaskSearch: Sendable {
    /// The lists to search, after the one of `start`; nil means all lists.
    var runs: [ListIDRange]?
    /// What the client may do; nil means everything.
    var rights: (any ListRights)?
    var filter: TaskFilter
    /// The end of the page before this one.
    var start: SearchCursor?
    /// The maximum number of tasks, at least 1.
    var limit: Int
    /// Lists that the search has asked for; nil for those that do not exist.
    private(set) var loaded: [String: VersionedList?] = [:]
    /// Lists that the search has asked for, and that can't be read.
    private(set) var unreadable: [String] = []

    package init(
        _ runs: [ListIDRange]?, with rights: (any ListRights)?, _ filter: TaskFilter,
        after start: SearchCursor?, limit: Int
    ) {
        (self.runs, self.rights, self.filter) = (runs, rights, filter)
        (self.start, self.limit) = (start, limit)
    }

    /// The search with a list that it needs.
    package func with(_ list: VersionedList?, as id: String) -> TaskSearch {
        var search = self
        search.loaded[id] = .some(list)
        return search
    }

    /// The search without a list that it needs, because it can't be read.
    package func without(_ id: String) -> TaskSearch {
        var search = with(nil, as: id)
        search.unreadable.append(id)
        return search
    }
}

/// How far a search has got.
package enum SearchStep<Page: Sendable>: Sendable {
    /// nil if the place of the start in its list is unknown.
    case page(Page?)
    /// The search needs this list in memory: see `TaskSearch.with`.
    case needs(String)
}

extension SearchStep<SearchPage> {
    fileprivate static func page(
        _ page: TaskPage, endsIn list: String?, at cursor: ItemCursor? = nil,
        without unreadable: [String]
    ) -> Self {
        .page(
            SearchPage(
                tasks: page.tasks, end: list.map { SearchCursor(list: $0, cursor: cursor) },
                unreadable: unreadable))
    }
}

/// A search runs on threads of its own, because it reads many lists from the store. Lists that are
/// not in memory are read without keeping them there, because a search would evict the lists that
/// clients use.
extension ListService {
    /// The maximum size of stored lists that a page reads, unless the last one exceeds it.
    static let maximumLoadedBytes = 8 << 20

    /// Makes a page of a search. Blocks until the store responds. The page must wait for
    /// `whenPublished`.
    package func search(_ search: TaskSearch) throws(ServiceError) -> SearchStep<SearchPage> {
        var page = TaskPage(limit: search.limit, limits.pieces)
        guard let start = search.start, let cursor = start.cursor,
            search.rights?.allowReading(start.list) ?? true
        else { return try self.search(search, page) }
        guard let first = search.loaded[start.list] else { return .needs(start.list) }
        if let list = first {
            guard var scan = TaskScan(list.list),
                let items = try resume(&scan, after: cursor, in: list)
            else { return .page(nil) }
            if let end = page.fill(from: &scan, of: list, search.filter, after: items) {
                return .page(page, endsIn: list.id, at: end, without: [])
            }
            if list.list.count > limits.tasksOnLoop {
                return .page(page, endsIn: list.id, without: [])
            }
        }
        return try self.search(search, page)
    }

    /// - Parameter page: has the tasks of the start's list.
    private func search(
        _ search: TaskSearch, _ page: TaskPage
    ) throws(ServiceError) -> SearchStep<SearchPage> {
        var page = page
        let start = search.start?.list
        let index = try index(of: search.runs, after: start, limit: limits.pieces.searchedLists)
        let cached = try cachedLists(index.lists.map(\.id))
        // The last list that this page has examined.
        var last = page.examined > 0 ? start : nil
        var loadedBytes = 0
        var unreadable = search.unreadable
        for summary in index.lists {
            if let last, page.isFull || loadedBytes >= Self.maximumLoadedBytes {
                return .page(page, endsIn: last, without: unreadable)
            }
            var list = cached[summary.id]
            if list == nil, summary.count > limits.tasksOnLoop {
                // To load a large list takes long, and its pages need it several times. So it is the
                // first list of a page, and is loaded like a list that a client reads.
                if let last { return .page(page, endsIn: last, without: unreadable) }
                guard let loaded = search.loaded[summary.id] else { return .needs(summary.id) }
                list = loaded
            } else if list == nil {
                list = try storedList(summary.id, &loadedBytes, &unreadable)
            }
            last = summary.id
            guard let list, var scan = TaskScan(list.list) else { continue }
            if let end = page.fill(from: &scan, of: list, search.filter, after: []) {
                return .page(page, endsIn: list.id, at: end, without: unreadable)
            }
        }
        return .page(page, endsIn: index.cursor, without: unreadable)
    }

    // MARK: Lists

    /// Those of the lists that are in memory, and equal to the stored lists.
    func cachedLists(_ ids: [String]) throws(ServiceError) -> [String: VersionedList] {
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
            throw durable.failure(error, list: "search")
        }
    }

    /// Reads a list from the store, without keeping it in memory; nil if it does not exist, or can't be
    /// read.
    ///
    /// - Parameter unreadable: gets the list if it can't be read.
    func storedList(
        _ id: String, _ loadedBytes: inout Int, _ unreadable: inout [String]
    ) throws(ServiceError) -> VersionedList? {
        let stored: LoadedList?
        do throws(StoreError) {
            stored = try store.load(id)
        } catch {
            let failure = durable.failure(error, list: id)
            guard case .unreadable = failure else { throw failure }
            unreadable.append(id)
            return nil
        }
        guard let stored, let content = stored.content else { return nil }
        loadedBytes += content.byteCount
        do {
            return VersionedList(id: id, version: stored.version, list: try content.replayed())
        } catch {
            logger.error("list \(id) can't be read", metadata: ["error": "\(error)"])
            unreadable.append(id)
            return nil
        }
    }
}
