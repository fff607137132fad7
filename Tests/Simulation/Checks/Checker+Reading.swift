import MicroHTTP
import ReorderEngine
import ReorderJSON

// What reads return, compared with the journal.

extension Checker {
    /// Checks that everything that is read with the same entity tag is the same.
    func checkTag(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard response.status == 200, attempt.intention.method == .get,
            // What a client with a link sees depends on the link, too.
            attempt.intention.access == nil,
            // A permanent deletion removes changes while a request reads them.
            !attempt.intention.target.contains("/changes")
                || attempt.intention.list.map(journal.has) ?? true,
            let tag = response.headers["ETag"]
        else { return }
        let digest = Journal.digest(response.plainBody)
        let known = taggedContents.updateValue(digest, forKey: attempt.intention.target + tag)
        if known ?? digest != digest {
            fail("an entity tag identifies the content", "\(place): \(tag)")
        }
    }

    func checkDocument(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        let intention = attempt.intention
        guard [200, 304].contains(response.status), let list = intention.list,
            let version = facts.version
        else { return }
        let expected = journal.document(of: list, version, intention.window)
        if response.status == 200, expected != response.plainBody {
            fail("a document is the fold of the changes", "\(place): v\(version) \(facts.text)")
        }
        if response.status == 304, expected.map(Journal.digest) != intention.copy?.digest {
            fail("an entity tag identifies the content", "\(place): v\(version)")
        }
    }

    func checkTask(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard response.status == 200, let list = facts.list, let version = facts.version,
            let task = attempt.intention.target.split(separator: "/").last
        else { return }
        if journal.document(ofTask: String(task), in: list, version) != response.plainBody {
            fail("a task is that of the fold", "\(place): \(list) v\(version) \(facts.text)")
        }
    }

    func checkPage(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard let request = attempt.intention.page,
            let body = response.status == 304
                ? attempt.intention.pageCopy : response.status == 200 ? response.plainBody : nil
        else { return }
        guard let page = TaskPageFacts(body) else {
            return fail("a page has the tasks of the list", "\(place): it can't be read")
        }
        let checks = PageChecks(
            journal: journal, floor: floor(of: attempt), examined: pieces.examinedTasks)
        if let difference = checks.difference(page, of: request) {
            fail("a page has the tasks of the list", "\(place): \(difference)")
        }
    }

    /// Checks tasks that were read by their ids. Each is that of a version that the response can
    /// show, and a task that was in the same list all the time is there.
    func checkTasks(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard response.status == 200, let page = TaskPageFacts(response.plainBody) else { return }
        let checks = PageChecks(
            journal: journal, floor: floor(of: attempt), examined: pieces.examinedTasks)
        let rule = "tasks by ids are those of the lists"
        let ids = attempt.intention.tasks
        let found = page.tasks.map(\.id)
        guard found == ids.filter(found.contains) else {
            return fail(rule, "\(place): \(found)")
        }
        var texts = [""]
        for (list, id) in page.tasks {
            guard let list else { return fail(rule, "\(place): \(id) has no list") }
            let own = Set(
                checks.states(of: list).compactMap { $0.task(id) }.map { task in
                    var writer = JSONWriter()
                    writer.task(task, in: list)
                    return String(decoding: writer.takeBytes(), as: UTF8.self)
                })
            texts = texts.flatMap { text in
                own.map { text + (text.isEmpty ? "" : ",") + $0 }
            }.filter { page.text.hasPrefix($0) }
        }
        if !texts.contains(page.text) { fail(rule, "\(place): \(page.text)") }
        for id in ids where !found.contains(id) {
            guard let list = journal.holders[id] else { continue }
            let floor = floor(of: attempt)[list] ?? 0
            let states = journal.lists[list].map { history in
                (min(floor, history.version)...history.version).map { history.states[$0] }
            }
            if states?.allSatisfy({ $0?.task(id) != nil }) ?? false {
                fail(rule, "\(place): \(id) is missing")
            }
        }
    }

    /// Checks that each list of a page of the index is that of a version that it can show.
    func checkIndex(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard response.status == 200 else { return }
        let rule = "the index has the lists"
        guard let page = ParsedJSON.object(response.plainBody),
            let lists = page["lists"] as? [[String: Any]]
        else { return fail(rule, "\(place): it can't be read") }
        let floor = floor(of: attempt)
        var ids: [String] = []
        for list in lists {
            guard let id = list["id"] as? String, let version = list["version"] as? Int,
                let state = journal.lists[id]?.states[version]
            else { return fail(rule, "\(place): \(list)") }
            let open = state.tasks.count { $0.depth == 0 && !$0.content.done }
            guard version >= floor[id] ?? 0, list["count"] as? Int == state.count,
                list["title"] as? String == state.settings.title, list["open"] as? Int == open
            else { return fail(rule, "\(place): \(list), expected \(state.count), open \(open)") }
            ids.append(id)
        }
        guard ids == ids.sorted() else { return fail(rule, "\(place): \(ids) have no order") }
        // Lists that exist at all versions that the page can show, up to its end.
        let end = page["cursor"] as? String
        for (id, history) in journal.lists where !ids.contains(id) && id <= end ?? id {
            let versions = min(floor[id] ?? 0, history.version)...history.version
            if versions.allSatisfy(history.existing.contains) {
                fail(rule, "\(place): \(id) is missing")
            }
        }
    }

    /// Checks the tasks in the response to a write: they are those of its version.
    func checkShownTasks(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard !facts.isReplay, !facts.isDryRun, facts.isChanged == true,
            let list = facts.list ?? attempt.intention.list, let version = facts.version,
            case .one(let request) = attempt.intention.decision
        else { return }
        let named: [TaskID]
        switch request {
        case .move(let move):
            switch move.subject {
            case .task(let task): named = [task]
            case .tasks(let tasks): named = tasks
            default: named = []
            }
        case .create(let task, _): named = [task.id]
        case .update(let task, _), .collapse(let task, _): named = [task]
        default: named = []
        }
        let body = String(decoding: response.plainBody, as: UTF8.self)
        for task in named {
            let text = journal.document(ofTask: task, in: list, version)
            if let text, !body.contains(String(decoding: text, as: UTF8.self)) {
                fail("a response shows the task as it is stored", "\(place): \(task) in \(body)")
            }
        }
    }
}
