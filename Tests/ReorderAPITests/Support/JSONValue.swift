import Foundation

/// Any JSON value, for comparisons in tests. Foundation parses it, so that the tests are
/// independent of the server's own reader.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(json: [UInt8]) throws {
        self.init(
            any: try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed))
    }

    /// Converts a value from Foundation or a YAML reader.
    init(any value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as [Any]: self = .array(value.map { JSONValue(any: $0) })
        case let value as [AnyHashable: Any]:
            self = .object(
                Dictionary(
                    value.map { ("\($0.key)", JSONValue(any: $0.value)) },
                    uniquingKeysWith: { $1 }))
        case let value as NSNumber:
            switch String(cString: value.objCType) {
            case "c", "B": self = .bool(value.boolValue)
            case "d", "f": self = .double(value.doubleValue)
            default: self = .int(value.intValue)
            }
        case let value as Bool: self = .bool(value)
        case let value as Int: self = .int(value)
        case let value as Double: self = .double(value)
        default: self = .null
        }
    }

    /// Compact, with members sorted by name.
    var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices ~= index else { return nil }
        return elements[index]
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var int: Int? { if case .int(let value) = self { value } else { nil } }
    var array: [JSONValue] { if case .array(let value) = self { value } else { [] } }
    var object: [String: JSONValue] { if case .object(let value) = self { value } else { [:] } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .int(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(nilLiteral: ()) { self = .null }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

extension JSONValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
