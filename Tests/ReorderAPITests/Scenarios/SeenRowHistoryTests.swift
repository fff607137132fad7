import RandomRuns
import ReorderEngine
import ReorderJSON
import Testing

/// Random histories of clients that move rows of the versions that they have seen, compared with a
/// fold of the changes.
@Suite struct SeenRowHistoryTests {
    private static let clients = 32

    @Test(arguments: Setup.oneServer.filter { $0.transport == .inProcess })
    func eachMoveNamesTheTasksThatWereAtTheRows(setup: Setup) throws {
        let seed = RandomRun.seed
        try withServer(setup) { server throws in
            var history = try SeenRowHistory(server, clients: Self.clients, seed: seed)
            // Fewer could leave out a kind of result.
            for step in 0..<max(1_000, RandomRun.operations(percent: 5)) {
                if let fault = try history.step() {
                    Issue.record("REORDERD_SEED=\(seed), step \(step): \(fault)")
                    return
                }
            }
            print("Moves of seen rows: \(history.counts)")
            for kind in ["after", "before", "parent", "section", "task_not_found"] {
                #expect(history.counts[kind, default: 0] > 0, "no \(kind), REORDERD_SEED=\(seed)")
            }
        }
    }
}

private struct SeenRowHistory {
    /// The results of the moves.
    private(set) var counts: [String: Int] = [:]
    private let client: any APIClient
    private var random: SeededGenerator
    /// The version that each client shows.
    private var seen: [Int]
    /// The list at each version.
    private var lists: [Int: ReorderableList] = [:]
    private var version = 1
    private var made = 0

    private var list: ReorderableList { get throws { try #require(lists[version]) } }

    init(_ server: ServerUnderTest, clients: Int, seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        seen = Array(repeating: 1, count: clients)
        client = server.uncheckedClient
        try server.make([
            "l": draft(["a", "b<a", "c", "d@s", "e<d", "f<e", "g@s", "h@t", "i", "j@t"])
        ])
        lists[1] = try ListDocument(json: client.get("/lists/l").body).makeList()
    }

    /// Makes a request, and returns what is wrong with its result.
    mutating func step() throws -> String? {
        let person = random.below(seen.count)
        switch random.below(10) {
        case 0..<2:
            seen[person] = version
            return nil
        case 2..<5:
            try change()
            return try follow()
        default:
            // A client that is not too far behind most of the time.
            if version - seen[person] > 60, random.chance(90) { seen[person] = version }
            return try moveRows(of: seen[person])
        }
    }

    /// Folds the changes since the last version.
    private mutating func follow() throws -> String? {
        let page = try client.get("/lists/l/changes?since=\(versionToken(version))&limit=100").json
        for change in page["changes"]?.array ?? [] {
            let document = try ChangeDocument(json: Array(change.text.utf8))
            var list = try list
            for operation in document.operations { try list.apply(operation) }
            version += 1
            guard document.version == version else { return "version \(document.version)" }
            lists[version] = list
        }
        return nil
    }

    /// A change by ids.
    private mutating func change() throws {
        let tasks = try list.taskIDs
        let task = tasks.randomElement(using: &random) ?? ""
        let other = tasks.randomElement(using: &random) ?? ""
        switch tasks.count < 8 ? 0 : tasks.count > 30 ? 3 : random.below(8) {
        case 0..<3:
            made += 1
            let body = #"{"id":"n\#(made)","title":"N","before":"\#(other)","section":"s"}"#
            _ = try client.post("/lists/l/tasks", body)
        case 3: _ = try client.delete("/tasks/\(task)")
        case 4:
            _ = try client.post("/tasks/\(task)/collapse", #"{"collapsed":\#(random.chance(40))}"#)
        case 5: _ = try client.post("/lists/l/move", #"{"task":"\#(task)","parent":"\#(other)"}"#)
        default: _ = try client.post("/lists/l/move", #"{"task":"\#(task)","after":"\#(other)"}"#)
        }
    }

    private mutating func moveRows(of version: Int) throws -> String? {
        let seen = try #require(lists[version])
        let rows = seen.tasks(fromRow: 0, limit: seen.rowCount)
        guard !rows.isEmpty else { return nil }
        let sections = [nil] + seen.sections.map { Optional($0.id) }
        let section = sections[random.below(sections.count)]
        let (first, second) = (random.below(rows.count), random.below(rows.count))
        let named = Set(random.chance(20) ? [first, second] : [first]).sorted()
        let from =
            named.count > 1
            ? #""fromRows":[\#(named[1]),\#(named[0])]"# : #""fromRow":\#(named[0])"#
        let row = random.below(rows.count + 1)
        let text = section.map { #""\#($0)""# } ?? "null"
        let body = #"{\#(from),"to":{"section":\#(text),"row":\#(row)},"version":\#(version)}"#
        let answer = try client.post("/lists/l/move", body)
        let ids = named.map { rows[$0].id }
        let before = try list
        if let fault = try follow() { return fault }
        let after = try list
        guard answer.status == 200 else {
            let code = answer.json["code"]?.string ?? ""
            counts[code, default: 0] += 1
            switch code {
            case "task_not_found":
                return ids.allSatisfy { before.contains($0) }
                    ? "\(ids) are not found: \(body)" : nil
            case "cycle", "anchor_gone", "depth_limit": return nil
            case "history_gone":
                return version > self.version - 20 ? "\(version) of \(self.version) is gone" : nil
            default: return "\(body): \(answer.text)"
            }
        }
        let tasks = answer.json["tasks"]?.array ?? [answer.json["task"] ?? .null]
        guard tasks.map({ $0["id"]?.string }) == ids else {
            return "\(body) named \(tasks.map(\.text)), not \(ids)"
        }
        let placedBy = answer.json["placedBy"]?.string ?? ""
        counts[placedBy, default: 0] += 1
        guard answer.json["changed"] == true else { return nil }
        let gap = Gap(of: rows, taking: named, section: section, row: row)
        return gap.fault(placedBy, of: ids, from: before, to: after).map { "\(body): \($0)" }
    }
}

/// The neighbors of a drop in the rows that a client has seen.
private struct Gap {
    var above: TaskID?
    var below: TaskID?
    var parent: TaskID?
    private let section: SectionID?

    /// - Parameters:
    ///   - named: the moved rows, ascending.
    ///   - row: the row in the section, without the moved rows.
    init(of rows: [ListTask], taking named: [Int], section: SectionID?, row: Int) {
        self.section = section
        var rest: [ListTask] = []
        var takenDepth: Int?
        for (index, task) in rows.enumerated() {
            if let depth = takenDepth, task.depth > depth { continue }
            takenDepth = named.contains(index) ? task.depth : nil
            if takenDepth == nil, task.placement.section == section { rest.append(task) }
        }
        let row = min(row, rest.count)
        let highest = row == 0 ? 0 : rest[row - 1].depth + (rest[row - 1].content.collapsed ? 0 : 1)
        let lowest = row < rest.count ? rest[row].depth : 0
        let own = named.map { rows[$0].depth }.min() ?? 0
        let level = max(lowest, min(own, highest))
        let higher = rest[..<row].last { $0.depth <= level }
        above = higher?.depth == level ? higher?.id : nil
        parent = higher?.depth == level ? higher?.placement.parent : higher?.id
        let lower = rest[row...].first { $0.depth <= level }
        below = lower?.depth == level ? lower?.id : nil
    }

    /// What is wrong with the place of a task after the move.
    func fault(
        _ placedBy: String, of tasks: [TaskID], from before: ReorderableList,
        to after: ReorderableList
    ) -> String? {
        // A task that is now below another one travels with it.
        let beneath = tasks.flatMap { before.subtree(of: $0).dropFirst().map(\.id) }
        let inside = tasks + beneath
        guard let first = tasks.first(where: { !beneath.contains($0) }),
            let place = after.placement(of: first)
        else { return "\(tasks) are gone" }
        func sibling(_ offset: Int) -> TaskID? {
            after.task(
                section: place.section, parent: place.parent, position: place.position + offset)?.id
        }
        func isUsable(_ neighbor: TaskID?) -> Bool {
            neighbor.map { before.contains($0) && !inside.contains($0) } ?? false
        }
        /// Whether a neighbor is still in the place of the drop.
        func hasStayed(_ neighbor: TaskID?) -> Bool {
            guard let place = neighbor.flatMap({ before.placement(of: $0) }) else { return false }
            return place.parent == parent && (parent != nil || place.section == section)
        }
        let hasParted = isUsable(below) && hasStayed(below) && !hasStayed(above)
        switch placedBy {
        case "after":
            return above != nil && sibling(-1) == above && !hasParted
                ? nil : "not after \(above ?? "nil")"
        case "before":
            let isRight = below.map { after.placement(of: $0)?.parent == place.parent } ?? false
            return isRight && (!isUsable(above) || hasParted)
                ? nil : "not before \(below ?? "nil")"
        case "parent": return place.parent == parent ? nil : "not below \(parent ?? "nil")"
        case "section": return place.parent == nil ? nil : "not at the top"
        default: return "placed by \(placedBy)"
        }
    }
}
