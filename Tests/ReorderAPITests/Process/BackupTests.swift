import Foundation
import GRDB
import ProcessTesting
import Synchronization
import Testing
import Waiting

/// `reorderd backup` while a server runs.
@Suite struct BackupTests {
    @Test func aBackupUnderLoadHasAllAcknowledgedChanges() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let server = try ServerProcess(["--port", "0", "--store", "file:\(store)"])
            let setup = SocketClient(port: server.port)
            for list in 0..<4 {
                #expect(try setup.put("/lists/l\(list)", #"{"title":""}"#).status == 201)
            }
            let load = Load(port: server.port)
            var backups: [(before: Set<String>, path: String)] = []
            for number in 0..<4 {
                // Each backup is taken during more activity than the one before.
                try load.waitFor(100 * number)
                let before = load.acknowledged
                let path = folder.appending(path: "copy\(number).db").path
                let ended = try ServerProcess.run(["backup", store, path])
                #expect(ended.exitCode == 0, "\(ended)")
                backups.append((before, path))
            }
            try load.stop()
            try server.stop()

            for (before, path) in backups {
                let check = try ServerProcess.run(["check", path])
                #expect(check.exitCode == 0, "\(check)")
                let lines = try ServerProcess.run(["export", "--store", "file:\(path)", "--all"])
                    .output.split(separator: "\n")
                var held: Set<String> = []
                for line in lines {
                    let document = try JSONValue(json: Array(line.utf8))
                    let tasks = document["tasks"]?.array.compactMap { $0["id"]?.string } ?? []
                    held.formUnion(tasks)
                    // Creating the list made one version, and each task made another.
                    #expect(document["version"]?.int == tasks.count + 1)
                }
                #expect(lines.count == 4)
                #expect(before.isSubset(of: held))
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!files.contains { $0.contains("partial") })
            #expect(try ServerProcess.run(["check", store]).exitCode == 0)
        }
    }

    @Test func aBackupAfterAKillIncludesTheLog() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let server = try ServerProcess(["--port", "0", "--store", "file:\(store)"])
            #expect(
                try SocketClient(port: server.port).put("/lists/l", #"{"title":"L"}"#).status
                    == 201)
            server.send(signal: SIGKILL)
            _ = try server.wait()
            let log = try Data(contentsOf: URL(filePath: store + "-wal"))
            let copy = folder.appending(path: "copy.db").path
            let ended = try ServerProcess.run(["backup", store, copy])
            #expect(ended.exitCode == 0, "\(ended)")
            #expect(
                try ServerProcess.run(["check", copy]).output
                    == "1 list, 0 tasks, 1 change: no faults\n")
            // The backup did not copy the log into the store.
            #expect(try Data(contentsOf: URL(filePath: store + "-wal")) == log)

            // Without its log the store lacks acknowledged changes. A backup must not hide that.
            try FileManager.default.removeItem(atPath: store + "-wal")
            let late = try ServerProcess.run(["backup", store, folder.path + "/late.db"])
            #expect(late.exitCode == 65)
            #expect(late.errors.contains("has lost its newest changes"))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/late.db"))
        }
    }

    @Test func aStoreOfANewerVersionIsNotCopied() throws {
        try withTemporaryFolder { folder throws in
            let store = folder.appending(path: "lists.db").path
            let list = folder.appending(path: "l.json")
            try Data(#"{"title":"L"}"#.utf8).write(to: list)
            #expect(
                try ServerProcess.run(["import", "--store", "file:\(store)", list.path]).exitCode
                    == 0)
            try DatabaseQueue(path: store).write { try $0.execute(sql: "PRAGMA user_version = 99") }
            let ended = try ServerProcess.run(["backup", store, folder.path + "/copy.db"])
            #expect(ended.exitCode == 66, "\(ended)")
            #expect(ended.errors.contains("has version 99 of the file format"), "\(ended)")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!files.contains { $0.hasPrefix("copy") })
        }
    }

    @Test func aBackupOverwritesNothingAndCopiesOnlyStores() throws {
        try withTemporaryFolder { folder throws in
            let file = folder.appending(path: "text.db")
            let copy = folder.appending(path: "copy.db").path
            try Data(
                "this text is not a store, but it is longer than a store's header, which has a hundred bytes or so"
                    .utf8
            )
            .write(to: file)
            #expect(try ServerProcess.run(["backup", file.path, copy]).exitCode == 66)
            #expect(try ServerProcess.run(["backup", folder.path + "/none", copy]).exitCode == 66)
            #expect(try ServerProcess.run(["backup", file.path, file.path]).exitCode == 73)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["text.db"])
        }
    }
}

/// Four clients that create tasks in lists l0 to l3, each on its own thread.
private final class Load: Sendable {
    private let answered = Mutex<Set<String>>([])
    private let isStopping = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    init(port: Int) {
        for client in 0..<4 {
            Thread { self.run(client, port: port) }.start()
        }
    }

    var acknowledged: Set<String> { answered.withLock { $0 } }

    /// Waits until this number of changes is acknowledged or all clients have stopped.
    func waitFor(_ count: Int) throws {
        try waitUntil {
            answered.withLock { $0.count } >= count || isStopping.load(ordering: .acquiring)
        }
    }

    func stop() throws {
        isStopping.store(true, ordering: .releasing)
        for _ in 0..<4 { try ended.waitForSignal() }
    }

    private func run(_ client: Int, port: Int) {
        defer { ended.signal() }
        let connection = SocketClient(port: port)
        var number = 0
        while !isStopping.load(ordering: .acquiring) {
            number += 1
            let id = "t\(client)-\(number)"
            let answer = try? connection.post(
                "/lists/l\(client)/tasks", #"{"id":"\#(id)","title":"","position":0}"#)
            guard answer?.status == 201 else {
                Issue.record("\(answer?.text ?? "no answer")")
                return isStopping.store(true, ordering: .releasing)
            }
            answered.withLock { _ = $0.insert(id) }
        }
    }
}
