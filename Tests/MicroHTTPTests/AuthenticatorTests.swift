import RawHTTP
import Synchronization
import Testing

@testable import MicroHTTP

final class Visitor: Principal {
    let principalName: String?
    var displayName: String? { principalName }
    init(_ name: String?) { principalName = name }
}

@Suite struct AuthenticatorTests {
    /// Takes the principal from a header field, and refuses the principal "nobody". Counts its
    /// calls.
    private func router(_ calls: Counter, isReady: Bool) -> Router {
        let router = Router()
        router.authenticate = { request in
            calls.count.add(1, ordering: .relaxed)
            guard let name = request.headers["Name"] else { return nil }
            guard name != "nobody" else { return Response(status: 403, body: Array("no".utf8)) }
            request.principal = Visitor(name == "stranger" ? nil : name)
            return nil
        }
        let name: @Sendable (Request) -> Response = {
            .text($0.principal?.principalName ?? "somebody")
        }
        router.on(.get, "/") { request, responder in responder.respond(name(request)) }
        if isReady { router.onCached("/") { PreparedResponse(name($0)) } }
        router.on(.post, "/") { request, responder in responder.respond(name(request)) }
        return router
    }

    private final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    @Test(arguments: [false, true])
    func authenticationRunsOnceForEachRequestAndFirst(isReady: Bool) throws {
        let calls = Counter()
        let router = router(calls, isReady: isReady)
        for (name, text) in [(nil, "somebody"), ("Ann", "Ann"), ("nobody", "no")] {
            let fields: HeaderFields = name.map { ["Name": $0] } ?? [:]
            let response = router.respond(
                to: Request(method: .get, target: "/", headers: fields))
            #expect(String(decoding: response.body, as: UTF8.self) == text)
        }
        #expect(calls.count.load(ordering: .relaxed) == 3)
        try withServer(router) { port, _ throws in
            // On one connection, which a refusal leaves open.
            let client = try RawClient(port: port)
            for (name, text) in [("nobody", "no"), ("Ann", "Ann"), ("nobody", "no")] {
                for method in ["GET", "POST"] {
                    client.send(
                        "\(method) / HTTP/1.1\r\nHost: x\r\nName: \(name)\r\n"
                            + "Content-Length: 0\r\n\r\n")
                    #expect(try client.readAnswer().body == text)
                }
            }
        }
        #expect(calls.count.load(ordering: .relaxed) == 9)
    }

    @Test func bodiesOfUnauthenticatedRequestsAreDiscarded() throws {
        let router = router(Counter(), isReady: false)
        router.on(.put, "/") { request, responder in
            responder.respond(.text("\(request.body.count)"))
        }
        try withServer(router) { port, _ in
            let client = try RawClient(port: port)
            for (name, text) in [("Ann", "5"), ("stranger", "0"), ("nobody", "no"), ("Ann", "5")] {
                client.send(
                    "PUT / HTTP/1.1\r\nHost: x\r\nName: \(name)\r\nContent-Length: 5\r\n\r\nabcde")
                #expect(try client.readAnswer().body == text)
            }
        }
    }

    @Test func loopbackIsRecognizedByNameAndAddress() {
        for host in [
            "localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.255.255.254", "::1", "[::1]",
        ] {
            #expect(Loopback.contains(host: host), "\(host)")
        }
        for host in [
            "", "localhost.", "localhost.example", "xlocalhost", "128.0.0.1", "127.0.0",
            "127.0.0.1.",
            "127.0.0.256", "127.0.0.0001", "127.0.0.-1", "0.0.0.0", "::", "[::]", "::2", "0:0::1",
        ] {
            #expect(!Loopback.contains(host: host), "\(host)")
        }
        for authority in [
            "localhost", "localhost:1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "127.0.0.9:1",
        ] {
            #expect(Loopback.contains(authority: authority), "\(authority)")
        }
        for authority in [
            "", ":80", "localhost:x", "127.0.0.1:80.example", "example:80", "[::2]:80", "::1:80",
            "127.0.0.1:80:80",
        ] {
            #expect(!Loopback.contains(authority: authority), "\(authority)")
        }
    }
}
