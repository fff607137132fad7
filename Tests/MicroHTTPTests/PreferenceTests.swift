import Testing

@testable import MicroHTTP

@Suite struct PreferenceTests {
    @Test(
        arguments: [
            (["return=minimal"], "minimal"),
            (["ReTuRn=minimal"], "minimal"),
            ([" return = minimal "], "minimal"),
            (["return=\"minimal\""], "minimal"),
            (["return=\"mini\\m\\\"al\""], "minim\"al"),
            (["return=minimal; foo=bar"], "minimal"),
            (["respond-async, wait=10, return=minimal"], "minimal"),
            (["respond-async", "return=minimal"], "minimal"),
            (["return=representation, return=minimal"], "representation"),
            (["return=representation", "return=minimal"], "representation"),
            (["foo=\"a, return=minimal\", return=representation"], "representation"),
            (["foo=\"a\\\", return=minimal\", return=representation"], "representation"),
            (["foo; return=minimal"], nil),
            (["foo=\"not closed, return=minimal"], nil),
            (["foo=\"not closed", "return=minimal"], "minimal"),
            ([",, ,return=minimal,"], "minimal"),
            (["return"], ""), (["return="], ""), (["return=\"\""], ""), (["return=\""], "\""),
            (["returns=minimal"], nil), (["x-return=minimal"], nil), ([""], nil), ([], nil),
        ] as [([String], String?)])
    func theFirstPreferenceOfANameCounts(fields: [String], value: String?) {
        var headers: HeaderFields = [:]
        for field in fields { headers.add("Prefer", field) }
        let request = Request(method: .post, target: "/", headers: headers)
        #expect(request.preference("return") == value)
    }
}
