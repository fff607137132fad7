import ReorderImportExport

/// A calendar with one task, as its client wrote it (RFC 5545). Nothing is lost: the text is the lines in their
/// order, each with its folds and its end.
package struct CalendarText: Sendable {
    /// Why a text is no calendar with one task.
    package enum Fault: Error, Equatable {
        /// Not text, or not balanced: a sentence for people.
        case malformed(String)
        /// A kind of component that is not stored.
        case component(String)
        /// Not exactly one task: a sentence for people.
        case notOneTask(String)
    }

    package struct Line: Sendable {
        /// The bytes, with folds and the line's end.
        package let range: Range<Int>
        /// The property's name in capital letters; empty for a blank line.
        let name: String
    }

    struct Component: Sendable {
        let name: String
        /// From `BEGIN` to `END`.
        var lines: Range<Int>
        /// 0 for the calendar.
        let depth: Int
    }

    package let bytes: [UInt8]
    package private(set) var lines: [Line] = []
    /// In the order of their beginnings.
    private(set) var components: [Component] = []
    /// The task; of a repeating one, the task itself, not one of its occurrences.
    private(set) var master = 0
    private(set) var uid = ""

    /// Reads a text. O(bytes).
    package init(_ bytes: [UInt8]) throws(Fault) {
        self.bytes = try Self.validated(bytes)
        try split()
        try findComponents()
        try checkTask()
    }

    /// The bytes that end a line.
    var lineEnd: [UInt8] {
        let first = lines.first.map { bytes[$0.range] } ?? []
        return first.suffix(2).elementsEqual("\r\n".utf8) || first.isEmpty
            ? Array("\r\n".utf8) : [0x0A]
    }

    // MARK: Lines

    /// Some programs fold within a character: then all folds are removed.
    private static func validated(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        if let text = String(validating: bytes, as: UTF8.self) {
            try check(text)
            return bytes
        }
        var unfolded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let end = foldEnd(in: bytes, at: index) {
                index = end
            } else {
                unfolded.append(bytes[index])
                index += 1
            }
        }
        guard let text = String(validating: unfolded, as: UTF8.self) else {
            throw .malformed("The text is not UTF-8.")
        }
        try check(text)
        return unfolded
    }

    private static func check(_ text: String) throws(Fault) {
        guard text.withoutControls.utf8.elementsEqual(text.utf8) else {
            throw .malformed("The text has control characters.")
        }
    }

    /// The end of the fold at an index; nil if there is none.
    private static func foldEnd(in bytes: [UInt8], at index: Int) -> Int? {
        var next = index
        if bytes[next] == 0x0D, next + 1 < bytes.count { next += 1 }
        guard bytes[next] == 0x0A, next + 1 < bytes.count, isBlank(bytes[next + 1]) else {
            return nil
        }
        return next + 2
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func split() throws(Fault) {
        var start = 0
        while start < bytes.count {
            var end = start
            repeat {
                while end < bytes.count, bytes[end] != 0x0A { end += 1 }
                end = min(end + 1, bytes.count)
            } while end < bytes.count && Self.isBlank(bytes[end])
            lines.append(Line(range: start..<end, name: try name(of: start..<end)))
            start = end
        }
    }

    private func name(of range: Range<Int>) throws(Fault) -> String {
        let isBlank = bytes[range].allSatisfy { Self.isBlank($0) || $0 == 0x0A || $0 == 0x0D }
        if isBlank { return "" }
        func isEnd(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: ":") || byte == UInt8(ascii: ";")
        }
        var name = bytes[range].prefix { !isEnd($0) && $0 != 0x0A }
        if name.endIndex == range.upperBound || !isEnd(bytes[name.endIndex]) {
            // The name is folded, or the line has no value.
            let line = unfolded(range)
            name = line.prefix { !isEnd($0) }
            guard name.count < line.count else { throw .malformed("A line is not a property.") }
        }
        name = name.split(separator: UInt8(ascii: ".")).last ?? []
        return String(decoding: name, as: UTF8.self).uppercased()
    }

    /// The bytes of a line without folds and its end.
    private func unfolded(_ range: Range<Int>) -> [UInt8] {
        let last = bytes[range].lastIndex { $0 != 0x0A && $0 != 0x0D }
        let whole = bytes[range.lowerBound..<(last ?? range.lowerBound - 1) + 1]
        if !whole.contains(0x0A) { return Array(whole) }
        var line: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if let end = Self.foldEnd(in: bytes, at: index), end <= range.upperBound {
                index = end
            } else {
                line.append(bytes[index])
                index += 1
            }
        }
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        return line
    }

    /// The property of a line; nil if the line is not one.
    func property(_ line: Int) -> ICSProperty? {
        ICSProperty(String(decoding: unfolded(lines[line].range), as: UTF8.self))
    }

    // MARK: Components

    private mutating func findComponents() throws(Fault) {
        var open: [Int] = []
        for index in lines.indices {
            switch lines[index].name {
            case "":
                continue
            case "BEGIN":
                guard open.count < 8 else {
                    throw .malformed("The components are nested too deep.")
                }
                guard !open.isEmpty || components.isEmpty else {
                    throw .malformed("The text has more than one calendar.")
                }
                open.append(components.count)
                components.append(
                    Component(
                        name: componentName(index), lines: index..<index + 1, depth: open.count - 1)
                )
            case "END":
                guard let component = open.popLast(),
                    components[component].name == componentName(index)
                else { throw .malformed("A component is not closed.") }
                components[component].lines = components[component].lines.lowerBound..<index + 1
            default:
                guard !open.isEmpty else {
                    throw .malformed("A property is outside of the calendar.")
                }
            }
        }
        guard open.isEmpty, components.first?.name == "VCALENDAR" else {
            throw .malformed("The text is not a calendar that begins and ends.")
        }
    }

    private func componentName(_ line: Int) -> String {
        property(line)?.value.trimmingBlanks().uppercased() ?? ""
    }

    private mutating func checkTask() throws(Fault) {
        guard !properties(of: 0).contains(where: { lines[$0].name == "METHOD" }) else {
            throw .notOneTask("A stored calendar has no METHOD.")
        }
        var found: Int?
        for (index, component) in components.enumerated() where component.depth == 1 {
            switch component.name {
            case "VTIMEZONE": continue
            case "VTODO": break
            case let name where name.hasPrefix("X-"): continue
            case let name: throw .component(name)
            }
            let uids = properties(of: index).filter { lines[$0].name == "UID" }
            guard uids.count == 1, let text = uids.first.flatMap({ property($0)?.text }),
                !text.isEmpty
            else { throw .notOneTask("Each task needs one UID.") }
            guard uid.isEmpty || uid == text else {
                throw .notOneTask("The text has tasks with different UIDs.")
            }
            uid = text
            let isOccurrence = properties(of: index).contains {
                lines[$0].name == "RECURRENCE-ID"
            }
            guard !isOccurrence else { continue }
            guard found == nil else { throw .notOneTask("The text has two tasks.") }
            found = index
        }
        guard !uid.isEmpty else { throw .notOneTask("The text has no task (VTODO).") }
        master =
            found ?? components.firstIndex { $0.depth == 1 && $0.name == "VTODO" } ?? master
    }

    /// The lines of a component's own properties, without those of components in it.
    func properties(of component: Int) -> [Int] {
        let depth = components[component].depth
        var lines: [Int] = []
        var index = components[component].lines.lowerBound + 1
        let end = components[component].lines.upperBound - 1
        var next = component + 1
        while index < end {
            if next < components.count, components[next].depth == depth + 1,
                components[next].lines.lowerBound == index
            {
                index = components[next].lines.upperBound
                next += 1
                while next < components.count, components[next].depth > depth + 1 { next += 1 }
            } else {
                if !self.lines[index].name.isEmpty { lines.append(index) }
                index += 1
            }
        }
        return lines
    }
}

extension String {
    func trimmingBlanks() -> String {
        var part = Substring(self)
        while let first = part.unicodeScalars.first, first == " " || first == "\t" {
            part.unicodeScalars.removeFirst()
        }
        while let last = part.unicodeScalars.last, last == " " || last == "\t" {
            part.unicodeScalars.removeLast()
        }
        return String(part)
    }
}
