import Foundation
import RandomRuns
import Testing

/// Filters by the `data` of tasks.
@Suite struct DataFilterRequestTests {
    @Test(arguments: Setup.all)
    func tasksAreFilteredByTheirData(setup: Setup) throws {
        try withServer(setup) { server throws in
            let tasks =
                #"{"id":"a","title":"A","data":{"due":"2026-11-30","label":["red","blue"]}},"#
                + #"{"id":"b","title":"B","data":{"due":"2026-12-01","label":["red"]}},"#
                + #"{"id":"c","title":"C","parent":"b"},{"id":"d","title":"D"}"#
            try server.make(["l": #"{"title":"L","tasks":[\#(tasks)]}"#])
            func ids(_ query: String) throws -> [String] {
                let page = try server.client.get("/lists/l/tasks?\(query)")
                let found = try server.client.get("/tasks?\(query)")
                let named = try server.client.get("/tasks?ids=a,b,c,d&\(query)")
                #expect(page.status == 200, "\(page.text)")
                #expect(found.taskIDs == page.taskIDs && named.taskIDs == page.taskIDs)
                return page.taskIDs
            }
            #expect(try ids("filter=data.due%3C2026-12-01") == ["a"])
            #expect(try ids("filter=data.label&filter=data.label!=blue") == ["b"])
            #expect(try ids("filter=data.due&q=b") == ["b"])
            _ = try server.client.send("PATCH", "/tasks/d", #"{"data":{"due":"2026-01-01"}}"#)
            #expect(try ids("filter=data.due%3C2026-12-01") == ["a", "d"])
        }
    }

    @Test(arguments: Setup.once)
    func badFiltersAreRefused(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a"])])
            let long = "filter=data." + String(repeating: "x", count: 507)
            let ten = Array(repeating: "filter=!data", count: 10).joined(separator: "&")
            for path in ["/lists/l/tasks", "/tasks"] {
                #expect(try server.client.get("\(path)?\(ten)").taskIDs == ["a"])
                #expect(try server.client.get("\(path)?\(long)").taskIDs == [])
                for query in [ten + "&filter=!data", long + "x", "filter=", "filter=due"] {
                    try server.refused(422, "invalid_query", "GET", "\(path)?\(query)")
                }
                let answer = try server.client.get("\(path)?filter=data&filter=data%3E%22")
                #expect(
                    answer.json["detail"]
                        == "Parameter filter 2 is not valid. A value that begins with \" must be a JSON string."
                )
            }
            try server.refused(422, "invalid_query", "GET", "/lists/l/sections?filter=data")
            try server.refused(422, "invalid_query", "GET", "/tasks?filter=data&q=x&q=x")
        }
    }

    @Test func aPageExaminesALimitedSizeOfData() throws {
        try withServer(.inProcess) { server throws in
            let data = #","data":"\#(String(repeating: "y", count: 8_189))""#
            try server.make(["l": numbered("t", 200, title: "z", data)])
            let sizes = try server.client.pages("/lists/l/tasks?limit=1000&filter=data=x")
            #expect(sizes.map(\.taskIDs.count) == [0, 0])
            let found = try server.client.pages("/lists/l/tasks?limit=1000&filter=data")
            #expect(found.map(\.taskIDs.count) == [128, 72])
        }
    }

    /// Random filters find the tasks that a filter of the decoded document finds.
    @Test func aFilterFindsWhatTheModelFinds() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        try withServer(.inProcess) { server throws in
            let data = (0..<200).map { _ in
                random.chance(90) ? Optional(DataModel.value(&random)) : .none
            }
            let tasks = data.enumerated().map { number, data in
                #"{"id":"t\#(number)","title":"t"\#(data.map { #","data":\#($0.text)"# } ?? "")}"#
            }
            try server.make(["l": #"{"title":"L","tasks":[\#(tasks.joined(separator: ","))]}"#])
            var found = 0
            for _ in 0..<RandomRun.operations(500) {
                let filters = (0..<1 + random.below(2)).map { _ in DataModel.Filter(&random) }
                let query = filters.map { "filter=" + DataModel.encoded($0.text) }
                let pages = try server.client.pages(
                    "/lists/l/tasks?limit=1000&\(query.joined(separator: "&"))")
                let wanted = data.enumerated().filter { task in
                    filters.allSatisfy { $0.matches(task.element) }
                }
                #expect(
                    pages.flatMap(\.taskIDs) == wanted.map { "t\($0.offset)" },
                    "REORDERD_SEED=\(seed) \(filters.map(\.text))")
                if (1..<200).contains(wanted.count) { found += 1 }
            }
            #expect(found > 100)
        }
    }
}

/// Random `data`, and filters of it, as plain values.
enum DataModel {
    static let names = ["a", "b", "due date"]
    static let scalars: [JSONValue] = [
        nil, false, true, 0, 1, 2, -1, 10, 1_000_000, .double(0.5), .double(-0.25), "", "red",
        "blue", "rot\"", "2026-12-01", "2026-11-30", "1", "é", "{}",
    ]

    /// A value of at most 6 levels, as `data` allows no more than 13.
    static func value(_ random: inout SeededGenerator, depth: Int = 0) -> JSONValue {
        switch depth < 6 ? random.below(depth == 0 ? 10 : 6 + depth) : 2 {
        case 0: return .array((0..<random.below(4)).map { _ in value(&random, depth: depth + 1) })
        case 1, 7, 8, 9:
            let members = names.filter { _ in random.chance(60) }
            return .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { ($0, value(&random, depth: depth + 1)) }))
        default:
            // A task cannot have the data null.
            return scalars[
                depth == 0 ? 1 + random.below(scalars.count - 1) : random.below(scalars.count)]
        }
    }

    static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    struct Filter {
        let path: [String]
        let comparison: String?
        let operand: JSONValue

        init(_ random: inout SeededGenerator) {
            path = (0..<random.below(3)).map { _ in names[random.below(names.count)] }
            comparison = [nil, "!", "=", "!=", "<", "<=", ">", ">="][random.below(8)]
            operand = scalars[random.below(scalars.count)]
        }

        var text: String {
            let path = ("data" + path.map { "." + ($0 == "a" ? $0 : "\"\($0)\"") }.joined())
            switch comparison {
            case nil: return path
            case "!": return "!" + path
            case let comparison?: return path + comparison + value
            }
        }

        /// A string that is not JSON can be without quotes.
        private var value: String {
            if let text = operand.string, (try? JSONValue(json: Array(text.utf8))) == nil {
                return text
            }
            return operand.text
        }

        func matches(_ data: JSONValue?) -> Bool {
            let value = path.reduce(data) { $0?[$1] }
            switch comparison {
            case nil: return value != nil
            case "!": return value == nil
            case "!=": return !candidates(value).contains(operand)
            case "=": return candidates(value).contains(operand)
            case let comparison?:
                return candidates(value).contains { value in
                    guard let order = order(value, operand) else { return false }
                    return switch comparison {
                    case "<": order < 0
                    case "<=": order <= 0
                    case ">": order > 0
                    default: order >= 0
                    }
                }
            }
        }

        private func candidates(_ value: JSONValue?) -> [JSONValue] {
            guard let value else { return [] }
            if case .array(let elements) = value { return elements }
            return [value]
        }
    }

    /// Less than 0, 0 or more than 0; nil for values of different types.
    static func order(_ first: JSONValue, _ second: JSONValue) -> Int? {
        if first == second { return 0 }
        if let first = number(first), let second = number(second) { return first < second ? -1 : 1 }
        switch (first, second) {
        case (.bool(let first), .bool): return first ? 1 : -1
        case (.string(let first), .string(let second)):
            return first.unicodeScalars.lexicographicallyPrecedes(second.unicodeScalars) ? -1 : 1
        default: return nil
        }
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
