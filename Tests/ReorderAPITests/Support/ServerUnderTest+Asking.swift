import Dispatch
import Testing

extension ServerUnderTest {
    /// The list's document, byte for byte; the problem's where there is no such list.
    func document(_ list: String) throws -> String {
        try client.get("/lists/\(list)").text
    }

    /// Makes lists of bodies, which must be taken.
    func make(
        _ lists: [String: String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for (id, body) in lists.sorted(by: { $0.key < $1.key }) {
            let answer = try client.put("/lists/\(id)", body)
            try #require(answer.status == 201, "\(answer.text)", sourceLocation: sourceLocation)
        }
    }

    /// Sends what must be refused, and sees that the lists are byte for byte what they were.
    @discardableResult
    func refused(
        _ status: Int, _ code: String, _ method: String, _ target: String, _ json: String? = nil,
        _ fields: [String: String] = [:], keeping lists: [String] = ["l"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> APIAnswer {
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

    /// What a request is answered while another with its key is being done. Needs the memory store.
    func inProgress() throws -> APIAnswer {
        let pause = memory.pauseAppend()
        let (other, done) = (try anotherClient(), DispatchSemaphore(value: 0))
        let fields = ["Idempotency-Key": "slow"]
        DispatchQueue.global().async {
            _ = try? other.send("PATCH", "/lists/l", #"{"title":"x"}"#, fields)
            done.signal()
        }
        defer {
            pause.resume()
            done.wait()
        }
        #expect(pause.wait())
        return try client.send("PATCH", "/lists/l", #"{"title":"x"}"#, fields)
    }

    /// The ids of a list's tasks in order.
    func order(_ list: String = "l") throws -> [String] {
        let tasks = try client.get("/lists/\(list)").json["tasks"]?.array ?? []
        return tasks.compactMap { $0["id"]?.string }
    }
}

/// A list's body from tasks written `id`, `id<parent` or `id@section`.
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

extension ServerUnderTest {
    /// Makes the list `l`, whose first changes are no longer kept, and tells its version.
    func makeListThatForgot() throws -> Int {
        try make(["l": draft(["a"])])
        // Large ones, so that snapshots come after the first.
        let data = String(repeating: "x", count: 8_000)
        for number in 2...20 {
            let body = #"{"data":{"text":"\#(number)\#(data)"}}"#
            _ = try client.send("PATCH", "/tasks/a", body)
        }
        try forgetHistory()
        return 20
    }
}
