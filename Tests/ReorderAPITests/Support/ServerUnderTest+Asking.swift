import Testing

extension ServerUnderTest {
    /// A client whose requests are not compared with the contract, for many requests of one kind.
    var uncheckedClient: any APIClient { (client as? CheckedClient)?.client ?? client }

    /// The list's document, byte for byte; the problem document if the list does not exist.
    func document(_ list: String) throws -> String {
        try client.get("/lists/\(list)").text
    }

    /// Creates lists from bodies that must be accepted.
    func make(
        _ lists: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (id, body) in lists.sorted(by: { $0.key < $1.key }) {
            let answer = try client.put("/lists/\(id)", body)
            try #require(answer.status == 201, "\(answer.text)", sourceLocation: sourceLocation)
        }
    }

    /// Sends a request that must be refused, and checks that the lists are unchanged byte for byte.
    @discardableResult
    func refused(
        _ status: Int, _ code: String, _ method: String, _ target: String, _ json: String? = nil,
        _ fields: [String: String] = [:], keeping lists: [String] = ["l"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> APIResponse {
        let before = try lists.map { try document($0) }
        let answer = try client.send(method, target, json, fields)
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.code == code, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.json["status"]?.int == status, sourceLocation: sourceLocation)
        #expect(
            answer["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
        let after = try lists.map { try document($0) }
        #expect(after == before, sourceLocation: sourceLocation)
        return answer
    }

    /// Replaces the list `l` with one that takes an append of its own, because it is large. A small
    /// request would wait until the append of the other one has ended, and replay its response.
    static func putLarge(_ client: any APIClient) throws -> APIResponse {
        let tasks = (0..<3_000).map { "large\($0)" }
        return try client.send(
            "PUT", "/lists/l", draft(tasks), ["Idempotency-Key": "slow", "If-Match": "*"])
    }

    /// The response to a request while another one with the same key is in progress. Needs the
    /// memory store.
    func inProgress() throws -> APIResponse {
        let pause = memory.pauseAppend()
        let other = try anotherClient()
        let first = Pending { try Self.putLarge(other) }
        try pause.wait()
        let answer = try Self.putLarge(client)
        pause.resume()
        #expect(try first.get().status == 200)
        return answer
    }

    /// The ids of a list's tasks, in order.
    func order(_ list: String = "l") throws -> [String] {
        let tasks = try client.get("/lists/\(list)").json["tasks"]?.array ?? []
        return tasks.compactMap { $0["id"]?.string }
    }
}

/// A list's body from tasks in the form `id`, `id<parent` or `id@section`.
func draft(_ tasks: [String] = [], _ members: String = "") -> String {
    let sections = Set(tasks.compactMap { $0.split(separator: "@").dropFirst().first }).sorted()
    let entries = tasks.map { text in
        let parts = text.split(whereSeparator: { "<@".contains($0) })
        var entry = #"{"id":"\#(parts[0])","title":"\#(parts[0])""#
        if text.contains("<") { entry += #","parent":"\#(parts[1])""# }
        if text.contains("@") { entry += #","section":"\#(parts[1])""# }
        return entry + "}"
    }
    return """
        {"title":"List",\(members.isEmpty ? "" : members + ",")\
        "sections":[\(sections.map { #"{"id":"\#($0)","title":"\#($0)"}"# }.joined(separator: ","))],\
        "tasks":[\(entries.joined(separator: ","))]}
        """
}

/// Tasks for `draft`, each of which is a subtask of the one before.
func chain(_ prefix: String, _ levels: Int) -> [String] {
    (1...levels).map { "\(prefix)\($0)" + ($0 > 1 ? "<\(prefix)\($0 - 1)" : "") }
}

extension ServerUnderTest {
    /// Creates the list `l`, prunes its first changes, and returns its version.
    func makeListWithPrunedHistory() throws -> Int {
        try make(["l": draft(["a"])])
        // Large changes, so that snapshots are made after the first.
        let data = String(repeating: "x", count: 8_000)
        for number in 2...20 {
            let body = #"{"data":{"text":"\#(number)\#(data)"}}"#
            _ = try client.send("PATCH", "/tasks/a", body)
        }
        try pruneHistory()
        return 20
    }
}
