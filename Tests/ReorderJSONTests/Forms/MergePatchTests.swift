import ReorderJSON
import Testing

/// Merge patches, with the examples of RFC 7396, appendix A.
@Suite struct MergePatchTests {
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        (nil, #"{"a":1,"b":null}"#, #"{"a":1}"#),
        // Members keep their places, and new ones are last.
        (#"{"a":1,"b":2,"c":3,"d":4}"#, #"{"e":5,"c":0,"a":null}"#, #"{"b":2,"c":0,"d":4,"e":5}"#),
        // Names are compared by bytes.
        (
            "{\"é\":1,\"e\u{301}\":2}", "{\"e\u{301}\":null,\"\u{65}\":3}", "{\"é\":1,\"e\":3}"
        ),
    ])
    func aPatchIsMerged(data: String?, patch: String, result: String) throws {
        #expect(Array(try MergePatch.apply(patch, to: data).utf8) == Array(result.utf8))
    }
}
