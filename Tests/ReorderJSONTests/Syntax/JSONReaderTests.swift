import ReorderJSON
import Testing

@Suite struct JSONReaderTests {
    /// Reads `text` with `read`.
    private func reading<Value>(
        _ text: String, _ read: (inout JSONReader) throws(JSONTypeError) -> Value
    ) throws -> Value {
        var reader = JSONReader(try JSONText(checking: Array(text.utf8)))
        return try read(&reader)
    }

    /// The error that `read` throws for `text`.
    private func failure(
        _ text: String, _ read: (inout JSONReader) throws(JSONTypeError) -> Void
    ) throws -> JSONTypeError? {
        var reader = JSONReader(try JSONText(checking: Array(text.utf8)))
        do throws(JSONTypeError) {
            try read(&reader)
            return nil
        } catch {
            return error
        }
    }

    private func readTask(
        _ reader: inout JSONReader
    ) throws(JSONTypeError) -> (id: String, position: Int, tags: [String]) {
        var id: String?
        var position = 0
        var tags: [String] = []
        try reader.beginObject()
        while let name = reader.nextMember() {
            switch name {
            case "id": id = try reader.readString()
            case "position": position = try reader.readInt()
            case "tags":
                try reader.beginArray()
                while reader.nextElement() { tags.append(try reader.readString()) }
            case "ignored": continue
            default: throw reader.unknownMember(allowed: ["id", "position", "tags"])
            }
        }
        guard let id else { throw reader.missingMember("id") }
        return (id, position, tags)
    }

    @Test(arguments: [
        #"{"id":"t1","position":3,"tags":["a","b"],"ignored":[{"x":"]}"}]}"#,
        " { \"ignored\" : {\"id\":1} ,\n\"tags\" : [ \"a\" , \"b\" ] , \"position\":3,\t\"id\":\"t1\" } ",
        #"{"\u0069d":"\u00741","p\u006fsition":3e0,"tags":["\u0061","b"]}"#,
    ])
    func membersAreReadInAnyOrderAndEscaping(text: String) throws {
        let task = try reading(text, readTask)
        #expect(task.id == "t1")
        #expect(task.position == 3)
        #expect(task.tags == ["a", "b"])
    }

    @Test func emptyArraysAndObjectsAreRead() throws {
        let counts = try reading("[[],{},[ ],{ }]") { reader throws(JSONTypeError) in
            var count = 0
            try reader.beginArray()
            while reader.nextElement() {
                count += 1
                if reader.peek == .array {
                    try reader.beginArray()
                    while reader.nextElement() { count += 100 }
                } else {
                    try reader.beginObject()
                    while reader.nextMember() != nil { count += 100 }
                }
            }
            return count
        }
        #expect(counts == 4)
    }

    @Test(arguments: [
        (#"{"id":1}"#, JSONTypeError.Kind.wrongType(expected: .string, found: .number), "/id"),
        (#"{"id":null}"#, .wrongType(expected: .string, found: .null), "/id"),
        (#"{"id":"a","position":"3"}"#, .wrongType(expected: .number, found: .string), "/position"),
        (#"{"id":"a","position":1.5}"#, .notAnInteger, "/position"),
        (#"{"id":"a","position":1e19}"#, .integerOutOfRange, "/position"),
        (
            #"{"id":"a","tags":["x","y",true]}"#, .wrongType(expected: .string, found: .boolean),
            "/tags/2"
        ),
        (#"{"id":"a","tags":{}}"#, .wrongType(expected: .array, found: .object), "/tags"),
        (
            #"{"id":"a","a/b~c\u00e9":0}"#,
            .unknownMember("a/b~cé", allowed: ["id", "position", "tags"]), "/a~1b~0cé"
        ),
        (#"{"position":1}"#, .missingMember("id"), ""),
        ("[]", .wrongType(expected: .object, found: .array), ""),
    ])
    func anErrorPointsAtItsValue(text: String, kind: JSONTypeError.Kind, pointer: String) throws {
        func read(_ reader: inout JSONReader) throws(JSONTypeError) { _ = try readTask(&reader) }
        #expect(try failure(text, read) == JSONTypeError(kind: kind, pointer: pointer))

        let inside = try failure("{\"skipped\":[],\"tasks\":[{\"id\":\"0\"},\(text)]}") {
            reader throws(JSONTypeError) in
            try reader.beginObject()
            while reader.nextMember() != nil {
                guard reader.memberName == "tasks" else { continue }
                try reader.beginArray()
                while reader.nextElement() { try read(&reader) }
            }
        }
        #expect(inside == JSONTypeError(kind: kind, pointer: "/tasks/1" + pointer))
    }

    @Test(arguments: [
        ("titel", [], #"The member "titel" is not allowed here."#),
        ("x", ["id", "title"], #"The member "x" is not allowed here. Allowed: id, title."#),
        (
            "x", ["title", "data"],
            #"The member "x" is not allowed here. Allowed: title, data. An app's own values belong in data."#
        ),
        (
            String(repeating: "x", count: 70), [],
            #"The member "\#(String(repeating: "x", count: 64))" is not allowed here."#
        ),
    ])
    func anUnknownMemberIsNamed(name: String, allowed: [String], text: String) {
        let error = JSONTypeError(kind: .unknownMember(name, allowed: allowed), pointer: "/\(name)")
        #expect(error.description == text)
    }

    @Test func anInvalidValueIsPointedAtAfterItWasRead() throws {
        let error = try failure(#"{"a":1,"title":{"text":"too long"}}"#) {
            reader throws(JSONTypeError) in
            try reader.beginObject()
            while let name = reader.nextMember() {
                guard case "title" = name else { continue }
                try reader.beginObject()
                while reader.nextMember() != nil {
                    _ = try reader.readString()
                    throw reader.invalid("At most 4 bytes.")
                }
            }
        }
        #expect(error == JSONTypeError(kind: .invalid("At most 4 bytes."), pointer: "/title/text"))
        #expect(error?.description == "At most 4 bytes.")
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-1", -1), ("123456789012345678", 123_456_789_012_345_678),
        ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("1.0", 1),
        ("-1.000", -1), ("1e2", 100), ("1E+2", 100), ("100e-2", 1), ("1.5e1", 15), ("0.05e2", 5),
        ("0e99999", 0), ("0.000e-5", 0), ("10.0e1", 100), ("9.223372036854775807e18", Int.max),
        ("1\(String(repeating: "0", count: 300))e-300", 1),
        ("0.\(String(repeating: "0", count: 300))7e301", 7),
    ])
    func integersAreReadInAnyNotation(text: String, value: Int) throws {
        let alone = try reading(text) { reader throws(JSONTypeError) in try reader.readInt() }
        #expect(alone == value)
        let elements = try reading("[\(text),0]") { reader throws(JSONTypeError) in
            var elements: [Int] = []
            try reader.beginArray()
            while reader.nextElement() { elements.append(try reader.readInt()) }
            return elements
        }
        #expect(elements == [value, 0])
    }

    @Test(arguments: ["1.5", "0.1", "-0.5", "1e-1", "15e-1", "1e-99999", "12345678901234567890.5"])
    func fractionsAreNotIntegers(text: String) throws {
        let error = try failure(text) { reader throws(JSONTypeError) in _ = try reader.readInt() }
        #expect(error?.kind == .notAnInteger)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "1e19", "99999999999999999999", "1e300",
        "9.223372036854775808e18", "10000000000000000000",
    ])
    func integersPastTheRangeAreRefused(text: String) throws {
        let error = try failure(text) { reader throws(JSONTypeError) in _ = try reader.readInt() }
        #expect(error?.kind == .integerOutOfRange)
    }

    @Test(arguments: [
        (#""""#, ""), (#""plain""#, "plain"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u00e9\u20AC\ud834\udd1e""#, "é€𝄞"),
        ("\"日本語, exactly as it came\"", "日本語, exactly as it came"),
        (#""12345678\n12345678\n""#, "12345678\n12345678\n"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
    ])
    func stringsAreDecoded(text: String, value: String) throws {
        let read = try reading(text) { reader throws(JSONTypeError) in try reader.readString() }
        #expect(Array(read.utf8) == Array(value.utf8))
    }

    @Test func booleansAndNullAreRead() throws {
        let values = try reading("[true,null,false]") { reader throws(JSONTypeError) in
            var values: [Bool?] = []
            try reader.beginArray()
            while reader.nextElement() {
                values.append(reader.readNull() ? nil : try reader.readBool())
            }
            return values
        }
        #expect(values == [true, nil, false])
    }

    @Test(arguments: [
        (
            " { \"b\" : [ 1 , 2.50 ,\n-0, 1E+2 ] ,\t\"a\" : { } , \"c\":[ ] } ",
            #"{"b":[1,2.50,-0,1E+2],"a":{},"c":[]}"#
        ),
        (#""\/\u0041\u00e9\u0022\u005c\u0009\u001F \ud83d\ude39""#, #""/Aé\"\\\t\u001f 😹""#),
        (#"{"\u0061 b":" x  y "}"#, #"{"a b":" x  y "}"#), ("  true ", "true"), (" 1.0 ", "1.0"),
        ("\"\u{7F}\u{2028}\"", "\"\u{7F}\u{2028}\""),
    ])
    func rawTextIsCanonical(text: String, raw: String) throws {
        #expect(try reading(text) { reader in reader.readRaw() } == raw)
        #expect(try reading(raw) { reader in reader.readRaw() } == raw)
    }

    @Test func rawTextEndsWithItsValue() throws {
        let raws = try reading(#"[ 1 , "a,]" ,{"x":[1]},[[ ]],null ]"#) {
            reader throws(JSONTypeError) in
            var raws: [String] = []
            try reader.beginArray()
            while reader.nextElement() { raws.append(reader.readRaw()) }
            return raws
        }
        #expect(raws == ["1", #""a,]""#, #"{"x":[1]}"#, "[[]]", "null"])
    }

    @Test func namesAreComparedCompletely() throws {
        let text =
            #"{"abcdefgh":0,"abcdefghi":1,"collapseSubElements":2,"123456789012345678901234":3,"1234567890123456789012345":4,"":5}"#
        let found = try reading(text) { reader throws(JSONTypeError) in
            var found: [String: Int] = [:]
            try reader.beginObject()
            while let name = reader.nextMember() {
                let label = reader.memberName
                let value = try reader.readInt()
                switch name {
                case "abcdefgh": found["abcdefgh", default: 0] += value
                case "abcdefghi": found["abcdefghi", default: 0] += value
                case "collapseSubElements": found["collapseSubElements", default: 0] += value
                case "123456789012345678901234": found["24", default: 0] += value
                case "": found["", default: 0] += value
                default: found[label, default: 0] += value
                }
            }
            return found
        }
        #expect(
            found == [
                "abcdefgh": 0, "abcdefghi": 1, "collapseSubElements": 2, "24": 3,
                "1234567890123456789012345": 4, "": 5,
            ])
    }
}
