import Measuring
@testable import ReorderEngine

/// Measures the time of the engine's public operations on lists of several shapes and sizes,
/// compared with the same moves in a plain array, and the memory for each task.
///
///     engine-benchmark [shape] [size …]
///     engine-benchmark --writer-moves size
@main struct EngineBenchmark {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--memory" {
            printMemory(arguments)
            return
        }
        let sizes = arguments.compactMap { Int($0) }
        if arguments.first == "--writer-moves" {
            sizes.forEach(WriterMoves.run)
            return
        }
        let shapes = Shape.allCases.filter { arguments.contains($0.rawValue) }
        run(
            shapes: shapes.isEmpty ? Shape.allCases : shapes,
            sizes: sizes.isEmpty ? [1_000, 100_000, 1_000_000] : sizes)
    }

    private static func run(shapes: [Shape], sizes: [Int]) {
        var memory = Table("resident bytes a task", sizes: sizes)
        let most = sizes.max() ?? 0
        for shape in shapes {
            time(shape, sizes, "a list alone") { _ in 1 }
            time(shape, sizes, "as many tasks in all") { max(1, most / $0) }
            for size in sizes {
                if let bytes = numberPrintedByChild(["--memory", shape.rawValue, String(size)]) {
                    memory.set("\(shape)", size: size, to: bytes)
                }
            }
        }
        memory.write()
    }

    /// The number of rounds in which each operation is measured at each size. The sizes alternate,
    /// because the machine's memory is sometimes slow for seconds, which must not affect one size
    /// only.
    private static let rounds = 8

    /// Prints a table for lists of these sizes, with `count` lists of each size.
    ///
    /// A single small list stays in the processor's caches, and a large one does not. If all sizes
    /// have the same total number of tasks, as on a server with many lists, the caches have the
    /// same effect on all sizes.
    private static func time(
        _ shape: Shape, _ sizes: [Int], _ name: String, lists count: (Int) -> Int
    ) {
        var table = Table("\(shape), ns, \(name)", sizes: sizes)
        var workloads = sizes.map { Workload(shape: shape, size: $0, lists: count($0)) }
        for _ in 0..<rounds {
            for (index, size) in sizes.enumerated() {
                workloads[index].measure { table.lower($0, size: size, to: $1) }
            }
        }
        if shape == .flat {
            for size in sizes {
                let times = [false, true].map {
                    PlainArray.measure(size, lists: count(size), findingTheTask: $0)
                }
                table.set("plain array: move by index", size: size, to: times[0])
                table.set("plain array: find by id, move", size: size, to: times[1])
            }
        }
        table.write()
    }

    /// Prints the resident bytes for each task, measured in a child process with a million tasks in
    /// lists of one size.
    private static func printMemory(_ arguments: ArraySlice<String>) {
        let shape = arguments.dropFirst().first.flatMap(Shape.init) ?? .flat
        let size = arguments.last.flatMap { Int($0) } ?? 1_000
        let before = residentBytes()
        let lists = (0..<max(1, 1_000_000 / size)).map { _ in shape.list(of: size) }
        print(Double(residentBytes() - before) / Double(lists.count * size))
        blackHole(lists)
    }
}
