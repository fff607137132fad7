import RandomRuns
import ReorderEngine
import ReorderJSON
import SmallLists
import Testing

/// Drops in small lists over HTTP, compared with a plain array of rows. `EveryDropTests` has all of
/// them in the engine.
@Suite struct SmallListTests {
    /// The share of the lists, in which about 2,500 drops are made.
    private static let share = 0.001
    private static let drops = 2_500

    @Test func everyDropDoesWhatTheRowsDo() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        let lists = Array(SmallLists(tasks: 2...6, share: Self.share, seed: seed))
        var (moved, refused) = (0, 0)
        try withServer(Setup.oneServer[0]) { server throws in
            try server.make(["l": draft()])
            var number = 0
            let clients = [server.client] + Array(repeating: server.uncheckedClient, count: 9)
            while moved + refused < Self.drops {
                let list = lists[number % lists.count]
                let client = clients[number % clients.count]
                number += 1
                let subject = list.subjects[random.below(list.subjects.count)]
                let roots = list.roots(of: subject)
                let section = random.below(list.sections + 1)
                let rows = list.without(roots).gaps(in: section)
                let row = rows.lowerBound + random.below(rows.count)
                let level = random.chance(60) ? random.below(4) : nil
                let drop = SmallDrop(tasks: roots, section: section, row: row, level: level)
                let made = try client.put("/lists/l", list.json, ["If-Match": "*"])
                #expect(made.status == 200, "\(made.text)")
                for body in list.bodies(of: drop, named: subject) {
                    let comment: Comment = "seed \(seed): \(list.outline): \(drop): \(body)"
                    let dry = try client.post("/lists/l/move?dryRun=true", body)
                    let answer = try client.post("/lists/l/move", body)
                    do {
                        let expected = try list.after(drop)
                        #expect(answer.status == 200, "\(comment): \(answer.text)")
                        let first = answer.json["task"] ?? answer.json["tasks"]?[0]
                        #expect(first?["row"]?.int == row, comment)
                        #expect((dry.json["task"] ?? dry.json["tasks"]?[0]) == first, comment)
                        let document = try client.get("/lists/l").body
                        let result = try ListDocument(json: document).makeList()
                        #expect(expected.matches(result), comment)
                        moved += 1
                        let undo = #"{"version":\#(answer.json["version"]?.int ?? 0)}"#
                        if answer.json["changed"] == true {
                            _ = try client.post("/lists/l/undo", undo)
                        }
                    } catch let refusal as SmallRefusal {
                        #expect(answer.json["code"]?.string == refusal.code, comment)
                        #expect(dry.json == answer.json, comment)
                        refused += 1
                    }
                }
            }
        }
        print("Drops over HTTP: \(moved) moved, \(refused) refused")
        #expect(moved > 200 && refused > 200)
    }
}

extension SmallRefusal {
    fileprivate var code: String {
        switch self {
        case .levelNotPossible: "level_not_possible"
        case .locked: "locked"
        case .notSiblings: "not_siblings"
        }
    }
}

extension SmallList {
    fileprivate var json: String {
        let sections = (1..<sections + 1).map { #"{"id":"s\#($0)","title":""}"# }
        let tasks = rows.indices.map { index in
            let row = rows[index]
            let parent = parent(of: index).map { #""\#(rows[$0].id)""# } ?? "null"
            return #"""
                {"id":"\#(row.id)","title":"","section":\#(Self.text(of: row.section)),\#
                "parent":\#(parent),"collapsed":\#(row.isCollapsed),"locked":\#(row.isLocked)}
                """#
        }
        return #"""
            {"title":"","elementsOffset":\#(elementsOffset),"moves":"\#(moves.rawValue)",\#
            "sections":[\#(sections.joined(separator: ","))],\#
            "tasks":[\#(tasks.joined(separator: ","))]}
            """#
    }

    private static func text(of section: Int) -> String {
        id(of: section).map { #""\#($0)""# } ?? "null"
    }

    /// The forms in which a drop can be requested.
    fileprivate func bodies(of drop: SmallDrop, named subject: [TaskID]) -> [String] {
        let section = Self.text(of: drop.section)
        let ids = subject.map { #""\#($0)""# }.joined(separator: ",")
        let task = subject.count == 1 ? #""task":\#(ids)"# : #""tasks":[\#(ids)]"#
        let level = drop.level.map { #","level":\#($0)"# } ?? ""
        let start = without(drop.tasks).gaps(in: drop.section).lowerBound
        var bodies = [
            #"{\#(task),"toRow":\#(drop.row),"section":\#(section)\#(level)}"#,
            #"{\#(task),"to":{"section":\#(section),"row":\#(drop.row - start)}\#(level)}"#,
        ]
        let rows = subject.compactMap { visible.firstIndex(of: index(of: $0)) }
        guard rows.count == subject.count,
            self.section(ofRow: drop.row, dropping: drop.tasks) == drop.section
        else { return bodies }
        let from = rows.map(String.init).joined(separator: ",")
        bodies.append(#"{"fromRows":[\#(from)],"toRow":\#(drop.row)\#(level)}"#)
        for offset in 0...visible.count
        where row(ofOffset: offset, dropping: drop.tasks) == drop.row {
            bodies.append(#"{"fromRows":[\#(from)],"toOffset":\#(offset)\#(level)}"#)
        }
        return bodies
    }
}
