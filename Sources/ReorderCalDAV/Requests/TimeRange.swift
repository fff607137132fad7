import ReorderImportExport
import ReorderJSON

/// A time range of a filter, in milliseconds since 1970.
struct TimeRange: Sendable {
    private var start = Int64.min
    private var end = Int64.max

    init(_ element: XMLElement) throws(DAVError) {
        for name in ["start", "end"] {
            guard let text = element.attribute(name) else { continue }
            guard text.hasSuffix("Z"), let time = ICSProperty("X:\(text)")?.milliseconds else {
                throw CalendarFilter.invalid("A time range must be in UTC, as in 20261201T000000Z.")
            }
            if name == "start" { start = time } else { end = time }
        }
        guard start < end else { throw CalendarFilter.invalid("The time range is empty.") }
    }

    func contains(_ time: Int64) -> Bool { start <= time && time < end }

    /// Whether a component overlaps the range, as section 9.9 of RFC 4791 says for tasks. A repeating task does if it
    /// begins before the end.
    func contains(_ component: Int, of text: CalendarText) -> Bool {
        guard text.components[component].name == "VTODO" else { return true }
        var times: [String: Int64] = [:]
        var duration: Int64?
        var repeats = false
        for line in text.properties(of: component) {
            let name = text.lines[line].name
            switch name {
            case "DTSTART", "DUE", "COMPLETED", "CREATED":
                times[name] = text.property(line)?.milliseconds
            case "DURATION": duration = text.property(line).flatMap { Self.duration($0.value) }
            case "RRULE", "RDATE": repeats = true
            default: continue
            }
        }
        let (due, completed, created) = (times["DUE"], times["COMPLETED"], times["CREATED"])
        if repeats, let first = times["DTSTART"] ?? due { return first < end }
        if let from = times["DTSTART"] {
            if let due { return (start < due || start <= from) && (end > from || end >= due) }
            guard let duration else { return start <= from && end > from }
            return start <= from + duration && (end > from || end >= from + duration)
        }
        if let due { return start < due && end >= due }
        if let completed, let created {
            return (start <= created || start <= completed) && (end >= created || end >= completed)
        }
        if let completed { return start <= completed && end >= completed }
        if let created { return end > created }
        return true
    }

    private static let maximumSeconds: Int64 = 1 << 40

    /// A duration in milliseconds.
    private static func duration(_ text: String) -> Int64? {
        let units: [Character: Int64] = [
            "W": 604_800, "D": 86_400, "H": 3_600, "M": 60, "S": 1,
        ]
        var (seconds, digits): (Int64, String) = (0, "")
        for character in text.trimmingBlanks().uppercased() {
            switch character {
            case "P", "T", "+", "-": continue
            case "0"..."9": digits.append(character)
            default:
                guard let unit = units[character], digits.utf8.count < 10,
                    let count = Int64(digits), seconds < maximumSeconds
                else { return nil }
                seconds += count * unit
                digits = ""
            }
        }
        return text.hasPrefix("-") ? -seconds * 1_000 : seconds * 1_000
    }
}

extension ICSProperty {
    /// The time; that of a day is its beginning in UTC, as is a time without a time zone.
    var milliseconds: Int64? {
        guard let due else { return nil }
        switch due.utf8.count {
        case 10: return Timestamp.parse(due + "T00:00:00Z")
        case 19: return Timestamp.parse(due + "Z")
        default: return Timestamp.parse(due)
        }
    }
}
