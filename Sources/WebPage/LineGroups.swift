/// Writes out the groups of lines that `openapi.yaml` repeats, because many OpenAPI tools do not know the merge key (`<<`).
///
/// In the file, `key: &name` gives the deeper lines below it a name, and `key: *name` stands for the key with these lines.
/// If the key is `<<`, the lines belong to the mapping around it.
struct LineGroups {
    private typealias Line = ArraySlice<UInt8>

    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")

    private var groups: [Line: [Line]] = [:]

    /// O(n) in the length of the result.
    static func writtenOut(_ text: [UInt8]) -> [UInt8] {
        var groups = LineGroups()
        let lines = text.split(separator: lineFeed, omittingEmptySubsequences: false)
        return Array(groups.writtenOut(lines[...]).joined(separator: [lineFeed]))
    }

    private mutating func writtenOut(_ lines: ArraySlice<Line>) -> [Line] {
        var result: [Line] = []
        var rest = lines
        while let line = rest.popFirst() {
            guard let mark = Self.mark(in: line) else {
                result.append(line)
                continue
            }
            let indentation = Self.indentation(line)
            let name = line[(mark + 1)...]
            if line[mark] == UInt8(ascii: "&") {
                let group = rest.prefix { Self.indentation($0) > indentation }
                rest = rest.dropFirst(group.count)
                let outer = group.first.map(Self.indentation) ?? 0
                groups[name] = writtenOut(group).map { $0.dropFirst(outer) }
            }
            guard let group = groups[name] else {
                result.append(line)
                continue
            }
            let isMerged = line.dropFirst(indentation).starts(with: "<<".utf8)
            if !isMerged { result.append(line[..<(mark - 1)]) }
            let margin = isMerged ? indentation : indentation + 2
            let spaces = Line(repeating: Self.space, count: margin)
            result += group.map { spaces + $0 }
        }
        return result
    }

    /// The index of `&` or `*` in a line such as `key: &name`.
    private static func mark(in line: Line) -> Int? {
        guard let gap = line.dropFirst(indentation(line)).firstIndex(of: space),
            line[gap - 1] == UInt8(ascii: ":"), line.lastIndex(of: space) == gap,
            let mark = line[gap...].dropFirst().first,
            mark == UInt8(ascii: "&") || mark == UInt8(ascii: "*")
        else { return nil }
        return gap + 1
    }

    private static func indentation(_ line: Line) -> Int {
        line.prefix { $0 == space }.count
    }
}
