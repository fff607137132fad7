import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// Lists that could not be opened, and come back.
@MainActor @Suite struct ReopeningTests {
    /// Why a list can't be opened.
    enum Cause: CaseIterable {
        case anotherClient
        /// As before the first unlock of a device.
        case unreadableFile
        case noFolder
        case foldsOfAnotherClient

        /// Prevents that the list `l` is opened.
        ///
        /// - Returns: ends that.
        func begin(in folder: OutboxFolder) throws -> () throws -> Void {
            let files = FileManager.default
            switch self {
            case .anotherClient, .foldsOfAnotherClient:
                try folder.create()
                let list = self == .anotherClient ? "l" : "f"
                let file = try OutboxFile(folder.file(of: list))
                return { file.close(isWorthless: true) }
            case .unreadableFile:
                try folder.create()
                let file = folder.file(of: "l")
                try files.createDirectory(at: file, withIntermediateDirectories: false)
                return { try files.removeItem(at: file) }
            case .noFolder:
                try Data().write(to: folder.url)
                return { try files.removeItem(at: folder.url) }
            }
        }
    }

    /// After what the store tries again.
    enum Occasion: CaseIterable {
        case refreshNow, retryNow, flush, newCall, foreground, network, interval

        @MainActor func happen(_ store: ReorderStore, _ list: LiveList) async {
            switch self {
            case .refreshNow: await list.refreshNow()
            case .retryNow: store.retryNow()
            case .flush: await store.flush()
            case .newCall: #expect(store.list(list.id) === list)
            case .foreground:
                let center = NotificationCenter()
                store.client.follow(center)
                center.post(name: Notification.Name(ClientSignals.foreground[0]), object: nil)
            case .network: store.client.handle(.network)
            case .interval: store.client.handle(.interval)
            }
        }
    }

    private func withStore(
        _ body: (ReorderStore, ScriptedServer) async throws -> Void
    ) async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        let client = ReorderClient(storage: folder, transport: server, folds: "f")
        try await body(ReorderStore(client: client), server)
    }

    @Test(arguments: Cause.allCases, Occasion.allCases)
    func aFailedListIsOpenedAgain(_ cause: Cause, _ occasion: Occasion) async throws {
        try await withStore { store, _ in
            let end = try cause.begin(in: store.client.folder)
            let list = store.list("l")
            guard case .failed(.storage) = list.phase else {
                Issue.record("\(list.phase)")
                return
            }
            #expect(list.create("x") == nil && list.notice != nil)
            // Too early: it stays as it is.
            await occasion.happen(store, list)
            #expect(list.phase.isFailed)
            try end()
            await occasion.happen(store, list)
            try await eventually { list.isLoaded && list.phase == .online }
            #expect(list.create("y") != nil)
        }
    }

    @Test(arguments: Occasion.allCases)
    func aMalformedIDIsNotTriedAgain(_ occasion: Occasion) async throws {
        try await withStore { store, _ in
            let list = store.list("no/id")
            await occasion.happen(store, list)
            guard case .failed(.invalid) = list.phase else {
                Issue.record("\(list.phase)")
                return
            }
        }
    }

    /// What an earlier run has left is sent, although its file could not be opened at the launch.
    @Test func whatWaitsIsSentAfterAFailureAtTheLaunch() async throws {
        try await withStore { store, server in
            let first = try await store.client.list("l")
            server.isCut = true
            try first.create("Milk")
            first.close()
            try await eventually { store.client.openRunner("l") == nil }
            server.isCut = false
            let file = try OutboxFile(store.client.folder.file(of: "l"))
            store.client.sendWaiting()
            #expect(await !store.flush())
            file.close(isWorthless: false)
            store.retryNow()
            try await eventually { server.targets.contains("/lists/l/batch") }
        }
    }

    /// While the app was in the background, another process has changed the list.
    @Test func aLostFileIsReadAgain() async throws {
        try await withStore { store, server in
            let center = NotificationCenter()
            store.client.follow(center)
            let list = store.list("l")
            try await eventually { list.isLoaded }
            server.isCut = true
            center.post(name: Notification.Name(ClientSignals.background[0]), object: nil)
            let other = ReorderClient(
                storage: store.client.folder.url, transport: server, folds: "f")
            let same = try await other.list("l")
            try same.create("Milk")
            same.close()
            try await eventually { other.openRunner("l") == nil && other.openRunner("f") == nil }
            // Not stored, and so refused.
            #expect(list.create("Bread") == nil)
            center.post(name: Notification.Name(ClientSignals.foreground[0]), object: nil)
            try await eventually { list.rows.map(\.title) == ["a", "b", "c", "Milk"] }
            #expect(list.create("Bread") != nil && list.waitingCount == 2)
        }
    }
}
