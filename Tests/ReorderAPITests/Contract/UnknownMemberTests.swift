import Foundation
import MicroHTTP
import ReorderJSON
import Testing

@testable import ReorderAPI

/// The refusal of an unknown member names it, and the members that the contract allows at its place.
@Suite struct UnknownMemberTests {
    private let contract: Contract

    init() throws { contract = try Contract.embedded.get() }

    /// The members that a schema allows. Those that the server ignores are left out.
    private func members(_ schema: JSONValue?) -> Set<String> {
        let schema = contract.resolved(schema)
        var names = Set(
            (schema["properties"]?.object ?? [:]).filter {
                $0.value["$ref"] != "#/components/schemas/Derived"
            }.keys)
        for variants in ["oneOf", "anyOf", "allOf"] {
            for variant in schema[variants]?.array ?? [] { names.formUnion(members(variant)) }
        }
        return names
    }

    private func component(_ name: String) -> JSONValue? {
        contract.root["components"]?["schemas"]?[name]
    }

    /// Sends a body with the unknown member `titel` and checks its refusal.
    private func expect(
        _ server: ServerUnderTest, _ method: String, _ path: String, _ body: String,
        at pointer: String = "/titel", _ schema: JSONValue?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try server.client.send(method, path, body, ["If-Match": "*"])
        #expect(
            answer.code == "invalid_body", "\(path) \(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.json["pointer"]?.string == pointer, sourceLocation: sourceLocation)
        let detail = answer.json["detail"]?.string ?? ""
        let start = #"\#(pointer): The member "titel" is not allowed here. Allowed: "#
        #expect(detail.hasPrefix(start), "\(path) \(detail)", sourceLocation: sourceLocation)
        let names = detail.dropFirst(start.count).prefix { $0 != "." }
            .split(separator: ", ").map(String.init)
        #expect(Set(names) == members(schema), "\(path)", sourceLocation: sourceLocation)
        #expect(Set(names).count == names.count, "\(path)", sourceLocation: sourceLocation)
        #expect(
            detail.hasSuffix("An app's own values belong in data.") == names.contains("data"),
            "\(path)", sourceLocation: sourceLocation)
    }

    @Test func eachBodyNamesItsMembers() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a@s", "b@s"])])
            let drag = try server.client.post("/lists/l/drags", #"{"task":"a"}"#).json["drag"]
            let webhook = try server.client.post("/webhooks", #"{"url":"https://a.example/"}"#)
            let ids = [
                "list": "l", "task": "a", "section": "s", "drag": drag?.string ?? "",
                "webhook": webhook.json["id"]?.string ?? "",
            ]
            var count = 0
            for operation in contract.operations {
                let content = operation.object["requestBody"]?["content"]
                let schema = content?["application/json"]?["schema"]
                guard let schema, !members(schema).isEmpty else { continue }
                let path = operation.path.split(separator: "/", omittingEmptySubsequences: false)
                    .map { part in
                        part.hasPrefix("{")
                            ? ids[String(part.dropFirst().dropLast())] ?? "" : "\(part)"
                    }.joined(separator: "/")
                try expect(server, operation.method, path, #"{"titel":"x"}"#, schema)
                count += 1
            }
            #expect(count >= 19)
        }
    }

    @Test func thePartsOfADocumentNameTheirMembers() throws {
        try withServer(.inProcess) { server throws in
            for (body, pointer, schema) in [
                (#"{"title":"","tasks":[{"titel":""}]}"#, "/tasks/0/titel", "TaskDraft"),
                (#"{"title":"","sections":[{"titel":""}]}"#, "/sections/0/titel", "SectionDraft"),
            ] {
                try expect(server, "POST", "/lists", body, at: pointer, component(schema))
            }
        }
    }

    @Test func aRowOfASectionNamesItsMembers() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a"])])
            for member in ["from", "to"] {
                try expect(
                    server, "POST", "/lists/l/move", #"{"\#(member)":{"titel":0}}"#,
                    at: "/\(member)/titel", component("SectionRow"))
            }
        }
    }

    @Test func eachOperationOfABatchNamesItsMembers() throws {
        try withServer(.inProcess) { server throws in
            try server.make(["l": draft(["a@s", "b@s"])])
            let mapping = component("BatchOp")?["discriminator"]?["mapping"]
            for kind in Command.Kind.allCases {
                let reference = try #require(mapping?[kind.rawValue])
                try expect(
                    server, "POST", "/lists/l/batch",
                    #"{"ops":[{"op":"\#(kind.rawValue)","titel":"x"}]}"#, at: "/ops/0/titel",
                    .object(["$ref": reference]))
            }
            for (op, schema) in [
                (#""op":"update","task":"a""#, "TaskPatch"), (#""op":"list""#, "ListPatch"),
            ] {
                try expect(
                    server, "POST", "/lists/l/batch", #"{"ops":[{\#(op),"set":{"titel":"x"}}]}"#,
                    at: "/ops/0/set/titel", component(schema))
            }
        }
    }
}
