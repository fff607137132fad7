import Dispatch
import ReorderEngine
import ReorderStore
import Synchronization

@testable import ReorderService

/// A request that runs first on the calling thread and then on its service's queue, as on an event
/// loop.
///
/// `@unchecked Sendable`: used by one thread at a time, the one that `course` admits.
final class AsyncRequest<Value: Sendable>: RequestHost, @unchecked Sendable {
    typealias Body = @Sendable (ListService, RequestContext) throws(ServiceError) -> Value

    private let service: ListService
    private let body: Body
    private let give: @Sendable (Result<Value, ServiceError>) -> Void
    private let course = Mutex((isRunning: false, isDue: false))
    private let queue: DispatchQueue
    private var context: RequestContext?
    private var result: Result<Value, ServiceError> = .failure(.unavailable)
    /// Keeps the request alive until it has ended.
    private var own: AsyncRequest?

    init(
        _ service: ListService, _ give: @escaping @Sendable (Result<Value, ServiceError>) -> Void,
        _ body: @escaping Body
    ) {
        self.service = service
        queue = loops.withLock { loops in
            let loop = loops[ObjectIdentifier(service)] ?? ServiceQueue()
            loops[ObjectIdentifier(service)] = loop
            return loop.queue
        }
        self.give = give
        self.body = body
    }

    func start() {
        own = self
        let context = RequestContext(service)
        context.host = self
        self.context = context
        proceed()
    }

    func resume() { queue.async { self.proceed() } }

    func run() {
        guard let context else { return }
        do throws(ServiceError) {
            result = .success(try body(service, context))
        } catch {
            if case .waiting = error { return context.suspend() }
            result = .failure(error)
        }
        context.decided()
    }

    private func proceed() {
        let mayRun = course.withLock { course in
            course.isDue = true
            defer { course.isRunning = true }
            return !course.isRunning
        }
        guard mayRun else { return }
        while takeTurn() { step() }
    }

    private func takeTurn() -> Bool {
        course.withLock { course in
            course.isRunning = course.isDue
            defer { course.isDue = false }
            return course.isDue
        }
    }

    private func step() {
        var isResumed = true
        while let context {
            switch context.next(isResumed: isResumed) {
            case .run:
                run()
                isResumed = false
            case .wait: return
            case .finish: end(result, isDone: true)
            case .fail(let error): end(.failure(error), isDone: false)
            }
        }
    }

    private func end(_ result: Result<Value, ServiceError>, isDone: Bool) {
        context?.end(isDone: isDone)
        context = nil
        own = nil
        give(result)
    }
}

extension ListService {
    /// Begins a request.
    func begin<Value>(
        _ give: @escaping @Sendable (Result<Value, ServiceError>) -> Void,
        _ body: @escaping AsyncRequest<Value>.Body
    ) {
        AsyncRequest(self, give, body).start()
    }

    func pending<Value>(_ body: @escaping AsyncRequest<Value>.Body) -> Pending<Value> {
        let pending = Pending<Value>()
        begin({ pending.give($0) }, body)
        return pending
    }

    func position(of list: String) -> Pending<ListPosition> {
        pending { service, context throws(ServiceError) in
            try service.position(of: list, context)
        }
    }

    func changes(
        of list: String, after version: Int, limit: Int, bytes: Int
    ) -> Pending<[StoredChange]?> {
        pending { service, context throws(ServiceError) in
            try service.changes(
                of: list, after: version, limit: limit, bytes: bytes, context)
        }
    }

    func versionedList(ofListContaining task: TaskID) -> Pending<VersionedList> {
        pending { service, context throws(ServiceError) in
            try service.versionedList(ofListContaining: task, context)
        }
    }

    /// - Parameter onNews: called after each change of the list and each notice.
    func watch(_ list: String, onNews: @escaping @Sendable () -> Void) -> ListWatch {
        watch(list, for: NewsObserver(onNews))
    }
}

private final class NewsObserver: Resumable {
    private let onNews: @Sendable () -> Void
    init(_ onNews: @escaping @Sendable () -> Void) { self.onNews = onNews }
    func resume() { onNews() }
}

/// Renders responses as words: `version changed`, or the name of the refusal.
struct WordRenderer: WriteRenderer {
    func bytes(of result: Result<WriteResult, ServiceError>, withTasks _: Bool) -> [UInt8] {
        switch result {
        case .success(let answer): Array("\(answer.version) \(answer.changed)".utf8)
        case .failure(let error): Array(error.word.utf8)
        }
    }

    func bytes(
        of result: Result<CommandResult, ServiceError>, at _: Int, withTasks _: Bool
    ) -> [UInt8] {
        Array(result.word.utf8)
    }
}

/// The queue of each service.
private let loops = Mutex<[ObjectIdentifier: ServiceQueue]>([:])

private struct ServiceQueue {
    let queue = DispatchQueue(label: "event loop")
}
