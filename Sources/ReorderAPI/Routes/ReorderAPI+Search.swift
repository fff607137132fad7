import MicroHTTP
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderWebhooks

/// Reading less than whole lists: pages of tasks and sections, searches, and several tasks by id.
extension ReorderAPI {
    func getTasksOfList(_ request: Request) throws -> Job {
        let query = TasksQuery(
            request: request, filter: try request.taskFilter(), scope: try request.taskScope(),
            fields: try request.taskFields(ofManyLists: false), start: try pageStart(request),
            limit: try request.pageLimit())
        let listOfFolds = try request.listOfFolds()
        let id = request.parameter("id")
        return .wait(for: { [service] in service.versionedList(of: id, $0) }) { [self] list in
            if let listOfFolds {
                return folds(listOfFolds) { [self] folds in try tasks(of: list, query, folds) }
            }
            if let response = unchanged(list, request) { return .respond(response) }
            return try tasks(of: list, query, nil)
        }
    }

    private struct TasksQuery {
        let request: Request
        let filter: TaskFilter
        let scope: TaskScope
        let fields: TaskFields
        let start: PageStart
        let limit: Int
    }

    /// The end of the page before this one.
    private enum PageStart {
        case inList(ItemCursor?)
        case ordered(DataOrder, OrderCursor?)
    }

    private func pageStart(_ request: Request) throws -> PageStart {
        guard let order = try request.dataOrder() else {
            return .inList(try request.itemCursor(tags))
        }
        return .ordered(order, try request.orderCursor(of: order, tags))
    }

    private func isLong(_ query: TasksQuery, of list: VersionedList) -> Bool {
        switch query.start {
        case .inList(let cursor):
            service.isLong(query.filter, of: list, after: cursor, limit: query.limit)
        case .ordered(_, let cursor): service.isLong(toOrder: list, after: cursor)
        }
    }

    /// - Throws: `historyGone` if the place of the start is unknown.
    private func page(
        of list: VersionedList, _ query: TasksQuery, folds: String?
    ) throws -> (tasks: [TaskMatch], cursor: String?) {
        switch query.start {
        case .inList(let cursor):
            let page = try service.tasks(
                of: list, query.scope, query.filter, after: cursor, limit: query.limit)
            guard let page else { throw Problem(goneMarkIn: list) }
            return (page.tasks, page.end?.text(tags, folds: folds))
        case .ordered(let order, let cursor):
            let page = try service.tasks(
                of: list, query.scope, query.filter, by: order, after: cursor, limit: query.limit)
            guard let page else { throw Problem(goneMarkIn: list) }
            return (page.tasks, page.end?.text(tags, of: order, folds: folds))
        }
    }

    private func tasks(
        of list: VersionedList, _ query: TasksQuery, _ folds: Folds?
    ) throws -> Job {
        let isLong =
            self.isLong(query, of: list)
            || folds.map { service.isLong(toSee: list, with: $0) } ?? false
        return try .onWorker(if: isLong) { [self] in
            let list = folds.map { list.seen(with: $0) } ?? list
            let page = try page(of: list, query, folds: folds?.list)
            try access?.recheck(query.request)
            var writer = JSONWriter()
            writer.beginPage(of: list, epoch: service.epoch)
            writer.name("tasks")
            writer.beginArray()
            for found in page.tasks { writer.task(found.task, query.fields) }
            writer.endArray()
            writer.endPage(cursor: page.cursor)
            let tag =
                folds.map { tags.list(list.version, foldsVersion: $0.version, of: $0.list) }
                ?? tags.list(list.version)
            return .respond(.read(tag: tag, writer.takeBytes()))
        }
    }

    func getSections(_ request: Request) throws -> Job {
        let (start, limit) = (try request.itemCursor(tags), try request.pageLimit())
        let id = request.parameter("id")
        return .wait(for: { [service] in service.versionedList(of: id, $0) }) { [self] list in
            if let response = unchanged(list, request) { return .respond(response) }
            let isLong = service.isLong(toReadSectionsOf: list, after: start)
            return try .onWorker(if: isLong) { [self] in
                let page = try service.sections(of: list, after: start, limit: limit)
                guard let page else { throw Problem(goneMarkIn: list) }
                try access?.recheck(request)
                var writer = JSONWriter()
                writer.beginPage(of: list, epoch: service.epoch)
                writer.name("sections")
                writer.beginArray()
                for section in page.sections { writer.section(section) }
                writer.endArray()
                writer.endPage(cursor: page.end?.text(tags))
                return .respond(.read(tag: tags.list(list.version), writer.takeBytes()))
            }
        }
    }

    /// Returns tasks of all lists that the client may read.
    func getTasks(_ request: Request) throws -> Job {
        let filter = try request.taskFilter()
        let fields = try request.taskFields(ofManyLists: true)
        if let ids = try request.ids() {
            guard ["limit", "cursor", "order"].allSatisfy({ request.query[$0] == nil }) else {
                throw Problem(
                    .invalidQuery,
                    "Tasks with given ids are one page: omit limit, cursor and order.")
            }
            return .wait(
                for: { [service] in service.lists(containing: ids, with: request.rights, $0) }
            ) { [self] found in
                let tasks = ids.compactMap { id in found.lists[id]?.found(id) }
                return try .onWorker(if: service.isLong(filter, of: tasks)) { [self] in
                    try access?.recheck(request)
                    return .respond(
                        page(
                            of: tasks.filter { filter.matches($0.task) }, fields, cursor: nil,
                            without: found.unreadable))
                }
            }
        }
        let limit = try request.pageLimit()
        if let order = try request.dataOrder() {
            let search = TaskSearch(
                request.readableLists.ranges(after: nil), with: request.rights, filter,
                after: nil, limit: limit)
            let cursor = try request.orderCursor(of: order, tags)
            return self.search(search, request) { [service] search in
                try service.search(search, by: order, after: cursor)
            } response: { [self] page in
                self.page(
                    of: page.tasks, fields, cursor: page.end?.text(tags, of: order),
                    without: page.unreadable)
            }
        }
        let start = try request.searchCursor(tags)
        let search = TaskSearch(
            request.readableLists.ranges(after: start?.list), with: request.rights, filter,
            after: start, limit: limit)
        return self.search(search, request) { [service] search in
            try service.search(search)
        } response: { [self] page in
            self.page(
                of: page.tasks, fields, cursor: page.end?.text(tags), without: page.unreadable)
        }
    }

    /// Repeats a step of a search, with the lists that it needs in memory, until it has a page.
    private func search<Page>(
        _ search: TaskSearch, _ request: Request,
        step: @escaping @Sendable (TaskSearch) throws -> SearchStep<Page>,
        response: @escaping @Sendable (Page) -> Response
    ) -> Job {
        .work(.search) { [self] in
            switch try step(search) {
            case .needs(let id):
                return .wait(for: { [service] done in
                    service.versionedListIfAny(of: id) { list in
                        if case .failure(.unreadable) = list {
                            return done(.success(search.without(id)))
                        }
                        done(list.map { search.with($0, as: id) })
                    }
                }) { [self] search in
                    self.search(search, request, step: step, response: response)
                }
            case .page(let page):
                let found = page.map(response)
                // What the search has found may not be published yet.
                return .wait(for: service.whenPublished) { [self] in
                    guard let found else { throw Problem(.historyGone, Problem.goneMark) }
                    try access?.recheck(request)
                    return .respond(found)
                }
            }
        }
    }

    private func page(
        of tasks: [TaskMatch], _ fields: TaskFields, cursor: String?, without unreadable: [String]
    ) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("tasks")
        writer.beginArray()
        for found in tasks { writer.task(found.task, in: found.list, fields) }
        writer.endArray()
        if !unreadable.isEmpty {
            writer.name("unreadable")
            writer.beginArray()
            for list in unreadable { writer.string(list) }
            writer.endArray()
        }
        writer.endPage(cursor: cursor)
        return .read(writer.takeBytes())
    }

    /// The 304 response if the client has a page of this version. A page depends only on the version
    /// and the query, so nothing has to be examined.
    private func unchanged(_ list: VersionedList, _ request: Request) -> Response? {
        let seen = request.seenVersions(tags)
        guard let form = seen.coding(of: list.version, accepting: request.coding) else {
            return nil
        }
        return Response(
            notModified: tags.list(list.version), request.coding == nil ? nil : form)
    }
}

extension Problem {
    fileprivate static let goneMark =
        "The list has changed too much since the page with this cursor. Begin again without cursor."

    init(goneMarkIn list: VersionedList) {
        self.init(.historyGone, Self.goneMark, version: list.version)
    }
}

extension JSONWriter {
    mutating func beginPage(of list: VersionedList, epoch: String) {
        beginObject()
        name("list")
        string(list.id)
        name("version")
        int(list.version)
        name("epoch")
        string(epoch)
    }

    mutating func endPage(cursor: String?) {
        name("cursor")
        stringOrNull(cursor)
        endObject()
    }
}
