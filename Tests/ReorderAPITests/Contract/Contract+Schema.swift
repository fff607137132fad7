import Foundation

/// The part of JSON Schema that the file uses. An unknown keyword is a fault, so that none is
/// ignored.
extension Contract {
    private static let annotations: Set = [
        "title", "description", "format", "default", "summary", "$ref", "uniqueItems",
        "discriminator",
    ]

    /// The reasons why a value does not match a schema; empty if it matches.
    func faults(of value: JSONValue, schema: JSONValue?, at place: String) -> [String] {
        guard let schema else { return ["\(place): no schema"] }
        var faults: [String] = []
        if schema["$ref"] != nil {
            faults += self.faults(of: value, schema: resolved(schema), at: place)
        }
        for (keyword, rule) in schema.object where !Self.annotations.contains(keyword) {
            if let fault = fault(of: value, keyword, rule, schema) {
                faults.append("\(place): \(fault)")
            }
        }
        if let types = schema["type"] {
            let names = types.string.map { [$0] } ?? types.array.compactMap(\.string)
            if !names.contains(where: { value.has(type: $0) }) {
                faults.append("\(place): is not \(names)")
            }
        }
        if case .object(let members) = value {
            for (name, member) in members {
                guard let rule = schema["properties"]?[name] else { continue }
                faults += self.faults(of: member, schema: rule, at: "\(place)/\(name)")
            }
        }
        if case .array(let elements) = value, let items = schema["items"] {
            for (index, element) in elements.enumerated() {
                faults += self.faults(of: element, schema: items, at: "\(place)/\(index)")
            }
        }
        return faults
    }

    /// The reasons why a value violates one keyword.
    private func fault(
        of value: JSONValue, _ keyword: String, _ rule: JSONValue, _ schema: JSONValue
    ) -> String? {
        switch keyword {
        case "type", "properties", "items": nil  // looked at by the caller
        case "if":
            faults(of: value, schema: rule, at: "").isEmpty
                ? faults(of: value, schema: schema["then"], at: "").first : nil
        case "then": nil  // looked at by "if"
        case "required":
            rule.array.first { name in value[name.string ?? ""] == nil }.map { "lacks \($0.text)" }
        case "additionalProperties":
            value.object.first { name, member in
                schema["properties"]?[name] == nil
                    && (rule == false || !faults(of: member, schema: rule, at: "").isEmpty)
            }.map { "must not have \($0.key)" }
        case "minProperties":
            value.object.count < rule.int ?? 0 ? "has too few members" : nil
        case "enum": rule.array.contains(value) ? nil : "\(value.text) is none of \(rule.text)"
        case "const": rule == value ? nil : "\(value.text) is not \(rule.text)"
        case "minItems": value.array.count < rule.int ?? 0 ? "has too few elements" : nil
        case "maxItems": value.array.count > rule.int ?? .max ? "has too many elements" : nil
        case "minimum": value.int.map { $0 < rule.int ?? 0 } == true ? "is too small" : nil
        case "maximum": value.int.map { $0 > rule.int ?? 0 } == true ? "is too large" : nil
        case "minLength": fault(inLengthOf: value) { $0 < rule.int ?? 0 }
        case "maxLength": fault(inLengthOf: value) { $0 > rule.int ?? 0 }
        case "pattern": fault(of: value, pattern: rule.string ?? "")
        case "anyOf":
            rule.array.contains { faults(of: value, schema: $0, at: "").isEmpty }
                ? nil : "\(value.text) fits none"
        case "not":
            faults(of: value, schema: rule, at: "").isEmpty ? "\(value.text) must not fit" : nil
        case "dependentSchemas":
            rule.object.filter { value[$0.key] != nil }.lazy
                .compactMap { faults(of: value, schema: $0.value, at: $0.key).first }.first
        case "oneOf":
            rule.array.count { faults(of: value, schema: $0, at: "").isEmpty } == 1
                ? nil : "\(value.text) does not fit exactly one"
        default: "unknown keyword \(keyword)"
        }
    }

    private func fault(inLengthOf value: JSONValue, _ isWrong: (Int) -> Bool) -> String? {
        guard let text = value.string, isWrong(text.unicodeScalars.count) else { return nil }
        return "has a wrong length"
    }

    private func fault(of value: JSONValue, pattern: String) -> String? {
        guard let text = value.string else { return nil }
        let range = NSRange(location: 0, length: text.utf16.count)
        let match = patterns[pattern]?.expression.firstMatch(in: text, range: range)
        return match == nil ? "\(text) does not match \(pattern)" : nil
    }
}

extension JSONValue {
    fileprivate func has(type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .int: type == "integer" || type == "number"
        // JSON Schema compares values rather than their notation: 1.0 is an integer.
        case .double(let value): type == "number" || type == "integer" && value == value.rounded()
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }
}
