import Dispatch
import Foundation
import Logging
import ReorderEngine
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// A response that may not have arrived yet.
final class Pending<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, ServiceError>?>(nil)
    private let came = DispatchSemaphore(value: 0)

    /// Whether the response has arrived.
    var isAnswered: Bool { result.withLock { $0 != nil } }

    func give(_ answer: Result<Value, ServiceError>) {
        let isFirst = result.withLock { result in
            defer { result = answer }
            return result == nil
        }
        if !isFirst { Issue.record("a request got two responses") }
        came.signal()
    }

    /// Waits for the response.
    func wait() throws -> Result<Value, ServiceError> {
        try came.waitForSignal()
        came.signal()
        return try #require(result.withLock { $0 })
    }

    /// Waits for the response, and returns the value of a successful one.
    func value() throws -> Value { try wait().get() }

    /// Waits for the response, and returns the name of its error.
    func failure() throws -> String {
        switch try wait() {
        case .success: "none"
        case .failure(let error): error.word
        }
    }
}

extension ServiceError {
    /// The name of the error's case.
    var word: String {
        switch self {
        case .listNotFound: "listNotFound"
        case .targetListNotFound: "targetListNotFound"
        case .taskNotFound: "taskNotFound"
        case .listForbidden: "listForbidden"
        case .listReadOnly: "listReadOnly"
        case .refused(let refusal, _, _): "refused \(refusal)"
        case .listTaken: "listTaken"
        case .listNotInBin: "listNotInBin"
        case .listNotDeleted: "listNotDeleted"
        case .taskTaken: "taskTaken"
        case .dataTooLarge: "dataTooLarge"
        case .responseTooLarge: "responseTooLarge"
        case .tooManyToSort: "tooManyToSort"
        case .command(let index, let error): "command \(index) \(error.word)"
        case .listFull: "listFull"
        case .sectionsFull: "sectionsFull"
        case .targetListFull: "targetListFull"
        case .versionMismatch: "versionMismatch"
        case .preconditionRequired: "preconditionRequired"
        case .keyReused: "keyReused"
        case .requestInProgress: "requestInProgress"
        case .refusedBefore: "refusedBefore"
        case .tooManyToExamine: "tooManyToExamine"
        case .undoConflict(let conflict, _, _): "undoConflict \(conflict)"
        case .undoOfTransfer: "undoOfTransfer"
        case .tooManyUndos: "tooManyUndos"
        case .historyGone: "historyGone"
        case .dragNotFound: "dragNotFound"
        case .dragOfOtherClient: "dragOfOtherClient"
        case .tooManyDrags: "tooManyDrags"
        case .outcomeUnknown: "outcomeUnknown"
        case .unavailable: "unavailable"
        case .unreadable: "unreadable"
        }
    }
}

extension ListService {
    static func quiet(
        _ store: any ListStore, limits: ServiceLimits = ServiceLimits(), log: LogLines? = nil,
        onLost: @escaping @Sendable (StoreError) -> Void = { _ in },
        clock: @escaping @Sendable () -> Date = { Date() },
        uptime: @escaping @Sendable () -> UInt64 = ServiceEnvironment.system.uptime
    ) -> ListService {
        var environment = ServiceEnvironment.system
        (environment.date, environment.uptime) = (clock, uptime)
        return ListService(
            store: store, limits: limits,
            logger: Logger(label: "test") { _ in log?.handler ?? SwiftLogNoOpLogHandler() },
            onLost: onLost, environment: environment)
    }

    /// Waits until this number of lists is in memory. A worker removes lists that do not exist, after the responses.
    func waitForLists(_ count: Int) throws { try waitUntil { loadedListCount == count } }

    /// Stops the service on another thread.
    func stopInBackground() -> Background {
        Background {
            do { try self.stopIdle() } catch { Issue.record(error) }
        }
    }

    func ask(_ request: WriteRequest) -> Pending<WriteResult> {
        pending { $0.answer(request, $1) }
    }

    /// Writes without a key.
    func answer(_ request: WriteRequest, _ done: @escaping Completion<WriteResult>) {
        write(request, as: WordRenderer()) { outcome in
            done(
                Result { () throws(ServiceError) in
                    guard let answer = try outcome.get().answer else { throw .unavailable }
                    return answer
                })
        }
    }

    func read(_ list: String) -> Pending<VersionedList> {
        pending { $0.versionedList(of: list, $1) }
    }

    /// Creates a list of top-level tasks, and waits until it is durable.
    func make(_ list: String, _ tasks: [String] = []) throws {
        _ = try ask(.make(list, tasks)).value()
    }

    /// The ids of a list's tasks, in order.
    func order(_ list: String) throws -> [String] {
        try read(list).value().list.tasks.map(\.id)
    }
}

extension WriteRequest {
    static func make(_ list: String, _ tasks: [String] = []) throws -> WriteRequest {
        WriteRequest(list: list, action: .put(try .flat(tasks)))
    }

    static func create(_ task: String, in list: String) -> WriteRequest {
        let content = TaskContent(id: task, title: task)
        return WriteRequest(list: list, action: .command(.create(content, at: Destination())))
    }

    static func move(_ task: String, to position: Int, in list: String) -> WriteRequest {
        let destination = Destination(place: .init(.own, position: position))
        return WriteRequest(
            list: list, action: .command(.move(MoveRequest(.task(task), to: destination))))
    }
}

extension ReorderableList {
    /// A list of top-level tasks.
    static func flat(_ tasks: [String]) throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: "List"), sections: [],
            tasks: tasks.map { Entry(content: TaskContent(id: $0, title: $0)) })
    }
}
