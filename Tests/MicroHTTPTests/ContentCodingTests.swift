import Testing

@testable import MicroHTTP

@Suite struct ContentCodingTests {
    private func coding(_ fields: String...) -> ContentCoding {
        var headers = HeaderFields()
        for field in fields { headers.add("Accept-Encoding", field) }
        return RequestHead(target: "/", headers: headers).acceptedCoding
    }

    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8, *;q=0.1", "*",
        "gzip;q=0.001", "gzip ; Q=1", " \tgzip\t", "identity;q=0.5, gzip", "gzip, identity",
        "identity;q=0", "*;q=0.5", "deflate, *", "gzip;q=0.5, identity;q=0.5", "gzip;q=1.000",
        "gzip;q=0, x-gzip", ",, gzip ,", "gzip, *;q=0",
    ])
    func gzipIsChosen(field: String) {
        // `identity;q=0` alone does not name a coding that may be used.
        #expect(coding(field) == (field == "identity;q=0" ? .identity : .gzip), "\(field)")
    }

    @Test(arguments: [
        "", "identity", "br", "deflate, br;q=1", "gzip;q=0", "gzip;q=0.000", "*;q=0",
        "gzip;q=0.5, identity", "gzip;q=0.4, identity;q=0.5", "gzip;q=0, *", "gzipped",
        "gzip;q=", "gzip;q=2", "gzip;q=0.1234", "gzip;q=a", "gzip;level=9", "gzip;q=1.001",
        "gzip;q=-1", "gzip;", "g zip", "gzip q=1", "*;q=0, identity",
    ])
    func theIdentityFormIsChosen(field: String) {
        #expect(coding(field) == .identity, "\(field)")
    }

    @Test func allFieldsCount() {
        #expect(coding() == .identity)
        #expect(coding("br", "gzip") == .gzip)
        #expect(coding("gzip;q=0.5", "identity") == .identity)
    }

    private func coding(ofTag tag: String) -> ContentCoding {
        Array(tag.utf8).withUnsafeBufferPointer { ContentCoding(ofTag: $0) }
    }

    @Test func eachCodingHasItsTag() {
        #expect(ContentCoding.identity.tag("\"7\"") == "\"7\"")
        #expect(ContentCoding.gzip.tag("\"7@l\"") == "\"7@l+gzip\"")
        for tag in ["\"7\"", "\"7-0123456789ab@l-gzip\"", "*", "W/\"7\"", "gzip\"", "\"\""] {
            #expect(coding(ofTag: tag) == .identity)
            #expect(ContentCoding.identityTag(tag[...]) == tag)
        }
        for tag in ["\"7+gzip\"", "W/\"7+gzip\""] {
            #expect(coding(ofTag: tag) == .gzip)
            #expect(ContentCoding.identityTag(tag[...]) == tag.replacing("+gzip", with: ""))
        }
    }

    @Test(arguments: [
        ("", false), ("Identity", false), ("gzip", true), ("br", true), ("identity, gzip", true),
    ])
    func aBodyHasNoCodingButIdentity(field: String, isCoded: Bool) {
        let head = RequestHead(target: "/", headers: ["Content-Encoding": field])
        #expect(head.hasCodedBody == isCoded)
        let both: HeaderFields = ["Content-Encoding": field, "content-encoding": "gzip"]
        #expect(RequestHead(target: "/", headers: both).hasCodedBody)
        #expect(!RequestHead(target: "/", headers: [:]).hasCodedBody)
    }
}
