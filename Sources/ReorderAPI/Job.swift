import MicroHTTP
import ReorderService

/// What a request needs next. A handler reads the request once and returns its first job, and `RunningRequest` does
/// the jobs, one after the other, until one is a response.
enum Job: Sendable {
    /// Makes the next job: on the event loop, except for `work`.
    typealias Next = @Sendable () throws -> Job

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
    static func wait<Value: Sendable>(
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
