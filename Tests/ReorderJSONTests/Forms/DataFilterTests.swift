import Testing

@testable import ReorderJSON

/// Conditions for the `data` of tasks.
@Suite struct DataFilterTests {
    private func matches(_ filter: String, _ data: String?) throws -> Bool {
        let filter = try DataFilter(filter)
        guard var data else { return filter.matches(nil) }
        return data.withUTF8 { filter.matches($0) }
    }

    @Test(arguments: [
        // Numbers, without loss.
        ("data.n=1", #"{"n":1.0}"#), ("data.n=10e-1", #"{"n":1}"#), ("data.n=0", #"{"n":-0.0}"#),
        ("data.n<9007199254740993", #"{"n":9007199254740992}"#),
        ("data.n>0.30000000000000000", #"{"n":0.30000000000000004}"#),
        ("data.n<-2", #"{"n":-10}"#), ("data.n<=-2", #"{"n":-2}"#), ("data.n>-2", #"{"n":-1.9}"#),
        ("data.n>=10", #"{"n":1e1}"#), ("data.n<1e-5", #"{"n":0.000009}"#),
        ("data.n<0", #"{"n":-1e-300}"#), ("data.n>12", #"{"n":120}"#),
        // Strings, by code points.
        ("data.due<2026-12-01", #"{"due":"2026-11-30"}"#),
        ("data.due>=2026-12-01", #"{"due":"2026-12-01"}"#),
        ("data.s<é", #"{"s":"z"}"#), ("data.s<\u{1F600}", "{\"s\":\"\u{FFFD}\"}"),
        ("data.s=a\"b", #"{"s":"a\"b"}"#), (#"data.s="a\u0062\n""#, #"{"s":"ab\n"}"#),
        ("data.s=", #"{"s":""}"#), ("data.s=007", #"{"s":"007"}"#), (#"data.s="7""#, #"{"s":"7"}"#),
        (#"data.s=" 7""#, #"{"s":" 7"}"#), ("data.s=a=b", #"{"s":"a=b"}"#),
        (#"data.s="a|b""#, #"{"s":"a|b"}"#), ("data.s=a b, c & d", #"{"s":"a b, c & d"}"#),
        ("data.s=e\u{301}", "{\"s\":\"e\u{301}\"}"), ("data.s!=é", "{\"s\":\"e\u{301}\"}"),
        // Other values.
        ("data.b=true", #"{"b":true}"#), ("data.b<true", #"{"b":false}"#),
        ("data.b=null", #"{"b":null}"#), ("data=red", #""red""#), ("data>1", "2"),
        // Missing members, and other types.
        ("data.b", #"{"b":null}"#), ("!data.b", #"{"c":{"b":1}}"#), ("!data.b", nil),
        ("data", "0"), ("!data", nil), ("data.b!=1", nil), ("data.b!=1", #"{"b":"1"}"#),
        ("data.b!=1", #"{"b":{}}"#),
        // Paths.
        ("data.a.b=1", #"{"x":{"b":2},"a":{"c":[{"b":2}],"b":1}}"#), ("data.ü=1", #"{"ü":1}"#),
        (#"data."a.b"=1"#, #"{"a":{"b":2},"a.b":1}"#), (#"data."\u0041\"".b"#, #"{"A\"":{"b":1}}"#),
        (#"data."due date""#, #"{"due date":1}"#), ("data.a_b-2", #"{"a_b-2":1}"#),
        // Arrays.
        ("data.l=red", #"{"l":[1,"blue",["red"],"red"]}"#), ("data.l>2", #"{"l":[1,3]}"#),
        ("data.l!=red", #"{"l":[["red"],{"a":"red"}]}"#), ("data.l!=red", #"{"l":[]}"#),
        ("data.l", #"{"l":[]}"#),
    ])
    func aConditionIsTrue(filter: String, data: String?) throws {
        #expect(try matches(filter, data))
    }

    @Test(arguments: [
        ("data.n=1", #"{"n":"1"}"#), ("data.n<9007199254740993", #"{"n":9007199254740993}"#),
        ("data.n>-2", #"{"n":-2.1}"#), ("data.n<10", #"{"n":10}"#), ("data.n>1", #"{"n":true}"#),
        (#"data.n="1""#, #"{"n":1}"#), ("data.due<2026-12-01", #"{"due":20261101}"#),
        ("data.due<2026-12-01", nil), ("data.b=null", "{}"), ("data.b=false", #"{"b":null}"#),
        ("data.b", #"{"B":1}"#), ("data.b", "[1]"), ("data.a.b", #"{"a":[{"b":1}]}"#),
        ("data.a.b", #"{"a.b":1}"#), ("!data.b", #"{"b":null}"#), ("!data", "0"),
        ("data.b!=1", #"{"b":1.0}"#), ("data.l=red", #"{"l":[["red"]]}"#),
        ("data.l!=red", #"{"l":["blue","red"]}"#), ("data.l={}", #"{"l":{}}"#), ("data", nil),
        ("data.s=é", "{\"s\":\"e\u{301}\"}"),
    ])
    func aConditionIsFalse(filter: String, data: String?) throws {
        #expect(try !matches(filter, data))
    }

    @Test(arguments: [
        "", "due", "data.", "data..a", "date.due", "datadue", "data.a.", "!", "!data.a=1",
        "!data.a<",
        "data.a!", "data.a!1", "=1", #"data."a"#, #"data."a\"#, #"data."a\q""#, #"data.a"b""#,
        #"data.a="b"#, #"data.a=""b"#, #"data.a="\"#, "data.a=1e999", " data.a",
        // The syntax of other languages.
        "data.n==1", "data.n===1", "data.n<>1", "data.n=>1", "data.n=<1", "data.n=!1", "data.n=~a",
        "data.n =1", "data.n= 1", "data.n = 1", "data.n <1", "data.n=1 ", "data.n=a|b",
        "data.n|data.m",
        "data.n||data.m", "data.n,data.m", "data.n:1", "data.n~1", "data.n[0]", "data.n is null",
        "data.n eq 1", "data.n='a'", "data.n ", "! data.n", "data. n", "data.$n", "data.n>=>1",
        "data.n!==1", "data.n(1)",
    ])
    func otherTextsAreRefused(filter: String) {
        #expect(throws: DataQueryError.self) { try DataFilter(filter) }
    }

    @Test func namesOfLettersDigitsAndHyphensNeedNoQuotes() throws {
        let plain = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
        for byte in UInt8.min..<0x80 where byte != UInt8(ascii: ".") {
            let text = "data.a\(Unicode.Scalar(byte))"
            let isPlain = plain.utf8.contains(byte)
            #expect(((try? DataPath(text)) != nil) == isPlain, "\(text)")
        }
        #expect(try DataPath("data.é").bytes == Array(#""é""#.utf8))
    }
}
