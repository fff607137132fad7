import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderClient

/// Long arrays of rows, compared with ordinary arrays.
@Suite struct RowsInPiecesTests {
    private func row(_ number: Int) -> LiveList.Row {
        RowMarks().row(
            ListTask(
                content: TaskContent(id: "\(number)", title: ""),
                placement: Placement(section: nil, parent: nil, position: 0, row: nil), depth: 0,
                subtasks: 0))
    }

    @Test func removingAndInsertingIsAsInAnArray() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        var expected = (0..<1_500).map { row($0) }
        var rows = LiveList.Rows(expected)
        var made = expected.count
        for _ in 0..<RandomRun.operations(percent: 1) {
            // Now and then many at once, so that it grows and shrinks.
            let most = random.chance(5) ? 600 : 4
            let leaving = Set((0..<random.below(most)).map { _ in random.below(expected.count) })
                .filter { $0 < expected.count }.sorted()
            for index in leaving.reversed() { expected.remove(at: index) }
            rows = rows.removing(leaving)
            var arriving: [(index: Int, row: LiveList.Row)] = []
            let count = expected.count + random.below(most)
            let places = Set((0..<random.below(most)).map { _ in random.below(count + 1) }).sorted()
            for place in places where place <= expected.count {
                made += 1
                arriving.append((place, row(made)))
                expected.insert(row(made), at: place)
            }
            rows = rows.inserting(arriving)
            try #require(
                rows.count == expected.count && rows.elementsEqual(expected),
                "REORDERD_SEED=\(seed)")
            #expect(rows == LiveList.Rows(expected))
            #expect(rows.isEmpty || rows != LiveList.Rows(expected.dropLast() + [row(-1)]))
            if let last = expected.indices.last { #expect(rows[last] == expected[last]) }
        }
    }

    /// A small change shares the other rows.
    @Test func otherRowsAreNotCopied() {
        let rows = LiveList.Rows((0..<100_000).map { row($0) })
        let changed = rows.removing([70_000]).inserting([(10, row(100_000))])
        #expect(changed != rows && changed.count == rows.count && changed[10].id == "100000")
        #expect(changed.piecesShared(with: rows) > 380)
    }
}

extension LiveList.Rows {
    /// The number of pieces that are the same memory.
    fileprivate func piecesShared(with other: LiveList.Rows) -> Int {
        let addresses = { (rows: LiveList.Rows) in
            rows.pieces.map { piece in piece.withUnsafeBytes { $0.baseAddress } }
        }
        let own = Set(addresses(self))
        return addresses(other).count { own.contains($0) }
    }
}
