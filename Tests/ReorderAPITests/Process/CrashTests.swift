import Foundation
import ProcessTesting
import Synchronization
import Testing

/// Acknowledged changes survive `kill -9`.
@Suite struct CrashTests {
    private static let lists = ["l0", "l1"]
    private static let kills = 5
    private static let answersBeforeEachKill = 150

    @Test func acknowledgedChangesSurviveAKill() throws {
        try withTemporaryFolder { folder throws in
            let arguments = [
                "--port", "0", "--store", "file:\(folder.appending(path: "lists.db").path)",
            ]
            let acknowledged = Mutex<[String: Set<String>]>([:])
            for round in 0..<Self.kills {
                let server = try ServerProcess(arguments)
                if round == 0 {
                    let client = SocketClient(port: server.port)
                    for list in Self.lists {
                        #expect(try client.put("/lists/\(list)", draft()).status == 201)
                    }
                }
                try load(server, round, acknowledged)
                _ = try server.wait()
            }
            let server = try ServerProcess(arguments)
            let client = SocketClient(port: server.port)
            for list in Self.lists {
                let document = try client.get("/lists/\(list)").json
                let tasks = document["tasks"]?.array.compactMap { $0["id"]?.string } ?? []
                let expected = acknowledged.withLock { $0[list] ?? [] }
                #expect(!expected.isEmpty)
                #expect(expected.isSubset(of: tasks))
                // Each task made one version, so no task is duplicated and no version is missing.
                #expect(document["version"]?.int == tasks.count + 1)
            }
            try server.stop()
        }
    }

    /// Creates tasks over four connections, and kills the server meanwhile.
    private func load(
        _ server: ServerProcess, _ round: Int,
        _ acknowledged: borrowing Mutex<[String: Set<String>]>
    ) throws {
        let answers = Atomic<Int>(0)
        let port = server.port
        let process = server.identifier
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            let client = SocketClient(port: port)
            for number in 0... {
                let list = Self.lists[number % 2]
                let id = "r\(round)-\(thread)-\(number)"
                // The connection breaks when the server is killed.
                guard
                    let answer = try? client.post(
                        "/lists/\(list)/tasks", #"{"id":"\#(id)","title":"","position":0}"#)
                else { return }
                guard answer.status == 201 else {
                    Issue.record("\(answer.text)")
                    return
                }
                acknowledged.withLock { _ = $0[list, default: []].insert(id) }
                let count = answers.add(1, ordering: .relaxed).newValue
                if count == Self.answersBeforeEachKill { kill(process, SIGKILL) }
            }
        }
    }
}
