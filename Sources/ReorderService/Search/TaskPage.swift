import ReorderEngine
import ReorderJSON

/// The tasks that a reader wants.
package struct TaskFilter: Sendable {
    /// nil: open and done tasks.
    package var isDone: Bool?
    package var title: TitleQuery?
    /// Only tasks that were last changed at this time or later, in milliseconds since 1970.
    package var updatedSince: Int64?
    /// Conditions for the tasks' data, which all must be true.
    package var data: [DataFilter]

    package init(
        isDone: Bool? = nil, title: TitleQuery? = nil, updatedSince: Int64? = nil,
        data: [DataFilter] = []
    ) {
        self.isDone = isDone
        self.title = title
        self.updatedSince = updatedSince
        self.data = data
    }

    /// Whether a page may examine more tasks than it returns.
    var isSelective: Bool { isDone != nil || updatedSince != nil || readsTexts }
    /// Whether the texts of a task decide.
    var readsTexts: Bool { title != nil || !data.isEmpty }

    func matches(_ scan: TaskScan) -> Bool {
        if let isDone, scan.isDone != isDone { return false }
        guard isRecent(scan.updatedAt) else { return false }
        guard data.isEmpty || scan.withData(dataMatches) else { return false }
        return title.map { title in scan.withTitle { title.matches($0) } } ?? true
    }

    package func matches(_ task: ListTask) -> Bool {
        if let isDone, task.content.done != isDone { return false }
        guard isRecent(task.content.stamps.updatedAt) else { return false }
        guard data.isEmpty || task.content.withData(dataMatches) else { return false }
        var text = task.content.title
        return title.map { title in text.withUTF8 { title.matches($0) } } ?? true
    }

    private func dataMatches(_ bytes: UnsafeBufferPointer<UInt8>?) -> Bool {
        data.allSatisfy { $0.matches(bytes) }
    }

    private func isRecent(_ updatedAt: Int64?) -> Bool {
        guard let updatedSince else { return true }
        return updatedAt.map { $0 >= updatedSince } ?? false
    }
}

extension TaskContent {
    /// Passes the UTF-8 bytes of the data, which are valid only in `body`; nil if the task has none.
    func withData<Result>(_ body: (UnsafeBufferPointer<UInt8>?) -> Result) -> Result {
        guard var data else { return body(nil) }
        return data.withUTF8(body)
    }
}

/// A task and its list.
package struct TaskMatch: Sendable {
    package var list: String
    package var task: ListTask
}

/// A page of tasks while it is filled. It ends when one of its limits is reached.
struct TaskPage {
    /// The maximum size of the titles that a page examines, and of the `data` that it examines or
    /// returns, unless the last task exceeds it.
    static let maximumBytes = 1 << 20

    let limit: Int
    /// The maximum number of tasks that the page examines.
    private let maximumExamined: Int
    private(set) var tasks: [TaskMatch] = []
    private(set) var examined = 0
    private var byteCount = 0

    init(limit: Int, _ pieces: PieceSizes) {
        self.limit = limit
        maximumExamined = pieces.examinedTasks
    }

    var isFull: Bool {
        tasks.count >= limit || examined >= maximumExamined
            || byteCount >= Self.maximumBytes
    }

    /// Adds the tasks of a list, from the current place of the scan on.
    ///
    /// - Parameter items: the last items before the place, the last one first.
    /// - Returns: nil at the end of the list; otherwise the cursor at which the page ended.
    mutating func fill(
        from scan: inout TaskScan, of list: VersionedList, _ filter: TaskFilter,
        after items: [String]
    ) -> ItemCursor? {
        var last = items
        while scan.advance() {
            if isFull {
                return ItemCursor(version: list.version, items: last)
            }
            examined += 1
            byteCount += scan.withTitle(\.count)
            if !filter.data.isEmpty { byteCount += scan.withData { $0?.count ?? 0 } }
            last.insert(scan.id, at: 0)
            if last.count > ItemCursor.maximumCount { last.removeLast() }
            guard filter.matches(scan), let task = scan.task else { continue }
            if filter.data.isEmpty { byteCount += task.content.data?.utf8.count ?? 0 }
            tasks.append(TaskMatch(list: list.id, task: task))
        }
        return nil
    }
}
