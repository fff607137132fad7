import ListModel
import ReorderEngine
import ReorderJSON

/// Compares pages of tasks with the journal.
struct PageChecks {
    let journal: Journal
    /// The versions that responses had shown before the request.
    let floor: [String: Int]
    /// The maximum number of tasks that a page examines.
    let examined: Int

    /// - Returns: what is wrong with a page; nil if nothing is.
    func difference(_ page: TaskPageFacts, of request: PageRequest) -> String? {
        if let previous = request.previous, request.list != nil, previous.epoch != journal.epoch {
            return "a cursor from before a restore is refused"
        }
        guard page.tasks.count <= request.limit else { return "too many tasks" }
        guard let list = request.list else { return difference(search: page, of: request) }
        guard let version = page.version, page.list == list,
            let state = journal.lists[list]?.states[version]
        else { return "the list does not exist" }
        let states = request.folds.map { folded(state, by: $0) } ?? [Array(state.tasks)]
        var result: String?
        for state in states {
            result = difference(page, of: request, version, state)
            if result == nil { return nil }
        }
        return result ?? "the list of folds does not exist"
    }

    private func difference(
        _ page: TaskPageFacts, of request: PageRequest, _ version: Int, _ tasks: [ListTask]
    ) -> String? {
        let all = tasks.filter(request.isMatch)
        var start = 0
        if request.cursor != nil {
            if let previous = request.previous, previous.version == version, request.folds == nil {
                start = all.firstIndex { $0.id == previous.task }.map { $0 + 1 } ?? 0
            } else {
                // The list or the folds may have changed since, or no page had a task yet: the page can begin after any task.
                start = all.firstIndex { $0.id == page.tasks.first?.id } ?? all.count
            }
        }
        // A page also ends after it has examined this number of tasks.
        let isCut = page.cursor != nil && tasks.count > examined
        let expected = all[start...].prefix(isCut ? page.tasks.count : request.limit)
        guard Self.text(expected, in: nil) == page.text else {
            return "v\(version): \(page.tasks.map(\.id)), expected \(expected.map(\.id))"
        }
        let isLast = start + expected.count == all.count
        if page.cursor == nil, !isLast { return "v\(version): tasks follow the last page" }
        // Tasks that do not match can follow.
        if page.cursor != nil, expected.count < request.limit, !isCut {
            return "v\(version): the page ends early"
        }
        return nil
    }

    /// The tasks as persons with each of the durable states of a list of folds see them. The model
    /// has no times.
    private func folded(_ list: ReorderableList, by folds: String) -> [[ListTask]] {
        states(of: folds).map { folds in
            var seen = ListModel(list)
            seen.fold(ListModel(folds).folds)
            return seen.tasks.map { task in
                var task = task
                if let stored = list.task(task.id) { task.content.stamps = stored.content.stamps }
                return task
            }
        }
    }

    /// The states of a list that a response can show, the newest first.
    func states(of list: String) -> [ReorderableList] {
        guard let history = journal.lists[list] else { return [] }
        let least = max(floor[list] ?? 0, history.firstShown)
        return (min(least, history.version)...history.version).reversed().compactMap {
            history.states[$0]
        }
    }

    private func difference(search page: TaskPageFacts, of request: PageRequest) -> String? {
        let lists = page.tasks.compactMap(\.list)
        guard lists.count == page.tasks.count, lists == lists.sorted() else {
            return "the lists have no order"
        }
        var texts: Set<String> = [""]
        // Each list can be at any version. The texts of a page are those of all combinations, so
        // they are compared one list after another.
        var rest = page.text[...]
        for list in Set(lists).sorted() {
            let ids = page.tasks.filter { $0.list == list }.map(\.id)
            texts = []
            for state in states(of: list) {
                let all = request.matches(in: state)
                guard let start = all.firstIndex(where: { $0.id == ids.first }) else { continue }
                let found = all[start...].prefix(ids.count)
                guard found.count == ids.count else { continue }
                // A list that is not the last one of the page was examined to its end.
                guard list == lists.last || start + ids.count == all.count else { continue }
                // A list that is not the first one was examined from its beginning.
                guard list == lists.first || start == 0 else { continue }
                texts.insert(Self.text(found, in: list))
            }
            guard let text = texts.first(where: { rest.hasPrefix($0) }) else {
                return "\(list): \(ids) are no tasks in a row of it"
            }
            rest = rest.dropFirst(text.count)
            if rest.first == "," { rest = rest.dropFirst() }
        }
        return rest.isEmpty ? nil : "the page has other tasks"
    }

    private static func text(_ tasks: some Sequence<ListTask>, in list: String?) -> String {
        tasks.map { task in
            var writer = JSONWriter()
            writer.task(task, in: list)
            return String(decoding: writer.takeBytes(), as: UTF8.self)
        }.joined(separator: ",")
    }
}

// MARK: - Scans

/// All pages of a search, from the first to the last.
struct PageScan {
    private(set) var request: PageRequest
    /// The versions that responses had shown before the first page.
    let floor: [String: Int]
    let restores: Int
    private var found: [String: [TaskID: Int]] = [:]

    init(_ request: PageRequest, floor: [String: Int], restores: Int) {
        self.request = request
        self.floor = floor
        self.restores = restores
    }

    mutating func add(_ page: TaskPageFacts, _ epoch: String) {
        for task in page.tasks {
            found[task.list ?? page.list ?? "", default: [:]][task.id, default: 0] += 1
        }
        request.cursor = page.cursor
        if let last = page.tasks.last?.id { request.previous = (epoch, page.version, last) }
    }

    /// Checks that each task that was in its place and matched all the time is on one page.
    func difference(_ journal: Journal) -> String? {
        let lists = request.list.map { [$0] } ?? journal.lists.keys.sorted()
        for list in lists {
            for task in constant(in: list, journal) where found[list]?[task] != 1 {
                return "\(task) of \(list) is on \(found[list]?[task] ?? 0) pages"
            }
        }
        return nil
    }

    /// The tasks of a list that existed, matched and were not moved since the first page.
    private func constant(in list: String, _ journal: Journal) -> Set<TaskID> {
        guard let history = journal.lists[list], request.folds == nil else { return [] }
        let first = min(floor[list] ?? 0, history.version)
        guard let before = history.states[first] else { return [] }
        var tasks = Set(request.matches(in: before).map(\.id))
        guard first < history.version else { return tasks }
        for version in first + 1...history.version {
            guard let state = history.states[version],
                let change = try? ChangeDocument(json: history.changes[version] ?? []),
                !change.operations.contains(.replace)
            else { return [] }
            tasks.formIntersection(request.matches(in: state).map(\.id))
            for operation in change.operations {
                switch operation {
                case .move(let task, _, _, _), .delete(let task):
                    tasks.subtract(ListModel(state).subtree(of: task))
                case .insert(let task): tasks.subtract(ListModel(state).subtree(of: task.id))
                // With a section its tasks move.
                case .sectionInsert, .sectionMove, .sectionDelete: return []
                default: break
                }
            }
        }
        return tasks
    }
}

extension ListModel {
    /// What a list of folds says: whether the subtasks of each task are hidden.
    var folds: [TaskID: Bool] {
        var folds: [TaskID: Bool] = [:]
        for entry in tasks {
            guard let data = entry.content.data, let object = ParsedJSON.object(Array(data.utf8)),
                let task = object["task"] as? String
            else { continue }
            folds[task] = entry.content.collapsed
        }
        return folds
    }
}
