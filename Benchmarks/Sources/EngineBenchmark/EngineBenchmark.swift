import Measuring
import ReorderEngine

/// Times the engine's public operations on lists of several shapes and sizes, beside a plain array
/// that does the same moves, and measures the memory a task takes.
///
///     engine-benchmark [shape] [size …]
@main struct EngineBenchmark {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--memory" {
            printMemory(arguments)
            return
        }
        let sizes = arguments.compactMap { Int($0) }
        let shapes = Shape.allCases.filter { arguments.contains($0.rawValue) }
        run(
            shapes: shapes.isEmpty ? Shape.allCases : shapes,
            sizes: sizes.isEmpty ? [1_000, 100_000, 1_000_000] : sizes)
    }

    private static func run(shapes: [Shape], sizes: [Int]) {
        var memory = Table("resident bytes a task", sizes: sizes)
        for shape in shapes {
            var table = Table("\(shape), ns an operation", sizes: sizes)
            for size in sizes {
                var workload = Workload(shape: shape, size: size)
                workload.measure { name, time in
                    table.set(name, size: size, to: time)
                }
                if let bytes = numberPrintedByChild(["--memory", shape.rawValue, String(size)]) {
                    memory.set("\(shape)", size: size, to: bytes)
                }
            }
            if shape == .flat {
                for size in sizes {
                    table.set(
                        "plain array: move by index", size: size,
                        to: PlainArray.measure(size, findingTheTask: false))
                    table.set(
                        "plain array: find by id, move", size: size,
                        to: PlainArray.measure(size, findingTheTask: true))
                }
            }
            table.write()
        }
        memory.write()
    }

    /// Prints the resident bytes a task in a process of its own that holds as many lists of a size
    /// as come to a million tasks.
    private static func printMemory(_ arguments: ArraySlice<String>) {
        let shape = arguments.dropFirst().first.flatMap(Shape.init) ?? .flat
        let size = arguments.last.flatMap { Int($0) } ?? 1_000
        let before = residentBytes()
        let lists = (0..<max(1, 1_000_000 / size)).map { _ in shape.list(of: size) }
        print(Double(residentBytes() - before) / Double(lists.count * size))
        blackHole(lists)
    }
}
