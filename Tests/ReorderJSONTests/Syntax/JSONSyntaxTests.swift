import Foundation
import ReorderJSON
import Testing

@Suite struct JSONSyntaxTests {
    private func failure(_ bytes: [UInt8], maximumDepth: Int = 16) -> JSONError? {
        do throws(JSONError) {
            try JSONSyntax.check(bytes, maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }

    private func failure(_ text: String) -> JSONError? { failure(Array(text.utf8)) }

    @Test(arguments: JSONSyntaxCases.accepted)
    func standardTextsAreAcceptedAndKeepTheirValue(text: String) throws {
        #expect(failure(text) == nil)
        var reader = JSONReader(try JSONText(checking: Array(text.utf8)))
        #expect(value(reader.readRaw()) == value(text))
    }

    /// What Foundation reads; nil if it can't.
    private func value(_ text: String) -> NSObject? {
        let value = try? JSONSerialization.jsonObject(
            with: Data(text.utf8), options: .fragmentsAllowed)
        return value as? NSObject
    }

    @Test(arguments: JSONSyntaxCases.refused + JSONSyntaxCases.refusedBeyondTheStandard)
    func invalidTextsAreRefused(kind: JSONError.Kind, texts: [String]) {
        for text in texts { #expect(failure(text)?.kind == kind, "\(text.debugDescription)") }
    }

    @Test(arguments: JSONSyntaxCases.refusedBytes)
    func invalidUnicodeIsRefused(kind: JSONError.Kind, texts: [[UInt8]]) {
        for text in texts { #expect(failure(text)?.kind == kind, "\(text)") }
    }

    @Test func everyPrefixOfATextIsRefused() {
        let text = Array(#"{"a":[1.5e+3,true,null,"\u00e9\ud83d\ude39é"],"b":{"c":false}}"#.utf8)
        #expect(failure(text) == nil)
        for length in text.indices { #expect(failure(Array(text[..<length])) != nil, "\(length)") }
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, "/a", 7),
        (#"{"a":1,"\u0061":2}"#, "/a", 7),
        (#"{"\u0061":1,"a":2}"#, "/a", 12),
        (#"{"\u0061b":1,"a\u0062":2}"#, "/ab", 13),
        (#"{"\"":1,"\u0022":2}"#, "/\"", 8),
        (#"{"":1,"":2}"#, "/", 6),
        (#"[{"x":{"p/q~r":1, "p/q~r":2}}]"#, "/0/x/p~1q~0r", 18),
        (#"{"é":1,"\u00e9":2}"#, "/é", 8),
        (#"{"a":{"a":1,"b":2},"b":[{"a":1},{"a":2,"a":3}]}"#, "/b/1/a", 39),
    ])
    func aDuplicateMemberIsReportedWithItsOffset(text: String, pointer: String, offset: Int) {
        let expected = JSONError(kind: .duplicateMember, pointer: pointer, offset: offset)
        #expect(failure(text) == expected)
    }

    @Test(arguments: [
        #"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#, #"{"a":1,"A":2,"a ":3,"aa":4}"#,
        #"{"\\u0061":1,"a":2,"\\":3}"#, #"{"a\"":1,"a":2}"#, #"{"a":1,"a\"":2}"#,
    ])
    func similarNamesAreAccepted(text: String) {
        #expect(failure(text) == nil)
    }

    @Test(arguments: [1, 15, 16, 17, 33, 1_000])
    func aDuplicateMemberIsFoundInObjectsOfAnySize(members: Int) {
        let names = (0..<members).map { "\"member \($0)\":{\"x\":0}" }
        #expect(failure("{\(names.joined(separator: ","))}") == nil)
        for repeated in Set([0, members / 2, members - 1]) {
            let name = "member\\u0020\(repeated)"
            let error = failure("[{\(names.joined(separator: ",")),\"\(name)\":1}]")
            #expect(error?.kind == .duplicateMember)
            #expect(error?.pointer == "/0/member \(repeated)")
        }
    }

    @Test(arguments: [1, 3, 4, 5, 12])
    func aDuplicateMemberIsFoundBelowManyNames(depth: Int) {
        let names = (0..<15).map { "\"n\($0)\":0," }.joined()
        func nested(_ inner: String) -> String {
            String(repeating: "{\(names)\"in\":", count: depth) + inner
                + String(repeating: "}", count: depth)
        }
        #expect(failure(nested(#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#)) == nil)
        let error = failure(nested(#"{"a":1,"b":{"a":1},"a":2}"#))
        #expect(error?.kind == .duplicateMember)
        #expect(error?.pointer == String(repeating: "/in", count: depth) + "/a")
    }

    @Test func namesThatBeginAndEndTheSameDoNotMakeTheCheckSlow() {
        // Comparing a quarter of the pairs completely would take minutes.
        let names = (100_000..<200_000).map { "\"same beginning \($0) same ending\":0" }
        #expect(failure("{\(names.joined(separator: ","))}") == nil)
    }

    @Test(arguments: [
        ("[1,2,x]", JSONError(kind: .expectedValue, pointer: "/2", offset: 5)),
        ("{\"a\":[{\"b\":tru}]}", JSONError(kind: .expectedValue, pointer: "/a/0/b", offset: 14)),
        ("{\"a\":1,}", JSONError(kind: .expectedName, pointer: "", offset: 7)),
        ("{\"o\":{\"\\uD800\":1}}", JSONError(kind: .loneSurrogate, pointer: "/o", offset: 7)),
        (
            "{\"o\":{\"k\":\"\\uDC00\"}}",
            JSONError(kind: .loneSurrogate, pointer: "/o/k", offset: 11)
        ),
        ("[0,1e999]", JSONError(kind: .numberOutOfRange, pointer: "/1", offset: 3)),
        ("[\"a\",\"\\u0000\"]", JSONError(kind: .nul, pointer: "/1", offset: 6)),
        ("[\"a\",\"b\u{0}\"]", JSONError(kind: .nul, pointer: "/1", offset: 7)),
        ("{} x", JSONError(kind: .trailingBytes, pointer: "", offset: 3)),
    ])
    func anErrorContainsItsPlace(text: String, expected: JSONError) {
        #expect(failure(text) == expected)
    }

    @Test func invalidUTF8IsPointedAt() {
        let text = Array("{\"a\":[\"ok\",\"é".utf8) + [0xC0, 0x80] + Array("\"]}".utf8)
        #expect(failure(text) == JSONError(kind: .invalidUTF8, pointer: "/a/1", offset: 14))
    }

    @Test func nestingIsAllowedUpToTheMaximum() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(failure(nested(16)) == nil)
        let pointer = String(repeating: "/0", count: 16)
        #expect(failure(nested(17)) == JSONError(kind: .tooDeep, pointer: pointer, offset: 16))
        #expect(failure(nested(1), maximumDepth: 1) == nil)
        #expect(failure(nested(2), maximumDepth: 1)?.kind == .tooDeep)
        #expect(failure(Array("1".utf8), maximumDepth: 0) == nil)
        #expect(failure(nested(1), maximumDepth: 0)?.kind == .tooDeep)

        let objects =
            String(repeating: "{\"a\":", count: 15) + "{}" + String(repeating: "}", count: 15)
        #expect(failure(objects) == nil)
        let error = failure("{\"a\":\(objects)}")
        #expect(error?.kind == .tooDeep)
        #expect(error?.pointer == String(repeating: "/a", count: 16))
    }

    @Test func aMillionOpeningBracketsAreRefused() {
        let text = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(failure(text)?.kind == .tooDeep)
        #expect(failure(text, maximumDepth: 1_000_000)?.kind == .unexpectedEnd)
    }

    @Test func numbersEndWhereDoublesOverflow() {
        // The smallest text that rounds to infinity, 2^1024 - 2^970, and its predecessor.
        let digits =
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946"
            + "649017977587207096330286416692887910946555547851940402630657488671505820681908902000"
            + "708383676273854845817711531764475730270069855571366959622842914819860834936475292719"
            + "074168444365510704342711559699508093042880177904174497792"
        #expect(failure("[\(digits)]")?.kind == .numberOutOfRange)
        #expect(failure("[-\(digits).0]")?.kind == .numberOutOfRange)
        #expect(failure("[\(digits.dropLast())1]") == nil)
        #expect(failure("[-\(digits.dropLast())1.9]") == nil)
        #expect(failure("1.7976931348623157e308") == nil)
        #expect(failure("0.00017976931348623157e312") == nil)
        #expect(failure("17976931348623157000e289") == nil)
        #expect(failure("0.\(String(repeating: "0", count: 400))1e700") == nil)
        #expect(failure("0.\(String(repeating: "0", count: 400))1e710")?.kind == .numberOutOfRange)
        #expect(failure("1\(String(repeating: "0", count: 400))e-100") == nil)
        #expect(failure("1\(String(repeating: "0", count: 400))e-90")?.kind == .numberOutOfRange)
    }

    @Test func anErrorRepeatsLittleOfTheText() {
        let name = String(repeating: "n", count: 128)
        #expect(failure("{\"\(name)\":x}")?.pointer == "/\(name)")
        #expect(failure("{\"a\":{\"n\(name)\":{\"b\":x}}}")?.pointer == "/a")
        for kind in JSONError.Kind.allCases {
            let error = JSONError(kind: kind, pointer: "/secret", offset: 7)
            #expect(error.description.hasSuffix(", at byte 7."))
            #expect(!error.description.contains("secret"))
        }
    }
}
