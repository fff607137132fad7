import ReorderImportExport
import ReorderJSON

/// The filter of a `calendar-query` (RFC 4791, section 9.7). Repeating tasks are not expanded.
struct CalendarFilter: Sendable {
    private let calendar: ComponentFilter
    let conditions: Int

    init(_ element: XMLElement?) throws(DAVError) {
        let filters = element?.children.filter { $0.name == .caldav("comp-filter") } ?? []
        guard filters.count == 1, filters[0].attribute("name")?.uppercased() == "VCALENDAR" else {
            throw Self.invalid("The filter needs one comp-filter, of VCALENDAR.")
        }
        conditions = Self.count(filters[0])
        guard conditions <= DAV.maximumConditions else {
            throw Self.invalid("The filter has more than \(DAV.maximumConditions) conditions.")
        }
        calendar = try ComponentFilter(filters[0])
    }

    private static func count(_ element: XMLElement) -> Int {
        element.children.reduce(1) { $0 + count($1) }
    }

    func matches(_ task: CalendarTask) -> Bool {
        if calendar.acceptsAllTasks { return true }
        guard let text = try? CalendarText(TaskRendering.bytes(of: task)) else { return false }
        return calendar.matches(0, of: FilteredText(text))
    }

    static func invalid(_ reason: String) -> DAVError {
        DAVError(403, .caldav("valid-filter"), reason)
    }
}

/// A text whose properties are read once for all conditions.
private final class FilteredText {
    let text: CalendarText
    private var known: [Int: [String: [ICSProperty]]] = [:]

    init(_ text: CalendarText) { self.text = text }

    func properties(_ name: String, of component: Int) -> [ICSProperty] {
        if let known = known[component] { return known[name] ?? [] }
        var found: [String: [ICSProperty]] = [:]
        for line in text.properties(of: component) {
            guard let property = text.property(line) else { continue }
            found[text.lines[line].name, default: []].append(property)
        }
        known[component] = found
        return found[name] ?? []
    }
}

/// A condition on the components of a name.
private struct ComponentFilter: Sendable {
    let name: String
    private var isNotDefined = false
    private var range: TimeRange?
    private var properties: [PropertyFilter] = []
    private var components: [ComponentFilter] = []

    init(_ element: XMLElement) throws(DAVError) {
        guard let name = element.attribute("name") else {
            throw CalendarFilter.invalid("A comp-filter needs a name.")
        }
        self.name = name.uppercased()
        for child in element.children {
            switch child.name {
            case .caldav("is-not-defined"): isNotDefined = true
            case .caldav("time-range"): range = try TimeRange(child)
            case .caldav("prop-filter"): properties.append(try PropertyFilter(child))
            case .caldav("comp-filter"): components.append(try ComponentFilter(child))
            default: throw CalendarFilter.invalid("A part of the filter is unknown.")
            }
        }
    }

    /// Whether the filter of a calendar accepts each calendar with a task.
    var acceptsAllTasks: Bool {
        !isNotDefined && range == nil && properties.isEmpty
            && components.allSatisfy { filter in
                filter.name == "VTODO" && !filter.isNotDefined && filter.range == nil
                    && filter.properties.isEmpty && filter.components.isEmpty
            }
    }

    /// Whether a component, which has the name, meets the other conditions.
    func matches(_ component: Int, of filtered: FilteredText) -> Bool {
        let text = filtered.text
        guard range.map({ $0.contains(component, of: text) }) ?? true,
            properties.allSatisfy({ $0.matches(component, of: filtered) })
        else { return false }
        let parent = text.components[component]
        return components.allSatisfy { filter in
            let children = text.components.indices.filter { index in
                let child = text.components[index]
                return child.name == filter.name && child.depth == parent.depth + 1
                    && parent.lines.contains(child.lines.lowerBound)
            }
            return filter.isNotDefined
                ? children.isEmpty : children.contains { filter.matches($0, of: filtered) }
        }
    }
}

/// A condition on the properties of a name.
private struct PropertyFilter: Sendable {
    private let name: String
    private var isNotDefined = false
    private var range: TimeRange?
    private var text: TextMatch?
    private var parameters: [ParameterFilter] = []

    private struct ParameterFilter: Sendable {
        let name: String
        let isNotDefined: Bool
        let text: TextMatch?

        func matches(_ property: ICSProperty) -> Bool {
            guard let value = property.parameters[name] else { return isNotDefined }
            return !isNotDefined && (text.map { $0.matches(value) } ?? true)
        }
    }

    init(_ element: XMLElement) throws(DAVError) {
        guard let name = element.attribute("name") else {
            throw CalendarFilter.invalid("A prop-filter needs a name.")
        }
        self.name = name.uppercased()
        for child in element.children {
            switch child.name {
            case .caldav("is-not-defined"): isNotDefined = true
            case .caldav("time-range"): range = try TimeRange(child)
            case .caldav("text-match"): text = try TextMatch(child)
            case .caldav("param-filter"):
                guard let name = child.attribute("name") else {
                    throw CalendarFilter.invalid("A param-filter needs a name.")
                }
                parameters.append(
                    ParameterFilter(
                        name: name.uppercased(),
                        isNotDefined: child.child(.caldav("is-not-defined")) != nil,
                        text: try child.child(.caldav("text-match")).map {
                            element throws(DAVError) in
                            try TextMatch(element)
                        }))
            default: throw CalendarFilter.invalid("A part of the filter is unknown.")
            }
        }
    }

    func matches(_ component: Int, of filtered: FilteredText) -> Bool {
        let found = filtered.properties(name, of: component)
        guard !isNotDefined else { return found.isEmpty }
        return found.contains { property in
            (self.text.map { $0.matches(property.text) } ?? true)
                && (range.map { range in
                    property.milliseconds.map { range.contains($0) } ?? false
                } ?? true) && parameters.allSatisfy { $0.matches(property) }
        }
    }
}

/// A condition on a text: it contains another one.
struct TextMatch: Sendable {
    enum Collation: String, CaseIterable {
        case asciiCaseMap = "i;ascii-casemap"
        case octet = "i;octet"
        case unicodeCaseMap = "i;unicode-casemap"
    }

    private let wanted: String
    private let collation: Collation
    private let isNegated: Bool

    init(_ element: XMLElement) throws(DAVError) {
        let name = element.attribute("collation") ?? "default"
        guard
            let collation = name == "default"
                ? .asciiCaseMap : Collation(rawValue: name.lowercased())
        else {
            throw DAVError(403, .caldav("supported-collation"), "The collation is unknown.")
        }
        self.collation = collation
        wanted = Self.folded(element.text, collation)
        isNegated = element.attribute("negate-condition") == "yes"
    }

    func matches(_ text: String) -> Bool {
        let text = Self.folded(text, collation)
        return (wanted.isEmpty || text.utf8.firstRange(of: wanted.utf8) != nil) != isNegated
    }

    private static func folded(_ text: String, _ collation: Collation) -> String {
        switch collation {
        case .octet: text
        case .unicodeCaseMap: text.lowercased()
        case .asciiCaseMap:
            String(
                decoding: text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self
            )
        }
    }
}
