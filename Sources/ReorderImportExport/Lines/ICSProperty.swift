import Foundation
import ReorderJSON

/// A line of iCalendar (RFC 5545) without its folds.
package struct ICSProperty {
    /// In capital letters, without its group.
    package let name: String
    /// By names in capital letters, without quotes.
    package private(set) var parameters: [String: String] = [:]
    /// As written.
    package let value: String

    package init?(_ line: String) {
        var isQuoted = false
        func isOutsideOfQuotes(_ byte: UInt8, _ wanted: UInt8) -> Bool {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == wanted && !isQuoted
        }
        guard
            let colon = line.utf8.firstIndex(where: { isOutsideOfQuotes($0, UInt8(ascii: ":")) })
        else { return nil }
        let parts = line.utf8[..<colon].split(omittingEmptySubsequences: false) {
            isOutsideOfQuotes($0, UInt8(ascii: ";"))
        }.map(Substring.init)
        // A group is not part of the name.
        name = (parts[0].split(separator: ".").last.map(String.init) ?? "").uppercased()
        value = String(line[line.utf8.index(after: colon)...])
        guard !name.isEmpty else { return nil }
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            parameters[pair[0].uppercased()] = String(pair[1]).replacing("\"", with: "")
        }
    }

    package var text: String { Self.split(value, at: nil).joined() }
    /// The texts between commas.
    package var texts: [String] {
        Self.split(value, at: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// Without backslashes.
    private static func split(_ value: String, at separator: Unicode.Scalar?) -> [String] {
        var texts = [""]
        var isEscaped = false
        for scalar in value.unicodeScalars {
            if isEscaped {
                let isLineEnd = scalar == "n" || scalar == "N"
                texts[texts.count - 1].unicodeScalars.append(isLineEnd ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == separator {
                texts.append("")
            } else {
                texts[texts.count - 1].unicodeScalars.append(scalar)
            }
        }
        if isEscaped { texts[texts.count - 1] += "\\" }
        return texts
    }

    /// Whether a `RELATED-TO` names the parent.
    package var isParent: Bool {
        [nil, "PARENT"].contains(parameters["RELTYPE"]?.uppercased())
    }

    /// The time as `due` in a task's `data`; nil if it has another form. In an unknown time zone, it is the
    /// local time.
    package var due: String? {
        guard let due = DueDate.parse(value) else { return nil }
        return zone.map { DueDate.time(due, in: $0) } ?? due
    }

    /// Whether the time is in a time zone that is not known here.
    package var hasUnknownZone: Bool { parameters["TZID"] != nil && zone == nil }

    private var zone: TimeZone? { parameters["TZID"].flatMap(TimeZone.init(identifier:)) }

    /// A `PRIORITY` as `priority` in a task's `data`, from 1 to 3; nil without one.
    package var priority: Int? {
        switch value.trimmed {
        case "1", "2", "3", "4": 1
        case "5": 2
        case "6", "7", "8", "9": 3
        default: nil
        }
    }
}

/// Values of iCalendar.
package enum ICSText {
    package static func escape(_ text: String) -> String {
        var escaped = ""
        let lines = text.withoutControls.replacing("\r\n", with: "\n")
        for scalar in lines.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n", "\r": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    package static func list(_ texts: [String]) -> String {
        texts.map(escape).joined(separator: ",")
    }

    /// The property for a `due` of a task's `data`; nil for no due date.
    package static func due(_ due: String) -> (name: String, value: String)? {
        if due.utf8.count == 10 { return ("DUE;VALUE=DATE", due.replacing("-", with: "")) }
        if let time = Timestamp.parse(due) { return ("DUE", Self.time(time)) }
        // A time without a time zone stays without one.
        return due.utf8.count == 19 ? ("DUE", basic(due)) : nil
    }

    /// - Parameter priority: from 1 to 3.
    package static func priority(_ priority: Int) -> String { ["1", "5", "9"][priority - 1] }

    /// - Parameter milliseconds: since 1970.
    package static func time(_ milliseconds: Int64) -> String {
        var writer = JSONWriter()
        writer.time(milliseconds: milliseconds)
        return basic(writer.bytes[1..<20].text) + "Z"
    }

    /// `2026-11-30T10:00:00` in the form of iCalendar.
    private static func basic(_ time: String) -> String {
        time.filter { !"-:".contains($0) }
    }

    /// A line, folded so that none of its parts has more than 75 bytes.
    ///
    /// - Parameter end: the bytes that end a line.
    package static func line(
        _ name: String, _ value: String, end: [UInt8] = Array("\r\n".utf8)
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var count = 0
        for scalar in "\(name):\(value)".unicodeScalars {
            let width = UTF8.width(scalar)
            if count + width > 75 {
                bytes += end + [Byte.space]
                count = 1
            }
            bytes += Array(String(scalar).utf8)
            count += width
        }
        return bytes + end
    }
}
