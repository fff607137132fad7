import MicroHTTP
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import ReorderWebhooks

/// A list as an index of lists: a task stands for the list that its `data` names in the member
/// `list`, and the other tasks are folders. So lists are ordered, nested and described like tasks.
extension ReorderAPI {
    /// The maximum number of entries in a page, because each list costs a query.
    static let maximumEntryPage = 100

    /// The tasks of an index, each with the list that it stands for.
    func getEntries(_ request: Request) throws -> Job {
        let start = try request.itemCursor(tags)
        let limit = try request.number(
            "limit", in: 1...Self.maximumEntryPage, default: Self.maximumEntryPage)
        let list = request.parameter("id")
        return .wait(for: { [service] in service.versionedList(of: list, $0) }) { [self] index in
            let isLong = service.isLong(TaskFilter(), of: index, after: start, limit: limit)
            return try .onWorker(if: isLong) { [self] in
                try entries(of: index, after: start, limit: limit, request)
            }
        }
    }

    private func entries(
        of index: VersionedList, after start: ItemCursor?, limit: Int, _ request: Request
    ) throws -> Job {
        let page = try service.tasks(
            of: index, TaskScope(), TaskFilter(), after: start, limit: limit)
        guard let page else { throw Problem(goneMarkIn: index) }
        let names = page.tasks.map { $0.task.content.reference("list") }
        return try summaries(of: Set(names.compactMap(\.self)), request) { [self] lists in
            try access?.recheck(request)
            return .respond(.read(body(of: index, page, names, lists)))
        }
    }

    private func body(
        of index: VersionedList, _ page: ListService.TasksOfList, _ names: [String?],
        _ lists: [String: IndexedList]
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginPage(of: index, epoch: service.epoch)
        writer.name("entries")
        writer.beginArray()
        for (found, name) in zip(page.tasks, names) {
            writer.beginObject()
            writer.name("task")
            writer.task(found.task)
            writer.name("list")
            if let name, let list = lists[name] { writer.summary(list) } else { writer.null() }
            writer.endObject()
        }
        writer.endArray()
        writer.endPage(cursor: page.end?.text(tags))
        return writer.takeBytes()
    }

    /// Finds those of the lists that exist and that the client may read, by their ids.
    private func summaries(
        of ids: Set<String>, _ request: Request,
        _ next: @escaping @Sendable ([String: IndexedList]) throws -> Job
    ) throws -> Job {
        guard let named = ListPatterns(Array(ids)) else { return try next([:]) }
        let runs = request.readableLists.intersection(named).ranges(after: nil)
        return .wait(
            for: { [service] in service.index(of: runs, after: nil, limit: ids.count, $0) }
        ) { page in
            try next(Dictionary(uniqueKeysWithValues: page.lists.map { ($0.id, $0) }))
        }
    }
}
