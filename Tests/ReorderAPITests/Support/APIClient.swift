import Gunzip

/// Sends requests to a server, in process or over a socket.
protocol APIClient: Sendable {
    func send(_ call: APIRequest) throws -> APIResponse
    /// Opens a stream. It ends when the reader is released.
    func open(_ call: APIRequest) throws -> any EventReader
    /// A client that does not wait for this one's responses.
    func fresh() -> any APIClient
}

/// A request as a client writes it.
struct APIRequest: Sendable {
    var method: String
    /// Path and query.
    var target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
}

/// A response as a client reads it: the body is decompressed.
struct APIResponse: Sendable {
    var status: Int
    var fields: [(name: String, value: String)]
    var body: [UInt8]

    /// Decompresses the body if the response has `Content-Encoding: gzip`.
    mutating func decompress() throws {
        guard self["Content-Encoding"] == "gzip", !body.isEmpty else { return }
        body = try Gunzip.whole(body)
    }

    subscript(name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as JSON; null if it is not JSON.
    var json: JSONValue { (try? JSONValue(json: body)) ?? nil }
    var text: String { String(decoding: body, as: UTF8.self) }
    var code: String? { json["code"]?.string }
}

extension APIClient {
    /// - Parameter json: sent as `application/json`, unless `fields` have another type.
    func send(
        _ method: String, _ target: String, _ json: String? = nil, _ fields: [String: String] = [:]
    ) throws -> APIResponse {
        var call = APIRequest(
            method: method, target: target, fields: fields.map { ($0.key, $0.value) })
        if let json {
            call.body = Array(json.utf8)
            if fields["Content-Type"] == nil {
                call.fields.append(("Content-Type", "application/json"))
            }
        }
        return try send(call)
    }

    /// Opens a stream of a list's events.
    func watch(
        _ list: String, _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> any EventReader {
        try open(
            APIRequest(
                method: "GET", target: "/lists/\(list)/events\(query)",
                fields: fields.map { ($0.key, $0.value) }))
    }

    /// Opens a stream of many lists' events.
    func watchFeed(
        _ query: String = "", _ fields: [String: String] = [:]
    ) throws -> any EventReader {
        try watch(path: "/events\(query)", fields)
    }

    /// Opens a stream; for other responses, only their `answer` is useful.
    func watch(path: String, _ fields: [String: String] = [:]) throws -> any EventReader {
        try open(
            APIRequest(
                method: "GET", target: path, fields: fields.map { ($0.key, $0.value) }))
    }

    func get(_ target: String, _ fields: [String: String] = [:]) throws -> APIResponse {
        try send("GET", target, nil, fields)
    }

    func put(
        _ target: String, _ json: String, _ fields: [String: String] = [:]
    ) throws -> APIResponse {
        try send("PUT", target, json, fields)
    }

    func post(
        _ target: String, _ json: String? = nil, _ fields: [String: String] = [:]
    ) throws -> APIResponse {
        try send("POST", target, json, fields)
    }

    func delete(_ target: String, _ fields: [String: String] = [:]) throws -> APIResponse {
        try send("DELETE", target, nil, fields)
    }
}
