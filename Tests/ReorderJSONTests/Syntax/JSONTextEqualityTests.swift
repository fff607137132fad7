import ReorderJSON
import Testing

@Suite struct JSONTextEqualityTests {
    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#),
        (
            #"{"a":{"x":[1,{"p":1,"q":2}],"y":null},"b":""}"#,
            #"{"b":"","a":{"y":null,"x":[1,{"q":2,"p":1}]}}"#
        ),
        (#"{"\u0061":"\/"}"#, #" { "a" : "/" } "#),
        (#"{"a":1,"a\"":2}"#, #"{"a\"":2,"a":1}"#), ("[]", "[ ]"), ("{}", "{ }"),
    ])
    func theOrderOfMembersDoesNotMatter(first: String, second: String) {
        #expect(JSONText.equal(first, second))
        #expect(JSONText.equal(second, first))
    }

    @Test(arguments: [
        ("[1,2]", "[2,1]"), ("1", "1.0"), ("{}", "[]"), ("[1]", "[1,1]"), ("[[]]", "[[[]]]"),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1,"b":2}"#, #"{"a":2,"b":1}"#),
        (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":[{"b":1,"c":2}]}"#, #"{"a":[{"c":2,"b":"1"}]}"#),
        ("\"é\"", "\"e\u{301}\""), ("\"1\"", "1"), ("null", "false"), ("[", "[ "), ("", " "),
    ])
    func differentValuesAreNotEqual(first: String, second: String) {
        #expect(!JSONText.equal(first, second))
        #expect(!JSONText.equal(second, first))
        #expect(JSONText.equal(first, first))
    }
}
