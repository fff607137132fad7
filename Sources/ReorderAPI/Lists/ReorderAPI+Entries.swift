import MicroHTTP
import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore

/// A list as an index of lists: a task stands for the list that its `data` names in the member
/// `list`, and the other tasks are folders. So lists are ordered, nested and described like tasks.
extension ReorderAPI {
    /// The maximum number of entries in a page, because each list costs a query.
    static let maximumEntryPage = 100

    /// The tasks of an index, each with the list that it stands for.
    func getEntries(_ request: Request) throws -> Job {
        let start = try request.pageMark(tags)
        let limit = try request.number(
            "limit", in: 1...Self.maximumEntryPage, default: Self.maximumEntryPage)
        return .run { [self] call in
            let index = try service.list(request.parameter("id"), call.context)
            return try entries(of: index, after: start, limit: limit, call)
        }
    }

    private func entries(
        of index: VersionedList, after start: PageMark?, limit: Int, _ call: Call
    ) throws -> Response {
        let page = try service.tasks(
            of: index, TaskScope(), TaskFilter(), after: start, limit: limit, call.context)
        guard let page else { throw Problem(goneMarkIn: index) }
        let names = page.tasks.map { $0.task.content.reference("list") }
        let lists = try summaries(of: Set(names.compactMap(\.self)), call)
        try access?.recheck(call.request)
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
        return .read(writer.takeBytes())
    }

    /// Those of the lists that exist and that the client may read, by their ids.
    private func summaries(of ids: Set<String>, _ call: Call) throws -> [String: ListSummary] {
        guard let named = ListPatterns(Array(ids)) else { return [:] }
        let allowed = (call.request.grant?.lists ?? .all).intersection(named)
        let page = try service.index(
            of: allowed.ranges(after: nil), after: nil, limit: ids.count, call.context)
        return Dictionary(uniqueKeysWithValues: page.lists.map { ($0.id, $0) })
    }
}
