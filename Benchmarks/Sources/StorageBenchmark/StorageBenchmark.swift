import Measuring

@testable import ReorderEngine

/// Measures the forest and the task table without the rules above them.
@main struct StorageBenchmark {
    static let sizes =
        CommandLine.arguments.count == 3
        ? [Int(CommandLine.arguments[2]) ?? 1_000] : [1_000, 100_000, 1_000_000]

    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "--memory", let size = Int(arguments[3]) {
            let before = residentBytes()
            let built = Storage(shape: Shape(rawValue: arguments[2]) ?? .flat, size: size)
            print(Double(residentBytes() - before) / Double(size))
            blackHole(built)
            return
        }
        var memory = Table("bytes a task", sizes: sizes)
        let shapes = arguments.count > 1 ? [Shape(rawValue: arguments[1]) ?? .flat] : Shape.allCases
        for shape in shapes {
            var table = Table("\(shape), ns an operation", sizes: sizes)
            for size in sizes {
                measure(shape, size, into: &table)
                if let bytes = numberPrintedByChild(["--memory", shape.rawValue, String(size)]) {
                    memory.set("\(shape)", size: size, to: bytes)
                }
            }
            table.write()
        }
        memory.write()
    }

    static func measure(_ shape: Shape, _ size: Int, into table: inout Table) {
        var storage = Storage(shape: shape, size: size)
        var random = SeededGenerator(seed: 1)
        func time<Operation>(
            _ name: String, _ prepare: (inout Storage) -> Operation,
            _ perform: (inout Storage, Operation) -> Void
        ) {
            let time = nanoseconds(
                prepare: { prepare(&storage) }, { perform(&storage, $0) })
            table.set(name, size: size, to: time)
        }
        time("move by handle", { ($0.anyNode(), $0.anyPart()) }, { $0.move($1.0, to: $1.1) })
        time(
            "move by id, position and row", { ($0.anyID(), $0.anyPart()) },
            { $0.move($1.0, to: $1.1) })
        time("look up an id", { $0.anyID() }, { $0.lookUp($1) })
        time("row of a node", { $0.anyNode() }, { $0.row(of: $1) })
        time("row of an id", { $0.anyID() }, { $0.row(of: $1) })
        time("node at a row", { $0.anyRow() }, { $0.node(atRow: $1) })
        time("collapse and expand", { $0.anyNode() }, { $0.collapseAndExpand($1) })
        time(
            "insert and delete", { ($0.anyNode(), $0.anyPart()) },
            { $0.insertAndDelete(beside: $1.0, $1.1) })
        time("iterate 50 rows", { $0.anyRow() }, { $0.iterate(from: $1) })
        time("move after a snapshot", { ($0.anyNode(), $0.anyPart()) }) {
            let snapshot = $0
            $0.move($1.0, to: $1.1)
            blackHole(snapshot.table.count)
        }
    }
}
