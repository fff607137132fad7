import Testing

@testable import MicroHTTP

@Suite struct RequestTests {
    @Test func queryPairsAreDecodedAndRepeatedNamesKept() {
        let query = Request(method: .get, target: "/?a=1&b=x%20y+z&a=2&flag&=v&e=%C3%A9=").query
        #expect(query.raw == "a=1&b=x%20y+z&a=2&flag&=v&e=%C3%A9=")
        #expect(query.pairs.map(\.name) == ["a", "b", "a", "flag", "", "e"])
        #expect(query.pairs.map(\.value) == ["1", "x y z", "2", "", "v", "é="])
        #expect(query["a"] == "1")
        #expect(query["none"] == nil)
    }

    @Test func malformedEscapesInQueriesStayUnchangedAndAreNoted() {
        let query = Request(method: .get, target: "/?o=%C3%A9&a=%zz&b=%&c=100%&d=%ff").query
        #expect(query.pairs.map(\.value) == ["\u{E9}", "%zz", "%", "100%", "\u{FFFD}"])
        #expect(query.malformedName == "a")
    }

    @Test(arguments: ["/?%zz=1", "/?%zz", "/?%ff=1", "/?x=1%C3", "/?x=%+2", "/?x=%C3=%A9"])
    func malformedNamesAndValuesAreNoted(target: String) {
        #expect(Request(method: .get, target: target).query.malformedName != nil)
    }

    @Test func aTargetWithoutAQueryHasNoParameters() {
        #expect(Request(method: .get, target: "/a").query.raw.isEmpty)
        #expect(Request(method: .get, target: "/a?").query.pairs.isEmpty)
        #expect(Request(method: .get, target: "/a?").rawPath == "/a")
        #expect(Request(method: .get, target: "/a?b?c").query.raw == "b?c")
    }

    @Test func headerNamesIgnoreCaseAndRepeatedFieldsAreKept() {
        var fields: HeaderFields = ["If-None-Match": "\"1\"", "Empty": ""]
        fields.add("if-none-match", "\"2\"")
        let headers = Request(method: .get, target: "/", headers: fields).headers
        #expect(headers["IF-NONE-MATCH"] == "\"1\"")
        #expect(headers.all("If-None-Match") == ["\"1\"", "\"2\""])
        #expect(headers["Empty"] == "")
        #expect(headers["If-None-Matcx"] == nil)
        #expect(headers.fields.map(\.name) == ["If-None-Match", "Empty", "if-none-match"])
    }

    @Test func aHeadIsReadIntoTheMemoryOfThePreviousOne() throws {
        let previous: HeaderFields = ["Host": "a host that needs more memory than the next head"]
        var head = Request(method: .get, target: "/", headers: previous).headers
        let memory = head.bytes.withUnsafeBufferPointer { $0.baseAddress }
        head.removeAll()
        var text = "GET\0/\0HTTP/1.1\0\n".utf8CString
        try text.withUnsafeMutableBufferPointer { text in
            let start = try #require(text.baseAddress)
            let parts = MaskedQuery(hiding: start + 4).reveal(in: start + 4)
            let validator = RequestValidator(
                RequestLine(method: start, target: start + 4, version: start + 6), parts,
                headerSize: text.count - 1, head: head.take())
            let bytes = validator.head.bytes
            #expect(bytes.starts(with: Array("GET".utf8)))
            #expect(bytes.withUnsafeBufferPointer { $0.baseAddress } == memory)
        }
    }

    @Test func aRequestFindsNothingInTheMemoryOfThePreviousOne() {
        var memory = Request.Memory()
        var previous = Request(
            method: .put, target: "/lists/a?query=b", headers: ["Host": "c"], body: [1, 2, 3])
        let body = previous.body.withUnsafeBufferPointer { $0.baseAddress }
        previous.giveBack(&memory)
        var next = Request(from: nil, at: 0)
        next.use(&memory)
        #expect(next.rawPath.isEmpty)
        #expect(next.headers.query.isEmpty)
        #expect(next.headers.queryRange == nil)
        #expect(next.headers.fields.isEmpty)
        #expect(!next.headers.contains("host"))
        #expect(next.body.isEmpty)
        next.body.append(4)
        #expect(next.body.withUnsafeBufferPointer { $0.baseAddress } == body)
    }

    @Test func responseHeadersReplaceAndAdd() {
        var response = Response(status: 200, headers: ["ETag": "1"])
        response.headers["etag"] = "2"
        response.headers.add("Link", "a")
        response.headers.add("Link", "b")
        #expect(response.headers.fields.map(\.value) == ["2", "a", "b"])
        response.headers["link"] = nil
        #expect(response.headers.fields.count == 1)
    }

    @Test func aPreparedResponseHasTheSameFieldsAndBody() throws {
        let original = Response(status: 203, headers: ["ETag": "\"7\""], body: Array("seven".utf8))
        let prepared = try #require(PreparedResponse(original))
        #expect(prepared.bodyCount == 5)
        var copy = Response(prepared)
        #expect(copy.status == 203)
        #expect(copy.body == Array("seven".utf8))
        copy.headers["Idempotent-Replay"] = "true"
        #expect(copy.body == Array("seven".utf8))
        #expect(copy.headers["ETag"] == "\"7\"")
        #expect(prepared.headers["Idempotent-Replay"] == nil)
    }
}
