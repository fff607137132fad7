import Testing

@testable import MicroHTTP

/// Lists and other resources in both codings.
@Suite struct CompressionTests {
    private let gzip = ["Accept-Encoding": "gzip, deflate, br"]

    /// - Parameter titleCount: the number of characters in each title.
    private static func list(_ prefix: String, _ tasks: Int, titleCount: Int = 2) -> String {
        var state: UInt64 = 1
        func letter() -> Character {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Character(UnicodeScalar(UInt8(truncatingIfNeeded: 0x61 + (state >> 60))))
        }
        let tasks = (0..<tasks).map { number in
            let title = String((0..<titleCount).map { _ in letter() })
            return #"{"id":"\#(prefix)\#(number)","title":"\#(title)"}"#
        }
        return #"{"title":"List","tasks":[\#(tasks.joined(separator: ","))]}"#
    }

    /// 1,001 tasks are rendered by a worker; the long titles of 70 tasks are compressed by one.
    private static let lists = [
        "small": list("s", 100), "large": list("l", 1_001),
        "long": list("t", 70, titleCount: 1_500),
    ]

    @Test(arguments: Setup.memory)
    func aListHasBothForms(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(Self.lists)
            let client = server.client
            for id in Self.lists.keys.sorted() {
                // The checks of this test are slow for many tasks.
                let paths = ["/lists/\(id)", "/lists/\(id)?offset=1"]
                for path in id == "large" ? Array(paths.prefix(1)) : paths {
                    // The second round reads the cached responses.
                    for _ in 0..<2 {
                        let plain = try client.get(path)
                        let compressed = try client.get(path, gzip)
                        #expect(plain["Content-Encoding"] == nil)
                        #expect(compressed["Content-Encoding"] == "gzip")
                        #expect(plain.body == compressed.body)
                        #expect(plain["ETag"] == entityTag(1))
                        #expect(compressed["ETag"] == entityTag(1, coding: "gzip"))
                        for answer in [plain, compressed] {
                            #expect(answer["Vary"] == "Accept-Encoding")
                            #expect(answer["Content-Type"] == "application/json")
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: Setup.memory)
    func conditionalReadsMatchTheFormsThatTheClientAccepts(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(Self.lists)
            let client = server.client
            let (plain, zipped) = (entityTag(1), entityTag(1, coding: "gzip"))
            func get(_ path: String, _ seen: String, _ accepts: Bool) throws -> APIResponse {
                try client.get(
                    path, (accepts ? gzip : [:]).merging(["If-None-Match": seen]) { $1 })
            }
            for path in ["/lists/small", "/lists/long", "/lists/large"] {
                for (seen, accepts, tag) in [
                    (plain, false, plain), (plain, true, plain),
                    (zipped, true, zipped), ("W/\(zipped)", true, zipped),
                    ("\(entityTag(9)), \(zipped)", true, zipped), ("*", true, zipped),
                    ("*", false, plain),
                ] {
                    let answer = try get(path, seen, accepts)
                    #expect(answer.status == 304, "\(path) \(seen)")
                    #expect(answer["ETag"] == tag, "\(path) \(seen)")
                    #expect(answer["Vary"] == "Accept-Encoding")
                    #expect(answer["Content-Encoding"] == nil)
                }
                guard path != "/lists/large" else { continue }
                for (seen, accepts, tag) in [
                    (zipped, false, plain), (entityTag(2, coding: "gzip"), true, zipped),
                    (entityTag(1, coding: "br"), true, zipped), ("\"+gzip\"", true, zipped),
                    (entityTag(1, coding: "gzip+gzip"), true, zipped),
                    ("\(versionToken(1))+gzip\"", true, zipped),
                ] {
                    let answer = try get(path, seen, accepts)
                    #expect(answer.status == 200, "\(path) \(seen)")
                    #expect(answer["ETag"] == tag, "\(path) \(seen)")
                }
            }
        }
    }

    @Test(arguments: Setup.all)
    func aPageOfChangesHasBothForms(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(["l": draft(["a", "b"])])
            for version in 2...30 {
                _ = try server.client.post(
                    "/lists/l/move", #"{"task":"a","position":\#(version % 2 == 0 ? 1 : 0)}"#)
            }
            let path = "/lists/l/changes?since=0"
            let plain = try server.client.get(path)
            let compressed = try server.client.get(path, gzip)
            #expect(plain.body == compressed.body && plain["ETag"] == entityTag(30))
            #expect(compressed["Content-Encoding"] == "gzip")
            #expect(compressed["ETag"] == entityTag(30, coding: "gzip"))
            for tag in [entityTag(30), entityTag(30, coding: "gzip")] {
                let fields = gzip.merging(["If-None-Match": tag]) { $1 }
                let unchanged = try server.client.get(path, fields)
                #expect(unchanged.status == 304 && unchanged["ETag"] == tag)
                #expect(unchanged["Vary"] == "Accept-Encoding")
            }
        }
    }

    /// A 304 has the length of the 200 in the same form.
    @Test(arguments: Setup.sockets)
    func aNotModifiedResponseHasTheLengthOfItsForm(setup: Setup) throws {
        try withServer(setup) { server throws in
            try server.make(Self.lists)
            for id in ["small", "long"] {
                for (accepts, tag) in [([:], entityTag(1)), (gzip, entityTag(1, coding: "gzip"))] {
                    // Without a cached response, and with it.
                    let fields = accepts.merging(["If-None-Match": tag]) { $1 }
                    let before = try server.client.get("/lists/\(id)", fields)
                    let whole = try server.client.send("HEAD", "/lists/\(id)", nil, accepts)
                    let after = try server.client.get("/lists/\(id)", fields)
                    #expect(before.status == 304 && after.status == 304)
                    let length = whole["Content-Length"]
                    #expect(length != nil && before["Content-Length"] == length)
                    #expect(after["Content-Length"] == length)
                }
            }
        }
    }

    @Test(arguments: Setup.all)
    func theTagOfACompressedResponseIsAPrecondition(setup: Setup) throws {
        try withServer(setup) { server throws in
            let data = String(repeating: "text ", count: 400)
            // The id of a list may end like a coding.
            try server.make(["a-gzip": draft(["a"])])
            _ = try server.client.send("PATCH", "/tasks/a", #"{"data":{"note":"\#(data)"}}"#)
            let list = try #require(try server.client.get("/lists/a-gzip", gzip)["ETag"])
            let task = try #require(try server.client.get("/tasks/a", gzip)["ETag"])
            #expect(
                list == entityTag(2, coding: "gzip")
                    && task == entityTag(2, in: "a-gzip", coding: "gzip"))
            for tag in [list, task, "\(entityTag(9)), \(task)"] {
                let dry = try server.client.post(
                    "/lists/a-gzip/move?dryRun=true", #"{"task":"a","position":0}"#,
                    ["If-Match": tag])
                #expect(dry.status == 200)
            }
            let written = try server.client.send(
                "PATCH", "/tasks/a", #"{"title":"x"}"#, gzip.merging(["If-Match": task]) { $1 })
            #expect(written.status == 200 && written["Content-Encoding"] == "gzip")
            // The tag after a write is that of the resource.
            #expect(written["ETag"] == entityTag(3, in: "a-gzip"))
            for tag in [
                list, task, "W/\(entityTag(3, coding: "gzip"))", entityTag(3, coding: "br"),
            ] {
                try server.refused(
                    412, "version_mismatch", "PATCH", "/tasks/a", #"{"title":"y"}"#,
                    ["If-Match": tag], keeping: ["a-gzip"])
            }
        }
    }

    @Test(arguments: Setup.memory)
    func filesHaveBothForms(setup: Setup) throws {
        try withServer(setup) { server throws in
            for path in ["/", "/openapi.yaml"] {
                let plain = try server.client.get(path)
                let compressed = try server.client.get(path, gzip)
                #expect(plain.body == compressed.body && plain["Content-Encoding"] == nil)
                #expect(compressed["Content-Encoding"] == "gzip")
                let tag = try #require(compressed["ETag"])
                #expect(tag == ContentCoding.gzip.tag(plain["ETag"] ?? ""))
                for answer in [plain, compressed] { #expect(answer["Vary"] == "Accept-Encoding") }
                for tag in [tag, try #require(plain["ETag"])] {
                    let again = try server.client.get(
                        path, gzip.merging(["If-None-Match": tag]) { $1 })
                    #expect(again.status == 304 && again["ETag"] == tag)
                }
            }
        }
    }
}
