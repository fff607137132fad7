import Dispatch
import RandomRuns
import Synchronization
import Testing

@testable import ReorderEngine

/// Readers on other threads, each with its own copy, while one thread writes. The thread
/// sanitizer detects a write to a page that another thread reads.
@Suite struct CopyThreadTests {
    /// Each round writes to every page, so one is enough for a race on a page.
    @Test(arguments: [(2_000, 10), (40_000, 1)])
    func concurrentReadersSeeTheirCopies(tasks: Int, rounds: Int) {
        var forest = Forest()
        var table = TaskTable()
        var nodes: [NodeID] = []
        for position in 0..<tasks {
            let node = forest.insert(into: Forest.root, at: position)
            table.insert(
                node, id: "t\(position)", title: "0", data: nil, done: false, locked: false)
            nodes.append(node)
        }
        let wrong = Mutex<[String]>([])
        let group = DispatchGroup()
        var random = SeededGenerator(seed: RandomRun.seed)
        for round in 1...rounds {
            let (forestCopy, tableCopy) = (forest, table)
            let title = String(round - 1)
            DispatchQueue.global().async(group: group) {
                let rows = forestCopy.rows().map(\.node)
                let titles = Set(rows.map { tableCopy.title(of: $0) })
                if rows.count != tasks || titles != [title] {
                    wrong.withLock { $0.append("round \(round): \(rows.count) rows, \(titles)") }
                }
            }
            for node in nodes {
                table.setTitle(of: node, String(round))
                let position = Int.random(in: 0..<tasks, using: &random)
                forest.move(node, into: Forest.root, at: position)
            }
        }
        group.wait()
        #expect(wrong.withLock { $0 } == [], "seed \(RandomRun.seed)")
    }

    /// Moves are made as in the server: each on a copy, while the versions before are alive. Meanwhile
    /// another thread reads the first version, and some of the others are compared. The pages of 24,000 tasks
    /// are in directories.
    @Test(arguments: [300, 24_000]) func aReaderSeesNoMoves(tasks: Int) throws {
        var versions = [ReorderableList(settings: ListSettings(title: "List"))]
        for number in 0..<tasks {
            _ = try versions[0].create(TaskContent(id: "t\(number)", title: "Task \(number)"))
        }
        let held = versions[0]
        let expected = Array(held.tasks)
        let isDone = Mutex(false)
        let wrong = Mutex(0)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            repeat {
                if Array(held.tasks) != expected { wrong.withLock { $0 += 1 } }
            } while !isDone.withLock { $0 }
        }
        var random = SeededGenerator(seed: RandomRun.seed)
        for move in 0..<RandomRun.operations(10_000) {
            let last = versions[versions.count - 1]
            let tasksBefore = move.isMultiple(of: tasks / 10) ? Array(last.tasks) : nil
            var next = last
            next.changeStamp = ChangeStamp(time: Int64(move))
            let (task, anchor) = (random.below(tasks), random.below(tasks))
            _ = try next.move(
                MoveRequest(.task("t\(task)"), to: Destination(after: "t\(anchor)")))
            if let tasksBefore, Array(last.tasks) != tasksBefore { wrong.withLock { $0 += 1 } }
            versions.append(next)
            if versions.count > 3 { versions.removeFirst() }
        }
        isDone.withLock { $0 = true }
        group.wait()
        // A message would have all tasks.
        let isSame = Array(held.tasks) == expected
        #expect(isSame && wrong.withLock { $0 } == 0, "seed \(RandomRun.seed)")
        #expect(versions[versions.count - 1].checkInvariants() == nil)
    }
}
