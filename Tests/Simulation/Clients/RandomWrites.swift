import ListModel
import MicroHTTP
import RandomRuns
import ReorderEngine
import ReorderJSON
import ReorderService

/// Generates the requests of a client that changes lists.
struct RandomWrites {
    let name: String
    let listCount: Int
    let taskCount: Int
    var random: SeededGenerator
    var count = 0
    /// The existing lists. A client usually names lists and tasks that exist.
    var lists: [String: ReorderableList] = [:]
    /// The existing tasks.
    private var existing: [TaskID] = []
    private var tokens: [String: Token] = [:]
    /// The last tasks that responses have shown.
    private var tasks: [String] = []
    /// The own drags that have not ended.
    private var drags: [Drag] = []

    private struct Drag {
        var id: String
        var list: String
        var server: SimulatedServer
        var subject: MoveRequest.Subject
        /// Where it hovers; nil if that is not known.
        var place: Destination?
    }

    init(_ name: String, lists: Int, tasks: Int, seed: UInt64) {
        self.name = name
        listCount = lists
        taskCount = tasks
        random = SeededGenerator(seed: seed)
    }

    /// - Parameter server: the server of the response.
    mutating func learn(
        _ facts: ResponseFacts, _ intention: Intention, from server: SimulatedServer
    ) {
        for shown in facts.versions(of: intention) {
            tokens[shown.list] = Token(shown.version, epoch: facts.epoch)
        }
        for part in facts.text.split(separator: "\"id\":\"").dropFirst().prefix(8) {
            let id = String(part.prefix { $0 != "\"" })
            if id.hasPrefix("t") { tasks.append(id) }
        }
        if tasks.count > 16 { tasks.removeFirst(tasks.count - 16) }
        guard case .drag(let step) = intention.decision else { return }
        switch step {
        case .lift(let subject):
            guard facts.status == 201, let drag = facts.drag, let list = intention.list else {
                break
            }
            drags.append(Drag(id: drag, list: list, server: server, subject: subject))
            if drags.count > 2 { drags.removeFirst() }
        case .hover(let place):
            guard let index = drags.firstIndex(where: { intention.target == "/drags/\($0.id)" })
            else { break }
            if facts.code == "drag_not_found" {
                drags.remove(at: index)
            }
            // A refused hover keeps the place in the response only; a lost one leaves it unknown.
            else {
                drags[index].place = facts.status == 200 ? place : nil
            }
        }
    }

    /// Many requests are for the same list, so that they compete.
    mutating func list() -> String {
        Writer.list(random.chance(40) ? 0 : random.below(listCount))
    }

    /// A task: one of the list, an existing one, or any one.
    mutating func task(in list: String? = nil) -> String {
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

    mutating func newTaskID() -> String {
        let id = "t\(random.below(taskCount))"
        guard random.chance(60) else { return id }
        let taken = Set(existing)
        return (0..<taskCount).lazy.map { "t\($0)" }.first { !taken.contains($0) } ?? id
    }

    mutating func section(in list: String) -> String {
        let sections = lists[list]?.sections.map(\.id) ?? []
        guard !sections.isEmpty, random.chance(85) else { return "s\(random.below(3))" }
        return sections[random.below(sections.count)]
    }

    /// What happens at the moment of a request, so that it can reach a rare state.
    enum Moment {
        /// The store hangs: a repeated batch waits for the ids of its operations.
        case hang
        /// Tasks of these lists are being staged: another list can be deleted meanwhile.
        case staging(Set<String>)
    }

    /// - Parameter journal: the present state of the lists.
    mutating func next(_ journal: Journal, at moment: Moment?) -> Intention {
        count += 1
        lists = journal.lists.compactMapValues(\.list)
        existing = journal.holders.keys.filter { $0.hasPrefix("t") }.sorted()
        let intention = make(self.list(), journal, at: moment)
        let list = intention.list ?? ""
        if random.chance(30), intention.kind == .write, intention.isOnce == false,
            !intention.target.hasSuffix("/drags")
        {
            intention.isOnce = true
            intention.headers.append(("Idempotency-Key", "k-\(name)-\(count)"))
        }
        if random.chance(8), let token = tokens[list] {
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

    // MARK: Requests

    func intention(
        _ action: String, _ method: HTTPMethod, _ target: String, _ body: String = "",
        list: String? = nil, _ decision: Decision
    ) -> Intention {
        let intention = Intention(
            "\(name).\(count)", .write, method, target, body, list: list, action: action)
        intention.decision = decision
        return intention
    }

    private func intention(_ command: Command, in list: String) -> Intention {
        let (method, target, body) = command.parts(in: list)
        return intention(
            command.kind.rawValue, method, target, body,
            list: target.hasPrefix("/lists") ? list : nil, .one(command))
    }

    private mutating func make(
        _ list: String, _ journal: Journal, at moment: Moment?
    ) -> Intention {
        let path = "/lists/\(list)"
        switch moment {
        case .hang where random.chance(50): return batch(path, list, hasIDs: true)
        case .staging(let staged) where random.chance(30):
            let others = lists.keys.filter { !staged.contains($0) }.sorted()
            if !others.isEmpty { return delete(others[random.below(others.count)]) }
        default: break
        }
        if lists[list] == nil, random.chance(90) {
            switch random.below(10) {
            case 0..<5 where isRestorable(list, journal):
                return intention("restore", .post, "\(path)/restore", list: list, .other)
            case 5 where journal.version(list) > 0:
                return intention(
                    "delete for good", .delete, "\(path)?permanent=true", list: list, .other)
            case 6, 7: if let copy = copyList(to: list) { return copy }
            default: break
            }
            return put(list)
        }
        if !drags.isEmpty, random.chance(60) { return drag(path, list, journal) }
        switch random.below(126) {
        case 104..<111: return fold()
        case 111..<114: return foldedMove(in: list)
        case 114..<122:
            return seenMove(path, list, journal) ?? intention(.move(move(in: list)), in: list)
        case 122..<126: return sectionTransfer(path, list) ?? transfer(path, list)
        case 0..<6: return put(list)
        case 6..<9: return delete(list)
        case 9..<11:
            let free = (0..<listCount).map(Writer.list).filter { lists[$0] == nil }
            return copyList(to: free.first ?? self.list()) ?? put(list)
        case 100..<104: return copyTask()
        case 11..<24: return intention(create(in: list), in: list)
        case 24..<42:
            let move = move(in: list)
            let made = intention(.move(move), in: list)
            guard random.chance(10) else { return made }
            return intention(
                "try a move", .post, made.target + "?dryRun=true", made.body, list: list, .other)
        case 42..<52: return transfer(path, list)
        case 52..<57: return intention(.update(task(), update()), in: list)
        case 57..<61: return intention(.delete(task()), in: list)
        case 61..<65: return intention(random.command(to: parent()), in: list)
        case 65..<75: return intention(sectionRequest(list), in: list)
        case 75..<84: return batch(path, list, hasIDs: random.chance(50))
        case 84..<92: return undo(path, list, journal)
        case 92..<95: return intention(.settings(settings()), in: list)
        default: return drag(path, list, journal)
        }
    }

    private mutating func copyList(to id: String) -> Intention? {
        let sources = lists.keys.sorted()
        guard !sources.isEmpty else { return nil }
        let source = sources[random.below(sources.count)]
        return intention(
            "copy list", .post, "/lists/\(source)/copy", "{\"id\":\"\(id)\"}", .copyList(source))
    }

    private mutating func copyTask() -> Intention {
        let (task, id) = (task(), newTaskID())
        let list = random.chance(30) ? self.list() : nil
        let target = list.map { ",\"toList\":\"\($0)\"" } ?? ""
        return intention(
            "copy task", .post, "/tasks/\(task)/copy", "{\"id\":\"\(id)\"\(target)}",
            .copyTask(task, as: id))
    }

    private mutating func transfer(_ path: String, _ list: String) -> Intention {
        let others = lists.keys.filter { $0 != list }.sorted()
        let target =
            !others.isEmpty && random.chance(80) ? others[random.below(others.count)] : self.list()
        let place =
            random.chance(60) ? Destination(place: .init(.section(nil))) : destination(in: target)
        let subject = subject(in: list)
        let members =
            place.rows == nil && place.after == nil && place.before == nil
                && place.place == .init(.section(nil)) ? "" : place.furtherMembers
        return intention(
            "move to list", .post, "\(path)/move",
            "{\(subject.members),\"toList\":\"\(target)\"\(members)}", list: list,
            .transfer(MoveRequest(subject, to: place), to: target))
    }

    private mutating func delete(_ list: String) -> Intention {
        let query = random.chance(20) ? "?permanent=true" : ""
        return intention("delete list", .delete, "/lists/\(list)\(query)", list: list, .other)
    }

    private mutating func batch(_ path: String, _ list: String, hasIDs: Bool) -> Intention {
        // Batches of more than 100 ops are decided by a worker.
        let opCount = random.chance(16) ? 101 : 1 + random.below(4)
        var commands: [Command] = []
        for _ in 0..<opCount {
            switch random.below(5) {
            case 0: commands.append(create(in: list))
            case 1: commands.append(.move(move(in: list)))
            case 2: commands.append(.update(task(in: list), update()))
            case 3: commands.append(random.command(to: task(in: list)))
            default: commands.append(.delete(task(in: list)))
            }
        }
        let ops = commands.enumerated().map { index, command in
            command.text(id: hasIDs ? "\(name)-\(count)-\(index)" : nil)
        }
        let form: Batch.Form =
            random.chance(40)
            ? .steps(steps(of: ops.count)) : random.chance(50) ? .atomic : .separate
        let batch = intention(
            "batch", .post, "\(path)/batch", form.body(ops), list: list, .batch(commands, form))
        batch.isOnce = hasIDs
        return batch
    }

    /// Divides operations into steps.
    private mutating func steps(of opCount: Int) -> [Range<Int>] {
        var steps: [Range<Int>] = []
        while let start = steps.last?.upperBound ?? (opCount > 0 ? 0 : nil), start < opCount {
            steps.append(start..<min(opCount, start + 1 + random.below(3)))
        }
        return steps
    }

    private mutating func drag(
        _ path: String, _ list: String, _ journal: Journal
    ) -> Intention {
        guard let drag = drags.last else {
            let subject = subject(in: list, byRows: false)
            return intention(
                "lift", .post, "\(path)/drags", "{\(subject.members)}", list: list,
                .drag(.lift(subject)))
        }
        let target = "/drags/\(drag.id)"
        let made: Intention
        switch random.below(8) {
        case 0..<4:
            let place = destination(in: drag.list)
            drags[drags.count - 1].place = nil  // until there is a response
            made = intention(
                "hover", .patch, target, "{\(place.members)}",
                .drag(.hover(place)))
        case 4..<7:
            drags.removeLast()
            if random.chance(30), let drop = seenDrop(of: drag.subject, in: drag.list, journal) {
                made = intention("drop at a row", .post, "\(target)/drop", drop.body, drop.1)
                break
            }
            var place = drag.place
            let hasBody = place == nil || random.chance(50)
            if hasBody { place = destination(in: drag.list) }
            let move = place.map { MoveRequest(drag.subject, to: $0) }
            made = intention(
                "drop", .post, "\(target)/drop",
                hasBody ? "{\(place?.members ?? "")}" : "",
                move.map { .one(.move($0)) } ?? .other)
        default:
            drags.removeLast()
            made = intention("end a drag", .delete, target, "", .other)
        }
        made.server = drag.server
        return made
    }
}
