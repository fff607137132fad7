import ReorderEngine
import ReorderJSON

/// Content of a file that is not in the list, or differs there.
package struct ImportRemark: Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        case leftOut = "left out"
        case shortened
        case changed
    }

    package var kind: Kind
    /// A phrase that describes the content.
    package var what: String
    /// Numbered from 1.
    package var lines: ClosedRange<Int>

    package init(_ kind: Kind, _ what: String, lines: ClosedRange<Int>) {
        self.kind = kind
        self.what = what
        self.lines = lines
    }

    /// Without the first line, which messages show before it.
    package var description: String {
        let range = lines.count == 1 ? "" : " (to line \(lines.upperBound))"
        return "\(kind.rawValue): \(what)\(range)"
    }
}

/// The remarks on a file.
struct ImportRemarks {
    private var all: [ImportRemark] = []
    /// The index of the last remark of each kind and phrase.
    private var last: [String: Int] = [:]

    var inLineOrder: [ImportRemark] {
        all.sorted { $0.lines.lowerBound < $1.lines.lowerBound }
    }

    /// Adds a remark. If there is the same one about the line above or this line, extends that one.
    mutating func add(_ kind: ImportRemark.Kind, _ what: String, lines: ClosedRange<Int>) {
        let key = "\(kind.rawValue): \(what)"
        if let index = last[key], all[index].lines.upperBound + 1 >= lines.lowerBound {
            let first = min(all[index].lines.lowerBound, lines.lowerBound)
            let last = max(all[index].lines.upperBound, lines.upperBound)
            all[index].lines = first...last
        } else {
            last[key] = all.count
            all.append(ImportRemark(kind, what, lines: lines))
        }
    }

    /// Returns a title of at most the maximum length.
    mutating func shorten(_ title: String, line: Int) -> String {
        guard title.utf8.count > FormLimits.titleBytes else { return title }
        add(
            .shortened, "a title with more than \(FormLimits.titleBytes) bytes of UTF-8",
            lines: line...line)
        return title.prefix(maximumBytes: FormLimits.titleBytes)
    }

    /// Returns a depth that a task can have.
    mutating func limit(depth: Int, line: Int) -> Int {
        guard depth >= ReorderableList.maximumLevels else { return depth }
        add(
            .changed, "a task nested deeper than \(ReorderableList.maximumLevels) levels",
            lines: line...line)
        return ReorderableList.maximumLevels - 1
    }
}

extension String {
    /// The longest beginning with at most this number of bytes. O(maximum).
    ///
    /// - Parameter size: the bytes of a scalar.
    func prefix(
        maximumBytes: Int, size: (Unicode.Scalar) -> Int = { UTF8.width($0) }
    ) -> String {
        var count = 0
        let end = unicodeScalars.firstIndex { scalar in
            count += size(scalar)
            return count > maximumBytes
        }
        return String(self[..<(end ?? endIndex)])
    }
}
