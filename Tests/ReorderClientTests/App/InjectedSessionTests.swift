import Foundation
import Testing

@testable import ReorderClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A store with a URL session of the app.
@MainActor @Suite struct InjectedSessionTests {
    /// Answers every request with the list's document.
    private final class OneList: URLProtocol {
        override static func canInit(with request: URLRequest) -> Bool { true }
        override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        override func startLoading() {
            let document = #"{"id":"l","title":"Injected","version":1,"tasks":[]}"#
            guard let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { return }
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
            client?.urlProtocol(self, didLoad: Data(document.utf8))
            client?.urlProtocolDidFinishLoading(self)
        }

        override func stopLoading() {}
    }

    @Test func requestsUseTheConfigurationOfTheSession() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [OneList.self]
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = ReorderStore(
            server: try #require(URL(string: "http://unknown.invalid")), account: "anna",
            storage: folder, urlSession: URLSession(configuration: configuration))
        let list = store.list("l")
        try await eventually { list.title == "Injected" }
        try store.signOut()
    }
}
