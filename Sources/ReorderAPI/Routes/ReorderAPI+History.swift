import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService

extension ReorderAPI {
    /// The number of changes in a page of the history if `limit` is omitted, and the maximum.
    static let defaultHistoryPage = 50
    static let maximumHistoryPage = 100

    /// Returns changes, newest first, in the form for people.
    func history(_ request: Request) throws -> Job {
        let list = request.parameter("id")
        let before = try request.version("before", tags)
        let limit = try request.number(
            "limit", in: 1...Self.maximumHistoryPage, default: Self.defaultHistoryPage)
        return .wait(
            for: { [service] in
                service.history(
                    of: list, before: before, after: request.historyAfter, limit: limit, $0)
            }
        ) { [self] page in
            try access?.recheck(request)
            let body = page.json(of: list, tags) { access?.mayRead($0, request) ?? true }
            // Without a tag: what a page has also depends on what is still stored.
            return .respond(.read(body))
        }
    }
}

extension Request {
    /// Whether the request asks for changes in descending order.
    func wantsHistory() throws(Problem) -> Bool {
        let order = query["order"]
        guard order == nil || order == "asc" || order == "desc" else {
            throw Problem(.invalidQuery, "The parameter order must be \"asc\" or \"desc\".")
        }
        let isDescending = order == "desc"
        let other = isDescending ? ["since", "wait"] : ["before"]
        if let name = other.first(where: { query[$0] != nil }) {
            throw Problem(
                .invalidQuery,
                "The parameter \(name) needs order=\(isDescending ? "asc" : "desc").")
        }
        return isDescending
    }
}

extension ListHistory {
    /// - Parameter mayRead: whether the client may know of a list.
    fileprivate func json(
        of list: String, _ tags: EntityTags, mayRead: (_ list: String) -> Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("list")
        writer.string(list)
        writer.name("version")
        writer.int(version)
        writer.name("epoch")
        writer.string(tags.epoch)
        writer.name("changes")
        writer.beginArray()
        for past in changes { writer.pastChange(past, mayRead: mayRead) }
        writer.endArray()
        writer.name("before")
        writer.stringOrNull(hasMore ? changes.last.map { tags.token($0.change.version) } : nil)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func pastChange(_ past: HistoryEntry, mayRead: (_ list: String) -> Bool) {
        let change = past.change
        beginObject()
        name("version")
        int(change.version)
        name("at")
        time(milliseconds: change.milliseconds)
        member("by", change.author)
        member("client", change.client)
        member("kind", change.kind?.rawValue)
        switch change.transfer {
        case .to(let list) where mayRead(list): member("toList", list)
        case .from(let list) where mayRead(list): member("fromList", list)
        default: break
        }
        name("stepCount")
        int(past.count)
        name("steps")
        beginArray()
        for step in past.steps { self.step(step) }
        endArray()
        name("mayUndo")
        bool(past.mayUndo)
        endObject()
    }

    private mutating func step(_ step: ChangeStep) {
        beginObject()
        name("op")
        string(step.operation.name)
        switch step.operation {
        case .move(let task, _, _, _), .delete(let task): member("task", task)
        case .insert(let task): member("task", task.id)
        case .update(let task, let set):
            member("task", task)
            member("done", set.done)
            member("locked", set.locked)
            if set.data != nil { member("data", true) }
        case .collapse(let task, let collapsed):
            member("task", task)
            member("collapsed", collapsed)
        case .sectionInsert(let section, _, _, _, _), .sectionMove(let section, _),
            .sectionDelete(let section):
            member("section", section)
        case .sectionUpdate(let section, _, let data, let maxTasks):
            member("section", section)
            if data != nil { member("data", true) }
            if maxTasks != nil { member("settings", true) }
        case .list(let set):
            var settings = set
            settings.title = nil
            settings.data = nil
            member("settings", settings != SettingsUpdate() ? true : nil)
            if set.data != nil { member("data", true) }
        case .replace: break
        }
        member("title", step.title)
        member("oldTitle", step.oldTitle)
        place("from", step.from)
        place("to", step.to)
        endObject()
    }

    private mutating func place(_ name: StaticString, _ place: ChangeStep.TitledPlace?) {
        guard let place else { return }
        self.name(name)
        beginObject()
        member("section", place.section)
        member("parent", place.parent)
        member("below", place.below)
        endObject()
    }
}
