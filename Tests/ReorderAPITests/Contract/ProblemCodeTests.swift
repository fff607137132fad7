import MicroHTTP
import ReorderAuth
import ReorderStore
import Testing

@testable import ReorderAPI

/// Every code of the table occurs in a response over a socket.
@Suite struct ProblemCodeTests {
    private static let overSocket = Setup(transport: .socket, store: .memory)

    @Test(arguments: ProblemCode.allCases)
    func everyCodeOccursInAResponse(code: ProblemCode) throws {
        try withServer(Self.overSocket, tasksPerList: 20, maximumBodyBytes: 4_000) {
            server throws in
            let chain = (2...16).map { "t\($0)<\($0 == 2 ? "a" : "t\($0 - 1)")" }
            try server.make([
                "l": draft(["a"] + chain + ["z"]),
                "brothers": draft(["p", "q<p"], #""moves":"siblings""#),
            ])
            let answer = try meet(code, server)
            #expect(answer.status == code.status)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer.json["type"]?.string == "urn:reorderd:problem:\(code.rawValue)")
            #expect(answer.json["title"]?.string == code.title)
            #expect(answer.json["status"]?.int == code.status)
            #expect(answer.json["detail"]?.string?.isEmpty == false)
            #expect(answer.code == code.rawValue)
            if code == .methodNotAllowed { #expect(answer["Allow"] != nil) }
            if code.status == 503 { #expect(answer["Retry-After"] == "1") }
        }
    }

    /// Without a default case, so that each new code needs a scenario here.
    private func meet(_ code: ProblemCode, _ server: ServerUnderTest) throws -> APIResponse {
        let client = server.client
        func move(_ body: String, in list: String = "l") throws -> APIResponse {
            try client.post("/lists/\(list)/move", body)
        }
        switch code {
        case .badRequest: return try client.get("/lists/%00")
        case .invalidJSON: return try client.put("/lists/n", #"{"title":"a","title":"b"}"#)
        case .unauthorized, .forbidden:
            return try self.answer(access: TestTokens.control()) { client throws in
                let token = code == .forbidden ? TestTokens.field("read") : [:]
                return try client.post("/lists", "{}", token)
            }
        case .listNotFound: return try client.get("/lists/none")
        case .taskNotFound: return try move(#"{"task":"none","position":0}"#)
        case .sectionNotFound: return try client.delete("/lists/l/sections/none")
        case .dragNotFound: return try client.delete("/drags/none")
        case .webhookNotFound: return try client.get("/webhooks/none")
        case .notFound: return try client.get("/none")
        case .methodNotAllowed: return try client.delete("/lists")
        case .cycle: return try move(#"{"task":"a","parent":"t2"}"#)
        case .locked:
            _ = try client.send("PATCH", "/tasks/z", #"{"locked":true}"#)
            return try move(#"{"task":"z","position":0}"#)
        case .notSiblings: return try move(#"{"task":"q","section":null}"#, in: "brothers")
        case .depthLimit: return try move(#"{"task":"z","parent":"t16"}"#)
        case .maxDepth, .sectionFull, .parentFull:
            let limits = #"{"maxDepth":2,"maxTasksPerSection":1,"tasksPerParent":1}"#
            _ = try client.send("PATCH", "/lists/l", limits)
            _ = try client.post("/lists/l/sections", #"{"id":"s","title":"s"}"#)
            _ = try client.post("/lists/l/tasks", #"{"title":"n","section":"s"}"#)
            if code == .maxDepth { return try move(#"{"task":"z","parent":"t2"}"#) }
            return try move(
                code == .sectionFull
                    ? #"{"task":"z","section":"s"}"# : #"{"task":"z","parent":"a"}"#)
        case .levelNotPossible: return try move(#"{"task":"z","toRow":0,"level":1}"#)
        case .anchorGone: return try move(#"{"task":"z","after":"none"}"#)
        case .idTaken: return try client.post("/lists", #"{"id":"l","title":""}"#)
        case .listFull:
            let tasks = (0..<21).map { "n\($0)" }
            return try client.put("/lists/n", draft(tasks))
        case .dragLimit:
            for _ in 0..<100 { _ = try client.post("/lists/l/drags", #"{"task":"a"}"#) }
            return try client.post("/lists/l/drags", #"{"task":"a"}"#)
        case .noAccessControl: return try client.get("/tokens")
        case .tokenNotFound:
            return try self.answer(access: TestTokens.control()) { client throws in
                try client.delete("/tokens/none", TestTokens.field("admin"))
            }
        case .tokenLimit:
            return try self.answer(access: TestTokens.control(), tokenLimit: 0) { client throws in
                try client.post(
                    "/tokens", #"{"name":"x","grants":[{"scope":"read"}]}"#,
                    TestTokens.field("admin"))
            }
        case .shareNotFound:
            return try self.answer(access: TestTokens.control()) { client throws in
                try client.delete("/lists/l/shares/none", TestTokens.field("admin"))
            }
        case .shareLimit:
            return try self.answer(access: TestTokens.control(), tokenLimit: 0) { client throws in
                try client.post(
                    "/lists/l/shares", #"{"scope":"read"}"#, TestTokens.field("admin"))
            }
        case .webhookLimit:
            let body = #"{"url":"https://example.org"}"#
            for _ in 0..<50 { _ = try client.post("/webhooks", body) }
            return try client.post("/webhooks", body)
        case .eventNotFailing:
            let new = try client.post("/webhooks", #"{"url":"https://example.org"}"#)
            let id = try #require(new.json["id"]?.string)
            return try client.post("/webhooks/\(id)/skip", #"{"event":"p1"}"#)
        case .orderLimit:
            for number in 0..<100 { _ = try client.put("/lists/o\(number)", draft([])) }
            return try client.get("/tasks?order=data.due")
        case .undoConflict: return try client.post("/lists/l/undo", #"{"version":1}"#)
        case .historyGone: return try client.get("/lists/l/changes?since=\(versionToken(7))")
        case .requestInProgress:
            var answer: APIResponse?
            try withServer(Self.overSocket) { other throws in
                try other.make(["l": draft([])])
                answer = try other.inProgress()
            }
            return try #require(answer)
        case .keyReused:
            let key = ["Idempotency-Key": "k"]
            _ = try client.send("PATCH", "/lists/l", #"{"title":"x"}"#, key)
            return try client.send("PATCH", "/lists/l", #"{"title":"y"}"#, key)
        case .versionMismatch: return try client.delete("/lists/l", ["If-Match": entityTag(7)])
        case .requestTimeout: return try OneLoopServer.tooLate()
        case .bodyTooLarge:
            return try client.post("/lists", String(repeating: " ", count: 4_001))
        case .unsupportedMediaType:
            return try client.post("/lists", "title: x", ["Content-Type": "application/yaml"])
        case .misdirectedRequest:
            return try self.answer(isLocal: true) { client throws in
                try client.get("/lists", ["Host": "lists.example"])
            }
        case .invalidBody: return try client.post("/lists", #"{"titel":"x"}"#)
        case .invalidQuery: return try client.get("/lists?limit=0")
        case .preconditionRequired: return try client.put("/lists/l", #"{"title":"x"}"#)
        case .rateLimited: return try OneLoopServer.tooOften()
        case .internalError:
            server.memory.fail(.corrupt(place: "lists", reason: "a secret of the inside"))
            defer { server.memory.fail(nil) }
            let answer = try client.get("/lists/cold")
            #expect(!answer.text.contains("secret"))
            return answer
        case .unavailable, .outcomeUnknown:
            let reason = "a secret of the inside"
            server.memory.fail(
                code == .unavailable ? .unavailable(reason: reason) : .unknown(reason: reason))
            defer { server.memory.fail(nil) }
            let answer = try move(#"{"task":"z","position":0}"#)
            #expect(!answer.text.contains("secret"))
            return answer
        }
    }

    /// The response of another server.
    private func answer(
        access: AccessControl? = nil, tokenLimit: Int = 10_000, isLocal: Bool = false,
        _ ask: (any APIClient) throws -> APIResponse
    ) throws -> APIResponse {
        var answer: APIResponse?
        try withServer(
            Self.overSocket, access: access, tokenLimit: tokenLimit, isLocal: isLocal
        ) {
            answer = try ask($0.client)
        }
        return try #require(answer)
    }
}
