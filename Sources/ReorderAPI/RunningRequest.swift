import MicroHTTP
import ReorderService
import Synchronization

/// A request to the API. Its handler runs once and makes a job, which leads to other jobs and at last to
/// a response.
///
/// `@unchecked Sendable`: only the event loop's thread uses it, except `nextJob`, `isAbandoned`, and what
/// does not change.
final class RunningRequest: @unchecked Sendable {
    private let request: Request
    private let api: ReorderAPI
    private let handling: any RequestHandling
    private let exchange: any HTTPExchange

    /// Has a type of its own, because each optional closure is another closure that calls it.
    private struct NextStep { let job: Job.Next }

    /// What follows from the current job.
    private struct NextJob {
        var next: NextStep?
        /// Whether the event loop has left the request, so that it must be resumed.
        var isAwaited = false
    }

    private let nextJob = Mutex(NextJob())
    /// The poll that the request waits for.
    private var poll: (LongPoll, next: @Sendable (_ isOver: Bool) throws -> Job)?
    /// Whether searches are not to begin any more: the client has left, or has waited too long.
    private let isAbandoned = Atomic<Bool>(false)

    private init(
        _ exchange: any HTTPExchange, _ handling: any RequestHandling, _ api: ReorderAPI
    ) {
        self.exchange = exchange
        self.handling = handling
        self.api = api
        let request = exchange.request
        if let ticket = request.principal as? TicketPrincipal, handling.acceptsTickets {
            self.request = request.with(ticket.access)
        } else {
            self.request = request
        }
    }

    /// Handles a request, from the beginning or after a wait.
    static func handle(
        _ exchange: any HTTPExchange, _ handling: any RequestHandling,
        _ api: @autoclosure () -> ReorderAPI
    ) -> Response? {
        if let running = exchange.state as? RunningRequest {
            let response = running.takeNext().flatMap { running.response(after: $0.job) }
            if response != nil { exchange.state = nil }
            return response
        }
        let running = RunningRequest(exchange, handling, api())
        let response = running.response(after: running.begin)
        if response == nil { exchange.state = running }
        return response
    }

    // MARK: On the event loop

    private func begin() throws -> Job {
        // To read a large body would delay the other requests of the event loop. A streamed body was
        // read before, but its content is as much work as that of any other body.
        let content = request.body.count + (request.bodyReader?.memoryBytes ?? 0)
        let size = WorkerThreads.Size(bytes: content)
        return size == .small ? try read() : .work(size, read)
    }

    @Sendable private func read() throws -> Job {
        try handling.begin(request, api)
    }

    /// Does jobs until there is a response, or until one has to wait. Then it returns nil.
    private func response(after first: () throws -> Job) -> Response? {
        if let response = perform(first) { return response }
        while let next = takeNext() {
            if let response = perform(next.job) { return response }
        }
        return nil
    }

    /// Does a job. Returns nil if it is not a response.
    private func perform(_ next: () throws -> Job) -> Response? {
        do {
            switch try next() {
            case .respond(let response): return response
            case .write(let write, let rendering):
                api.service.write(write, as: rendering) { [self] outcome in
                    proceed { .respond(try rendering.response(to: outcome)) }
                }
            case .wait(let begin): begin { [self] in proceed($0) }
            case .work(let size, let work): self.work(size, work)
            case .poll(let poll, let next): wait(for: poll, next)
            }
        } catch {
            return handling.response(to: error, api)
        }
        return nil
    }

    /// What follows from the current job; nil if the request has to wait for it.
    private func takeNext() -> NextStep? {
        if exchange.isTimeOver { isAbandoned.store(true, ordering: .releasing) }
        if let (poll, next) = poll {
            let isOver = exchange.isTimeOver
            guard isOver || poll.takeNews() else { return nil }
            self.poll = nil
            return NextStep { try next(isOver) }
        }
        return nextJob.withLock { nextJob in
            nextJob.isAwaited = nextJob.next == nil
            return nextJob.next.take()
        }
    }

    private func wait(
        for poll: LongPoll, _ next: @escaping @Sendable (_ isOver: Bool) throws -> Job
    ) {
        exchange.resume(afterSeconds: Double(poll.seconds))
        poll.onNews { [exchange] in exchange.resume() }
        self.poll = (poll, next)
    }

    private func work(_ size: WorkerThreads.Size, _ work: @escaping Job.Next) {
        if size == .search { exchange.resume(afterSeconds: Self.searchSeconds) }
        let isTaken = api.service.workers.run(size) { [self] in
            if size == .search, isAbandoned.load(ordering: .acquiring) { return refuse() }
            let job = Result { try work() }
            proceed { try job.get() }
        }
        if !isTaken { refuse() }
    }

    /// A search that has waited so long, or whose client has left, is not begun any more.
    private static let searchSeconds = 60.0

    // MARK: From any thread

    /// Ends the current job.
    private func proceed(_ next: @escaping Job.Next) {
        let isAwaited = nextJob.withLock { nextJob in
            assert(nextJob.next == nil, "a job has ended twice")
            nextJob.next = NextStep(job: next)
            defer { nextJob.isAwaited = false }
            return nextJob.isAwaited
        }
        if isAwaited { exchange.resume() }
    }

    private func refuse() { proceed { throw ServiceError.unavailable } }
}

/// What a route does with a request.
package protocol RequestHandling: AnyObject, Sendable {
    /// Whether a client with a ticket for event streams may use the route.
    var acceptsTickets: Bool { get }
    /// Reads the request. Called on the event loop, or on a worker if the body is not small.
    func begin(_ request: Request, _ api: ReorderAPI) throws -> Job
    func response(to error: any Error, _ api: ReorderAPI) -> Response
}

/// Another protocol for the lists of the API: all methods at a path and below it. Tokens can be sent as
/// passwords (`Authorization: Basic`).
package struct ProtocolMount: Sendable {
    let path: String
    /// Those that pages of other origins may use.
    let methods: [HTTPMethod]
    let handling: any RequestHandling

    package init(_ path: String, methods: [HTTPMethod], _ handling: any RequestHandling) {
        self.path = path
        self.methods = methods
        self.handling = handling
    }
}

/// What a request needs next. A handler reads the request once and returns its first job, and `RunningRequest` does
/// the jobs, one after the other, until one is a response.
package enum Job: Sendable {
    /// Makes the next job: on the event loop, except for `work`.
    package typealias Next = @Sendable () throws -> Job

    case respond(Response)
    /// A write, and how to render its response.
    case write(WriteRequest, WriteRendering)
    /// Waits for an operation of the service: begins it, with a function that the operation calls once,
    /// on any thread.
    case wait(@Sendable (_ proceed: @escaping @Sendable (@escaping Next) -> Void) -> Void)
    /// Work for a worker, which may block until the store responds.
    case work(WorkerThreads.Size, Next)
    /// Waits for news, or until the time of the poll is over.
    case poll(LongPoll, @Sendable (_ isOver: Bool) throws -> Job)

    /// Waits for the value of an operation, and then does `next` on the event loop.
    package static func wait<Value: Sendable>(
        for begin: @escaping @Sendable (@escaping Completion<Value>) -> Void,
        _ next: @escaping @Sendable (Value) throws -> Job
    ) -> Job {
        .wait { proceed in
            begin { result in proceed { try next(try result.get()) } }
        }
    }

    /// Makes a page of a list: on a worker if it takes long, otherwise at once.
    static func onWorker(if isLong: Bool, _ next: @escaping Next) throws -> Job {
        isLong ? .work(.search, next) : try next()
    }
}
