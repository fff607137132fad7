import MicroHTTP
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService

/// Reading less than whole lists: pages of tasks and sections, searches, and several tasks by id.
extension ReorderAPI {
    func getTasksOfList(_ request: Request) throws -> Job {
        let (filter, scope) = (try request.taskFilter(), try request.taskScope())
        let fields = try request.taskFields(ofManyLists: false)
        let (start, limit) = (try request.pageMark(tags), try request.pageLimit())
        let listOfFolds = try request.listOfFolds()
        return .run { [self] call in
            var list = try service.list(request.parameter("id"), call.context)
            let folds = try listOfFolds.map { try self.folds($0, call.context) }
            if let folds { list = try service.list(list, seenWith: folds, call.context) }
            if folds == nil, let response = unchanged(list, request) { return response }
            let page = try service.tasks(
                of: list, scope, filter, after: start, limit: limit, call.context)
            guard let page else { throw Problem(goneMarkIn: list) }
            try access?.recheck(request)
            var writer = JSONWriter()
            writer.beginPage(of: list, epoch: service.epoch)
            writer.name("tasks")
            writer.beginArray()
            for found in page.tasks { writer.task(found.task, fields) }
            writer.endArray()
            writer.endPage(cursor: page.end?.text(tags, folds: folds?.list))
            let tag =
                folds.map { tags.list(list.version, foldsVersion: $0.version, of: $0.list) }
                ?? tags.list(list.version)
            return .read(tag: tag, writer.takeBytes())
        }
    }

    func getSections(_ request: Request) throws -> Job {
        let (start, limit) = (try request.pageMark(tags), try request.pageLimit())
        return .run { [self] call in
            let list = try service.list(request.parameter("id"), call.context)
            if let response = unchanged(list, request) { return response }
            let page = try service.sections(of: list, after: start, limit: limit, call.context)
            guard let page else { throw Problem(goneMarkIn: list) }
            try access?.recheck(request)
            var writer = JSONWriter()
            writer.beginPage(of: list, epoch: service.epoch)
            writer.name("sections")
            writer.beginArray()
            for section in page.sections { writer.section(section) }
            writer.endArray()
            writer.endPage(cursor: page.end?.text(tags))
            return .read(tag: tags.list(list.version), writer.takeBytes())
        }
    }

    /// Returns tasks of all lists that the client may read.
    func getTasks(_ request: Request) throws -> Job {
        let filter = try request.taskFilter()
        let fields = try request.taskFields(ofManyLists: true)
        if let ids = try request.ids() {
            guard request.query["limit"] == nil, request.query["cursor"] == nil else {
                throw Problem(
                    .invalidQuery, "Tasks with given ids are one page: omit limit and cursor.")
            }
            return .run { [self] call in
                let tasks = try service.tasks(ids, in: request.scope, call.context)
                    .filter { filter.matches($0.task) }
                return try page(of: tasks, fields, end: nil, request)
            }
        }
        let (start, limit) = (try request.searchMark(tags), try request.pageLimit())
        return .run { [self] call in
            let found = try service.search(
                request.grant?.lists.ranges(after: start?.list), in: request.scope, filter,
                after: start, limit: limit, call.context)
            guard let found else { throw Problem(.historyGone, Problem.goneMark) }
            return try page(of: found.tasks, fields, end: found.end, request)
        }
    }

    private func page(
        of tasks: [FoundTask], _ fields: TaskFields, end: SearchMark?, _ request: Request
    ) throws -> Response {
        try access?.recheck(request)
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("tasks")
        writer.beginArray()
        for found in tasks { writer.task(found.task, in: found.list, fields) }
        writer.endArray()
        writer.endPage(cursor: end?.text(tags))
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
