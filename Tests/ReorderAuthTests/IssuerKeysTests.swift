import ReorderAuth
import Testing

/// The documents of an issuer, without a network.
@Suite struct IssuerKeysTests {
    private static let discovery = "https://login.example/.well-known/openid-configuration"
    private static let documents = [
        discovery: #"{"issuer":"https://login.example","jwks_uri":"https://keys.example/set"}"#,
        "https://keys.example/set": """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"a",
        "x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
        """,
        "https://plain.example/": #"{"issuer":"x","jwks_uri":"http://keys.example/set"}"#,
        "https://secret.example/": """
        {"keys":[{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]}
        """,
        "https://other.example/": #"{"keys":1}"#,
    ]

    private struct Missing: Error {}

    private func count(_ url: String, _ issuers: [String] = []) throws -> Int {
        try IssuerKeys(url: url, issuers: issuers) { url throws in
            guard let text = Self.documents[url] else { throw Missing() }
            return Array(text.utf8)
        }.current().count
    }

    @Test func theDiscoveryDocumentSaysWhereTheKeysAre() throws {
        #expect(try count("https://keys.example/set") == 1)
        #expect(try count(Self.discovery) == 1)
        #expect(try count(Self.discovery, ["https://login.example", "x"]) == 1)
    }

    @Test func otherDocumentsAreRefused() {
        #expect(throws: IssuerKeys.Fault.self) { try count(Self.discovery, ["https://other"]) }
        #expect(throws: IssuerKeys.Fault.self) { try count("https://plain.example/") }
        #expect(throws: IssuerKeys.Fault.self) { try count("https://secret.example/") }
        #expect(throws: JSONWebKeys.FormatError.self) { try count("https://other.example/") }
        #expect(throws: Missing.self) { try count("https://none.example/") }
    }
}
