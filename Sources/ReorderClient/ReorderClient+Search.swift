import ReorderEngine
import ReorderJSON

/// A task that a search has found.
public struct FoundTask: Sendable, Equatable {
    /// The id of the list that contains the task.
    public var list: String
    /// The task's id.
    public var id: TaskID
    /// The displayed title.
    public var title: String
    /// Whether the task is done.
    public var done: Bool
}

extension ReorderClient {
    /// Finds tasks by their titles and their `data`, in all lists that the client may read: the lists in
    /// the order of their ids, and the tasks of each list in its order.
    ///
    /// Upper and lower case are equal. The search needs the network: it does not find operations that
    /// are waiting to be sent.
    ///
    /// - Parameters:
    ///   - text: a part of the titles, 1 to 256 bytes of UTF-8; nil: any title.
    ///   - isDone: finds only tasks that are done, or only tasks that are not; nil: both.
    ///   - filters: conditions for the `data` of the tasks, which all must be true, such as
    ///     `data.due<2026-12-01` or `data.label=red`. The API's documentation has their syntax.
    ///   - order: returns the tasks in the order of a value of their `data`, such as `data.due`, or
    ///     `-data.due` for descending values.
    ///   - limit: the maximum number of tasks, at least 1.
    /// - Throws: `invalid` if the server rejects the text, a filter or the order, or if there are too many
    ///   tasks to order; `unauthorized`; `unreachable`, also if the
    ///   server asks to try again later.
    public func search(
        _ text: String? = nil, isDone: Bool? = nil, filters: [String] = [], order: String? = nil,
        limit: Int = 50
    ) async throws(ClientError) -> [FoundTask] {
        var query = ["fields=list,id,title,done"] + filters.map { "filter=\($0.inQuery)" }
        if let text { query.append("q=\(text.inQuery)") }
        if let order { query.append("order=\(order.inQuery)") }
        if let isDone { query.append("done=\(isDone)") }
        return try await items(
            of: ["tasks"], "tasks", query: query, limit: max(1, limit), FoundTask.read)
    }
}

extension FoundTask {
    fileprivate static func read(from reader: inout JSONReader) throws(JSONTypeError) -> FoundTask {
        var task = FoundTask(list: "", id: "", title: "", done: false)
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "list": task.list = try reader.readString()
            case "id": task.id = try reader.readString()
            case "title": task.title = try reader.readString()
            case "done": task.done = try reader.readBool()
            default: reader.skip()
            }
        }
        return task
    }
}
