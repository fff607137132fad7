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
}
