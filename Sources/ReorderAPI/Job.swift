import MicroHTTP
import ReorderService

/// What a request asks for: a handler reads the request once, and `Call` then does the job.
enum Job {
    case respond(Response)
    /// A write, and how to render its response.
    case write(WriteRequest, WriteRendering)
    /// Work that may have to wait. After each wait, it runs again from its beginning, on the event
    /// loop's thread or on a worker's.
    case run((Call) throws -> Response)
    /// Work that may have to wait, and then another job. It does not run again when the other job
    /// waits.
    indirect case then((Call) throws -> Job)
}
