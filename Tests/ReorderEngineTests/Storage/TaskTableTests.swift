import RandomRuns
import Testing

@testable import ReorderEngine

@Suite struct TaskTableTests {
    private func node(_ index: Int) -> NodeID { NodeID(index: UInt32(index)) }

    @Test func aTaskIsFoundByItsIdWithItsContent() {
        var table = TaskTable()
        table.insert(
            node(7), id: "milk", title: "Milk 🥛", data: "{}", done: true, locked: false)
        #expect(table.node(for: "milk") == node(7))
        #expect(table.node(for: "mil") == nil)
        #expect(table.id(of: node(7)) == "milk")
        #expect(table.title(of: node(7)) == "Milk 🥛")
        #expect(table.data(of: node(7)) == "{}")
        #expect(table.isDone(node(7)))
        #expect(!table.isLocked(node(7)))
        #expect(table.withIDBytes(of: node(7)) { Array($0) } == Array("milk".utf8))
        #expect(table.withTitleBytes(of: node(7)) { $0.count } == 9)
    }

    @Test func noDataAndEmptyDataDiffer() {
        var table = TaskTable()
        table.insert(node(0), id: "a", title: "", data: nil, done: false, locked: false)
        #expect(table.data(of: node(0)) == nil)
        table.setData(of: node(0), "")
        #expect(table.data(of: node(0)) == "")
        #expect(table.withDataBytes(of: node(0)) { $0?.count } == 0)
        table.setData(of: node(0), nil)
        #expect(table.data(of: node(0)) == nil)
    }

    @Test func canonicallyEqualIdsWithDifferentBytesAreDifferent() {
        var table = TaskTable()
        table.insert(node(0), id: "\u{E9}", title: "", data: nil, done: false, locked: false)
        #expect(table.node(for: "e\u{301}") == nil)
    }

    @Test func aTextLargerThanAPageFits() {
        var table = TaskTable()
        let data = String(repeating: "ab", count: 100_000)
        table.insert(node(0), id: "a", title: data, data: data, done: false, locked: true)
        table.insert(node(1), id: "b", title: "b", data: nil, done: false, locked: false)
        #expect(table.data(of: node(0)) == data)
        table.setTitle(of: node(0), "short")
        #expect(table.title(of: node(0)) == "short")
        #expect(table.data(of: node(0)) == data)
        #expect(table.isLocked(node(0)))
        table.remove(node(0))
        #expect(table.node(for: "a") == nil)
        #expect(table.title(of: node(1)) == "b")
        #expect(table.checkInvariants() == nil)
    }

    @Test func theMemoryOfReplacedTextsIsFreed() {
        let setters: [(inout TaskTable, String) -> Void] = [
            { $0.setTitle(of: NodeID(index: 0), $1) }, { $0.setData(of: NodeID(index: 0), $1) },
        ]
        for set in setters {
            var table = TaskTable()
            table.insert(node(0), id: "a", title: "", data: nil, done: false, locked: false)
            // All of them take 30 pages.
            for _ in 0..<1_000 { set(&table, String(repeating: "x", count: 100)) }
            #expect(table.byteCount < 10 * PagedMemory.pageBytes)
            #expect(table.checkInvariants() == nil)
        }
    }

    @Test func aCopyKeepsItsTexts() {
        var table = TaskTable()
        for index in 0..<3_000 {
            table.insert(
                node(index), id: "t\(index)", title: "old \(index)", data: nil, done: false,
                locked: false)
        }
        let copy = table
        for index in 0..<3_000 {
            if index % 3 == 0 {
                table.remove(node(index))
            } else {
                table.setTitle(of: node(index), "new \(index)")
                table.setDone(of: node(index), true)
            }
        }
        #expect(table.checkInvariants() == nil)
        #expect(copy.checkInvariants() == nil)
        #expect(copy.count == 3_000)
        #expect(table.count == 2_000)
        for index in 0..<3_000 {
            #expect(copy.node(for: "t\(index)") == node(index))
            #expect(copy.title(of: node(index)) == "old \(index)")
            #expect(!copy.isDone(node(index)))
            #expect(table.node(for: "t\(index)") == (index % 3 == 0 ? nil : node(index)))
        }
    }

    @Test func randomOperationsMatchADictionary() {
        var random = SeededGenerator(seed: RandomRun.seed)
        var run = TableRun()
        for step in 0..<RandomRun.operations(50_000) {
            // The target size oscillates, so that pages fill up, become sparse and are freed.
            let target = step / 5_000 % 2 == 0 ? 3_000 : 30
            run.step(target: target, using: &random)
            guard step % 2_500 == 0 || step < 100 else { continue }
            if let wrong = run.table.checkInvariants() ?? run.difference() {
                Issue.record("\(wrong) at operation \(step), seed \(RandomRun.seed)")
                return
            }
        }
    }
}

/// A table and its model, a dictionary, which get the same operations.
private struct TableRun {
    struct Task: Equatable {
        var id: String
        var title: String
        var data: String?
        var done: Bool
        var locked: Bool
    }

    var table = TaskTable()
    private var tasks: [UInt32: Task] = [:]
    private var nodes: [UInt32] = []
    private var freeNodes: [UInt32] = []
    private var nextID = 0

    mutating func step(target: Int, using random: inout SeededGenerator) {
        if nodes.isEmpty || random.chance(nodes.count < target ? 60 : 20) {
            insert(using: &random)
            return
        }
        let place = Int.random(in: 0..<nodes.count, using: &random)
        let node = nodes[place]
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            nodes.swapAt(place, nodes.count - 1)
            nodes.removeLast()
            freeNodes.append(node)
            tasks[node] = nil
            table.remove(NodeID(index: node))
        case 2:
            let title = text(using: &random)
            tasks[node]?.title = title
            table.setTitle(of: NodeID(index: node), title)
        case 3:
            let data = random.chance(50) ? text(using: &random) : nil
            tasks[node]?.data = data
            table.setData(of: NodeID(index: node), data)
        case 4:
            let done = random.chance(50)
            tasks[node]?.done = done
            table.setDone(of: NodeID(index: node), done)
        default:
            let locked = random.chance(50)
            tasks[node]?.locked = locked
            table.setLocked(of: NodeID(index: node), locked)
        }
    }

    private mutating func insert(using random: inout SeededGenerator) {
        let node = freeNodes.popLast() ?? UInt32(nodes.count)
        nextID += 1
        let task = Task(
            id: "task-\(nextID)", title: text(using: &random),
            data: random.chance(20) ? text(using: &random) : nil,
            done: random.chance(50), locked: random.chance(50))
        nodes.append(node)
        tasks[node] = task
        table.insert(
            NodeID(index: node), id: task.id, title: task.title, data: task.data, done: task.done,
            locked: task.locked)
    }

    private func text(using random: inout SeededGenerator) -> String {
        let longest = random.chance(1) ? 20_000 : random.chance(10) ? 300 : 40
        return String(repeating: "ü", count: Int.random(in: 0...longest, using: &random))
    }

    func difference() -> String? {
        if table.count != tasks.count { return "count" }
        for (node, task) in tasks {
            let handle = NodeID(index: node)
            let found = Task(
                id: table.id(of: handle), title: table.title(of: handle),
                data: table.data(of: handle), done: table.isDone(handle),
                locked: table.isLocked(handle))
            if found != task { return "the task of node \(node)" }
            if table.node(for: task.id) != handle { return "the look-up of \(task.id)" }
        }
        return table.node(for: "task-0") == nil ? nil : "an id that was never put in"
    }
}
