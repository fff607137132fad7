import Dispatch
import ReorderService
import Testing
import Waiting

/// Large documents and bodies are handled by workers. Here, one event loop serves all requests.
@Suite struct LargeRequestTests {
    private func get(_ path: String) -> APIRequest { APIRequest(method: "GET", target: path) }

    private func put(_ path: String, _ body: String) -> APIRequest {
        APIRequest(
            method: "PUT", target: path,
            fields: [(name: "Content-Type", value: "application/json")], body: Array(body.utf8))
    }

    /// The titles are numbers without a pattern, so that the document can't be compressed too much.
    private func document(_ tasks: Int, _ prefix: String) -> String {
        let tasks = (0..<tasks).map {
            #"{"id":"\#(prefix)\#($0)","title":"\#($0 * 2_654_435_761 % 4_294_967_296)"}"#
        }
        return #"{"title":"List","tasks":[\#(tasks.joined(separator: ","))]}"#
    }

    /// Checks that requests for other lists get responses.
    private func checkOthers(_ server: OneLoopServer) throws {
        let other = try server.connect()
        other.write(get("/healthz"))
        #expect(try other.readAnswer().status == 200)
        other.write(get("/lists/other"))
        #expect(try other.readAnswer().status == 200)
        other.write(get("/lists/large?limit=10"))
        #expect(try other.readAnswer().status == 200)
    }

    @Test func aLargeDocumentIsRenderedOnceByAWorker() throws {
        let server = try OneLoopServer()
        let maker = try server.connect()
        for (list, tasks) in [("other", 1), ("large", 1_001), ("limit", 1_000)] {
            maker.write(put("/lists/\(list)", document(tasks, list)))
            #expect(try maker.readAnswer().status == 201)
        }
        let busy = try OccupiedWorkers(server.service.workers, .medium)
        let readers = try (0..<3).map { _ in try server.connect() }
        for reader in readers { reader.write(get("/lists/large")) }
        try checkOthers(server)
        // The largest document that an event loop renders itself.
        maker.write(get("/lists/limit"))
        #expect(try maker.readAnswer().status == 200)
        busy.release()
        let bodies = try readers.map { try $0.readAnswer().body }
        #expect(bodies.allSatisfy { $0 == bodies[0] && $0.count > 1_001 * 20 })
        // The rendering is cached, so this read needs no worker.
        let again = try OccupiedWorkers(server.service.workers, .medium)
        maker.write(get("/lists/large"))
        #expect(try maker.readAnswer().body == bodies[0])
        again.release()
        try server.stop()
    }

    @Test func aDocumentOver64KiBIsCompressedByAWorker() throws {
        let server = try OneLoopServer()
        let maker = try server.connect()
        for (list, tasks) in [("other", 1), ("large", 1_000), ("small", 200)] {
            maker.write(put("/lists/\(list)", document(tasks, list)))
            #expect(try maker.readAnswer().status == 201)
        }
        maker.write(get("/lists/large"))
        let plain = try maker.readAnswer().body
        maker.write(get("/lists/small"))
        #expect(plain.count > 64 << 10)
        #expect(try 1_024..<(64 << 10) ~= maker.readAnswer().body.count)
        func compressed(_ path: String) -> APIRequest {
            APIRequest(
                method: "GET", target: path,
                fields: [(name: "Accept-Encoding", value: "gzip")])
        }
        let busy = try OccupiedWorkers(server.service.workers, .medium)
        let readers = try (0..<3).map { _ in try server.connect() }
        for reader in readers { reader.write(compressed("/lists/large")) }
        try checkOthers(server)
        // An event loop compresses a smaller document itself.
        maker.write(compressed("/lists/small"))
        #expect(try maker.readAnswer()["Content-Encoding"] == "gzip")
        #expect(readers.allSatisfy { !$0.hasData })
        busy.release()
        for reader in readers {
            let answer = try reader.readAnswer()
            #expect(answer["Content-Encoding"] == "gzip" && answer.body == plain)
        }
        // The compressed form is cached, so this read needs no worker.
        let again = try OccupiedWorkers(server.service.workers, .medium)
        maker.write(compressed("/lists/large"))
        #expect(try maker.readAnswer().body == plain)
        again.release()
        try server.stop()
    }

    @Test func aLargeBodyIsReadByAWorker() throws {
        let server = try OneLoopServer()
        let maker = try server.connect()
        for list in ["other", "large"] {
            maker.write(put("/lists/\(list)", document(1, list)))
            #expect(try maker.readAnswer().status == 201)
        }
        let busy = try OccupiedWorkers(server.service.workers, .medium)
        let body = document(10, "t")
        let spaces = String(repeating: " ", count: (64 << 10) - body.utf8.count)
        let writer = try server.connect()
        writer.write(put("/lists/new", body + spaces + " "))
        try checkOthers(server)
        maker.write(get("/lists/new"))
        #expect(try maker.readAnswer().status == 404)
        // A body of 64 KiB needs no worker.
        maker.write(put("/lists/newer", document(10, "u") + spaces))
        #expect(try maker.readAnswer().status == 201)
        busy.release()
        #expect(try writer.readAnswer().status == 201)
        try server.stop()
    }

    @Test func aLargeRequestWithoutAFreeWorkerGets503() throws {
        let server = try OneLoopServer()
        let client = try server.connect()
        client.write(put("/lists/large", document(1_001, "t")))
        #expect(try client.readAnswer().status == 201)
        let busy = try OccupiedWorkers(server.service.workers, .medium)
        for _ in 0..<WorkerThreads.Size.medium.waitingLimit {
            #expect(server.service.workers.run(.medium) {})
        }
        let large = document(1, "u") + String(repeating: " ", count: 64 << 10)
        for call in [get("/lists/large"), put("/lists/new", large)] {
            client.write(call)
            let answer = try client.readAnswer()
            #expect(answer.status == 503)
            #expect(answer["Retry-After"] != nil)
        }
        busy.release()
        try server.stop()
    }

    /// Also a small one, because its check asks the store.
    @Test(arguments: [(10, WorkerThreads.Size.small), (10_000, .medium)])
    func workersReadImportedFiles(tasks: Int, size: WorkerThreads.Size) throws {
        let server = try OneLoopServer()
        let importer = try server.connect()
        importer.write(put("/lists/large", document(1, "t")))
        #expect(try importer.readAnswer().status == 201)
        let file = (0..<tasks).map { "- task \($0)\n" }.joined()
        let busy = try OccupiedWorkers(server.service.workers, size)
        importer.write(
            APIRequest(
                method: "POST", target: "/imports?list=large&replace=true",
                body: Array(file.utf8)))
        // It waits, and others do not.
        try waitUntil { server.service.load.pending["pieces of work"] == 1 }
        #expect(try server.client.get("/lists/large").json["version"] == 1)
        busy.release()
        #expect(try importer.readAnswer().status == 200)
        #expect(try server.client.get("/lists/large").json["version"] == 2)
        try server.stop()
    }
}

/// Work that occupies all worker threads for one size of work, until it is released.
private final class OccupiedWorkers: Sendable {
    private let passed = DispatchSemaphore(value: 0)
    private let threadCount: Int

    init(_ workers: WorkerThreads, _ size: WorkerThreads.Size) throws {
        threadCount = size.threadCount
        let began = DispatchSemaphore(value: 0)
        for _ in 0..<threadCount {
            let isTaken = workers.run(size) { [passed] in
                began.signal()
                passed.wait()
            }
            #expect(isTaken)
        }
        for _ in 0..<threadCount { try began.waitForSignal() }
    }

    func release() {
        for _ in 0..<threadCount { passed.signal() }
    }
}
