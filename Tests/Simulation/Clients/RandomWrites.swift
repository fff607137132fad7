import RandomRuns
import ReorderEngine

/// Generates the requests of a client that changes lists.
struct RandomWrites {
    private let name: String
    private let listCount: Int
    private let taskCount: Int
    private var random: SeededGenerator
    private var count = 0
    /// The versions that responses have shown.
    private var versions: [String: Int] = [:]
    /// The existing lists. A client usually names lists and tasks that exist.
    private var lists: [String: ReorderableList] = [:]
    /// The existing tasks.
    private var existing: [TaskID] = []
    private var tokens: [String: Token] = [:]
    /// The last tasks that responses have shown.
    private var tasks: [String] = []
    private var drags: [String] = []

    init(_ name: String, lists: Int, tasks: Int, seed: UInt64) {
        self.name = name
        listCount = lists
        taskCount = tasks
        random = SeededGenerator(seed: seed)
    }

    mutating func learn(_ facts: ResponseFacts, _ intention: Intention) {
        for shown in facts.versions(list: intention.list) {
            versions[shown.list] = shown.version
            tokens[shown.list] = Token(shown.version, epoch: facts.epoch)
        }
        for part in facts.text.split(separator: "\"id\":\"").dropFirst().prefix(8) {
            let id = String(part.prefix { $0 != "\"" })
            if id.hasPrefix("t") { tasks.append(id) }
        }
        if tasks.count > 16 { tasks.removeFirst(tasks.count - 16) }
        if let drag = facts.drag, facts.status == 201 { drags.append(drag) }
        if drags.count > 2 { drags.removeFirst() }
    }

    /// Many requests are for the same list, so that they compete.
    private mutating func list() -> String {
        Writer.list(random.chance(40) ? 0 : random.below(listCount))
    }

    /// A task: one of the list, an existing one, or any one.
    private mutating func task(in list: String? = nil) -> String {
        if let list, random.chance(85) {
            let tasks = lists[list]?.tasks.map(\.id) ?? []
            if !tasks.isEmpty { return tasks[random.below(tasks.count)] }
        }
        if list == nil, !existing.isEmpty, random.chance(90) {
            return existing[random.below(existing.count)]
        }
        if !tasks.isEmpty, random.chance(60) { return tasks[random.below(tasks.count)] }
        return "t\(random.below(taskCount))"
    }

    private mutating func newTaskID() -> String {
        let id = "t\(random.below(taskCount))"
        guard random.chance(60) else { return id }
        let taken = Set(existing)
        return (0..<taskCount).lazy.map { "t\($0)" }.first { !taken.contains($0) } ?? id
    }

    private mutating func section(in list: String) -> String {
        if let section = lists[list]?.sections.first, random.chance(80) { return section.id }
        return "s\(random.below(3))"
    }

    /// - Parameter journal: the present state of the lists.
    mutating func next(_ journal: Journal) -> Intention {
        count += 1
        lists = journal.lists.compactMapValues(\.list)
        existing = journal.holders.keys.sorted()
        let list = list()
        let intention = make(list)
        if random.chance(30), intention.kind == .write, intention.isOnce == false,
            !intention.target.hasSuffix("/drags")
        {
            intention.isOnce = true
            intention.headers.append(("Idempotency-Key", "k-\(name)-\(count)"))
        }
        if random.chance(8), let token = tokens[list], intention.list != nil,
            !intention.target.hasPrefix("/drags")
        {
            intention.headers.append(("If-Match", "\"\(token.text)\""))
            intention.precondition = token
        }
        if intention.method == .put, !intention.headers.contains(where: { $0.0 == "If-Match" }) {
            intention.headers.append(
                random.chance(lists[list] == nil ? 90 : 20)
                    ? ("If-None-Match", "*") : ("If-Match", "*"))
        }
        return intention
    }

    private func post(
        _ target: String, _ body: String, list: String? = nil
    ) -> Intention {
        Intention("\(name).\(count)", .write, .post, target, body, list: list)
    }

    private mutating func make(_ list: String) -> Intention {
        let path = "/lists/\(list)"
        if lists[list] == nil, random.chance(90) {
            return random.chance(40) ? post("\(path)/restore", "", list: list) : put(list)
        }
        switch random.below(104) {
        case 0..<8: return put(list)
        case 8..<10:
            let permanent = random.chance(20) ? "?permanent=true" : ""
            return Intention("\(name).\(count)", .write, .delete, path + permanent, list: list)
        case 100..<103: return copyTask()
        case 103: return post("\(path)/copy", "{\"id\":\"\(self.list())\"}")
        case 10..<24:
            return post(
                "\(path)/tasks", "{\(newTask())\(optionalDestination(in: list))}", list: list)
        case 24..<42:
            let isDry = random.chance(10) ? "?dryRun=true" : ""
            return post(
                "\(path)/move\(isDry)", "{\(subject(in: list)),\(destination(in: list))}",
                list: list)
        case 42..<52:
            return post(
                "\(path)/move", "{\(subject(in: list)),\"toList\":\"\(self.list())\"}",
                list: list)
        case 52..<57:
            return Intention(
                "\(name).\(count)", .write, .patch, "/tasks/\(task())", "{\(changes())}")
        case 57..<61:
            return Intention("\(name).\(count)", .write, .delete, "/tasks/\(task())")
        case 61..<64:
            return post("/tasks/\(task())/collapse", "{\"collapsed\":\(random.chance(50))}")
        case 64..<70: return sectionRequest(path, list)
        case 70..<84: return batch(path, list)
        case 84..<92: return undo(path, list)
        case 92..<94:
            return Intention(
                "\(name).\(count)", .write, .patch, path,
                random.chance(50)
                    ? "{\"elementsOffset\":\(random.below(3))}"
                    : "{\"collapseSubElements\":\(random.chance(50))}", list: list)
        default: return drag(path, list)
        }
    }

    private mutating func put(_ list: String) -> Intention {
        var tasks: [String] = []
        for _ in 0..<random.below(1 + taskCount / 2) {
            let task = newTaskID()
            if !tasks.contains(task) { tasks.append(task) }
        }
        let elements = tasks.map { "{\"id\":\"\($0)\",\"title\":\"\(name) \(count)\"}" }
        let isInLines = random.chance(25)
        let lines = ["{\"title\":\"\(list)\"}"] + elements
        let body = "{\"title\":\"\(list)\",\"tasks\":[\(elements.joined(separator: ","))]}"
        let intention = Intention(
            "\(name).\(count)", .write, .put, "/lists/\(list)",
            isInLines ? lines.joined(separator: "\n") : body, list: list)
        if isInLines { intention.headers.append(("Content-Type", "application/x-ndjson")) }
        return intention
    }

    private mutating func copyTask() -> Intention {
        let target = random.chance(30) ? ",\"toList\":\"\(self.list())\"" : ""
        return post("/tasks/\(task())/copy", "{\"id\":\"\(newTaskID())\"\(target)}")
    }

    private mutating func newTask() -> String {
        "\"id\":\"\(newTaskID())\",\"title\":\"by \(name) \(count)\""
    }

    private mutating func subject(in list: String) -> String {
        guard random.chance(20) else { return "\"task\":\"\(task(in: list))\"" }
        var tasks: [String] = []
        for _ in 0..<2 + random.below(2) {
            let task = task(in: list)
            if !tasks.contains(task) { tasks.append(task) }
        }
        return "\"tasks\":[\(tasks.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    private mutating func optionalDestination(in list: String) -> String {
        random.chance(40) ? "" : ",\(destination(in: list))"
    }

    /// - Parameter list: the list of the anchors; nil means any.
    private mutating func destination(in list: String?) -> String {
        switch random.below(6) {
        case 0, 1: "\"position\":\(random.below(6))"
        case 2: "\"after\":\"\(task(in: list))\",\"position\":0"
        case 3: "\"before\":\"\(task(in: list))\""
        case 4: "\"parent\":\(random.chance(30) ? "null" : "\"\(task(in: list))\"")"
        default: "\"section\":\(random.chance(40) ? "null" : "\"\(section(in: list ?? ""))\"")"
        }
    }

    private mutating func changes() -> String {
        switch random.below(4) {
        case 0: "\"title\":\"title \(random.below(9))\""
        case 1: "\"done\":\(random.chance(50))"
        case 2: "\"locked\":\(random.chance(20))"
        default: "\"data\":{\"a\":\(random.below(9))}"
        }
    }

    private mutating func sectionRequest(_ path: String, _ list: String) -> Intention {
        let section = section(in: list)
        switch random.below(4) {
        case 0, 1:
            return post(
                "\(path)/sections", "{\"id\":\"s\(random.below(3))\",\"title\":\"S\"}", list: list)
        case 2:
            return post(
                "\(path)/sections/\(section)/move", "{\"position\":\(random.below(3))}", list: list)
        default:
            let tasks = random.chance(50) ? "keep" : "delete"
            return Intention(
                "\(name).\(count)", .write, .delete, "\(path)/sections/\(section)?tasks=\(tasks)",
                list: list)
        }
    }

    private mutating func batch(_ path: String, _ list: String) -> Intention {
        // Batches of more than 100 ops are decided by a worker.
        let opCount = random.chance(16) ? 101 : 1 + random.below(4)
        let hasIds = random.chance(50)
        let isAtomic = random.chance(40)
        var ops: [String] = []
        for index in 0..<opCount {
            let id = hasIds ? ",\"opId\":\"\(name)-\(count)-\(index)\"" : ""
            switch random.below(4) {
            case 0:
                ops.append(
                    "{\"op\":\"create\",\(newTask())\(optionalDestination(in: list))\(id)}")
            case 1:
                ops.append(
                    "{\"op\":\"move\",\(subject(in: list)),\(destination(in: list))\(id)}")
            case 2:
                ops.append(
                    "{\"op\":\"update\",\"task\":\"\(task(in: list))\",\"set\":{\(changes())}\(id)}"
                )
            default: ops.append("{\"op\":\"delete\",\"task\":\"\(task(in: list))\"\(id)}")
            }
        }
        let batch = post(
            "\(path)/batch", "{\"atomic\":\(isAtomic),\"ops\":[\(ops.joined(separator: ","))]}",
            list: list)
        batch.isOnce = hasIds
        return batch
    }

    private mutating func undo(_ path: String, _ list: String) -> Intention {
        let version = max(1, (versions[list] ?? 1) - (random.chance(70) ? 0 : random.below(4)))
        let undo = post("\(path)/undo", "{\"version\":\(version)}", list: list)
        undo.undone = version
        return undo
    }

    private mutating func drag(_ path: String, _ list: String) -> Intention {
        guard let drag = drags.last, random.chance(70) else {
            return post("\(path)/drags", "{\(subject(in: list))}", list: list)
        }
        switch random.below(4) {
        case 0, 1:
            return Intention(
                "\(name).\(count)", .write, .patch, "/drags/\(drag)", "{\(destination(in: nil))}")
        case 2:
            drags.removeLast()
            return post("/drags/\(drag)/drop", random.chance(50) ? "" : "{\(destination(in: nil))}")
        default:
            drags.removeLast()
            return Intention("\(name).\(count)", .write, .delete, "/drags/\(drag)")
        }
    }
}
