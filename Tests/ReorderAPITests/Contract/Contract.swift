import Foundation
import MicroHTTP
import Testing
import WebPage
import Yams

@testable import ReorderAPI

/// The file `openapi.yaml`, as the server returns it.
struct Contract: Sendable {
    let root: JSONValue
    /// Paths with fewer parameters come first: `/client/1/{file}` takes precedence over
    /// `/client/{build}/{file}`.
    let operations: [Operation]
    let patterns: [String: Pattern]

    struct Operation: Sendable {
        var method: String
        /// As in the file: `/lists/{list}/move`.
        var path: String
        var object: JSONValue
        var id: String { object["operationId"]?.string ?? "" }
        var parameterCount: Int { path.count { $0 == "{" } }
    }

    /// `@unchecked Sendable`: a regular expression is immutable after its creation.
    struct Pattern: @unchecked Sendable {
        var expression: NSRegularExpression
    }

    static let embedded = Result { try Contract() }

    init() throws {
        let text = String(decoding: EmbeddedFiles.contract, as: UTF8.self)
        root = JSONValue(any: try Yams.load(yaml: text) ?? NSNull())
        operations = (root["paths"]?.object ?? [:]).flatMap { path, item in
            item.object.compactMap { method, object in
                method == "parameters"
                    ? nil : Operation(method: method.uppercased(), path: path, object: object)
            }
        }
        .sorted { $0.parameterCount < $1.parameterCount }
        var patterns: [String: Pattern] = [:]
        for schema in (root["components"]?["schemas"]?.object ?? [:]).values {
            if let pattern = schema["pattern"]?.string {
                patterns[pattern] = Pattern(expression: try NSRegularExpression(pattern: pattern))
            }
        }
        self.patterns = patterns
    }

    /// Resolves a `$ref` within the file; returns other values unchanged.
    func resolved(_ value: JSONValue?) -> JSONValue {
        guard let value else { return nil }
        guard let reference = value["$ref"]?.string else { return value }
        var target: JSONValue? = root
        for name in reference.split(separator: "/").dropFirst() { target = target?[String(name)] }
        return resolved(target)
    }

    /// Returns the operation of a request, or nil if the file has none.
    func operation(_ method: String, _ target: String) -> Operation? {
        let method = method == "HEAD" ? "GET" : method
        let segments = Self.segments(target.prefix { $0 != "?" })
        return operations.first { operation in
            let pattern = Self.segments(operation.path[...])
            return operation.method == method && pattern.count == segments.count
                && zip(pattern, segments).allSatisfy { part, segment in
                    part.hasPrefix("{") ? !segment.isEmpty : part == segment
                }
        }
    }

    private static func segments(_ path: Substring) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The response that an operation declares for a status.
    func response(_ status: Int, of operation: Operation) -> JSONValue? {
        operation.object["responses"]?["\(status)"].map { resolved($0) }
    }
}

extension Contract {
    /// The differences between a response and its description in the file; empty if it conforms.
    func faults(of answer: APIResponse, to call: APIRequest) -> [String] {
        // 421 is described once for all operations.
        guard let operation = operation(call.method, call.target), answer.status != 421 else {
            return []
        }
        guard let response = response(answer.status, of: operation) else {
            return ["\(operation.id) has no response \(answer.status)"]
        }
        var faults: [String] = []
        for (name, header) in response["headers"]?.object ?? [:] {
            let header = resolved(header)
            if let value = answer[name] {
                guard header["schema"].map({ resolved($0)["type"] }) == .string("string") else {
                    continue
                }
                faults += self.faults(of: .string(value), schema: header["schema"], at: name)
            } else if header["required"] == true {
                faults.append("\(operation.id) \(answer.status) lacks \(name)")
            }
        }
        if answer["ETag"] != nil, response["headers"]?["ETag"] == nil {
            faults.append("\(operation.id) \(answer.status) has an ETag")
        }
        if let code = answer.code,
            response["x-codes"]?.array.contains(.string(code)) != true
        {
            faults.append("\(operation.id) \(answer.status) does not list \(code)")
        }
        guard call.method != "HEAD" else { return faults }
        let content = response["content"]?.object ?? [:]
        if content.isEmpty {
            if !answer.body.isEmpty { faults.append("\(operation.id) has a body") }
        } else if let type = answer["Content-Type"],
            let media = content[type] ?? content[String(type.prefix { $0 != ";" })]
        {
            // The schema of a stream describes its events, and this response has no events yet.
            guard type != "text/event-stream" else { return faults }
            let body = type.hasSuffix("json") ? answer.json : .string(answer.text)
            // The other ones of `anyOf` are the forms for `Prefer`.
            let isWhole =
                response["headers"]?["Preference-Applied"] != nil
                && answer["Preference-Applied"] == nil
            let whole = isWhole ? media["schema"]?["anyOf"]?.array.first : nil
            faults += self.faults(of: body, schema: whole ?? media["schema"], at: "")
        } else {
            faults.append("\(operation.id) does not answer \(answer["Content-Type"] ?? "no type")")
        }
        return faults
    }

    /// The differences between an accepted body and its schema in the file.
    func faults(ofTaken call: APIRequest) -> [String] {
        guard !call.body.isEmpty, let operation = operation(call.method, call.target),
            let body = operation.object["requestBody"]
        else { return [] }
        // A file of another program.
        guard body["content"]?["application/octet-stream"] == nil else { return [] }
        let type = call.fields.first { $0.name == "Content-Type" }?.value
        if let type, type == "application/x-ndjson", let media = body["content"]?[type] {
            return faults(
                of: .string(String(decoding: call.body, as: UTF8.self)),
                schema: media["schema"], at: "")
        }
        return faults(
            of: (try? JSONValue(json: call.body)) ?? nil,
            schema: body["content"]?["application/json"]?["schema"], at: "")
    }
}

/// Checks every response against the contract.
struct CheckedClient: APIClient {
    let client: any APIClient

    init(_ client: any APIClient) {
        self.client = client
    }

    func fresh() -> any APIClient { CheckedClient(client.fresh()) }

    func open(_ call: APIRequest) throws -> any EventReader {
        let reader = try client.open(call)
        try check(reader.answer, call)
        return CheckedReader(reader, isFeed: call.target.hasPrefix("/events"))
    }

    func send(_ call: APIRequest) throws -> APIResponse {
        let answer = try client.send(call)
        try check(answer, call)
        return answer
    }

    private func check(_ answer: APIResponse, _ call: APIRequest) throws {
        let contract = try Contract.embedded.get()
        var faults = contract.faults(of: answer, to: call)
        if 200..<300 ~= answer.status { faults += contract.faults(ofTaken: call) }
        for fault in faults {
            Issue.record("\(call.method) \(call.target) \(answer.status): \(fault)")
        }
    }
}
