import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService
import Synchronization

/// A list that arrives in lines (`ListLines`). Worker threads read the lines while they arrive, so the event loop
/// serves other requests, and the body is never in memory as a whole.
final class ListUpload: BodyReader {
    static let mediaType: StaticString = "application/x-ndjson"

    private struct State {
        var lines: ListLines
        /// Of the lines that were read; nil for a request without an `Idempotency-Key`.
        var digest: BodyDigest?
        /// Why the request is refused. Set once.
        var problem: Problem?

        /// Refuses the request and frees the list.
        mutating func refuse(_ problem: Problem) {
            self.problem = problem
            lines = ListLines(
                maximumLineBytes: lines.maximumLineBytes, maximumTasks: lines.maximumTasks)
        }
    }

    private let state: Mutex<State>
    private let api: ReorderAPI

    /// - Parameter request: has its head and its route. If it must be refused anyway, its body is not read.
    init(_ request: Request, _ endpoint: Endpoint, maximumLineBytes: Int, _ api: ReorderAPI) {
        self.api = api
        var state = State(
            lines: ListLines(
                maximumLineBytes: maximumLineBytes,
                maximumTasks: api.service.limits.tasksPerList),
            digest: request.headers.contains("idempotency-key") ? BodyDigest() : nil)
        do throws(Problem) {
            try endpoint.check(request, api.access)
            try request.checkMediaType(["application/json", "\(Self.mediaType)"])
        } catch {
            state.problem = error
        }
        self.state = Mutex(state)
    }

    var needsMore: Bool { state.withLock { $0.problem == nil } }

    var memoryBytes: Int { state.withLock { $0.lines.memoryBytes } }

    func read(_ slice: [UInt8], whenDone: @escaping @Sendable ([UInt8]) -> Void) {
        let isTaken = api.service.workers.run(.upload, holding: slice.count) { [self] in
            whenDone(Array(slice[read(slice)...]))
        }
        guard !isTaken else { return }
        state.withLock { $0.refuse(Problem(ServiceError.unavailable)) }
        whenDone([])
    }

    /// Returns the number of bytes that were read.
    private func read(_ slice: [UInt8]) -> Int {
        state.withLock { state in
            do throws(ListLines.Fault) {
                let count = try state.lines.read(slice, makeID: api.makeID)
                state.digest?.add(slice[..<count])
                return count
            } catch {
                state.refuse(Problem(error))
                return slice.count
            }
        }
    }

    /// Returns the id in the first line, and the complete list.
    ///
    /// - Parameter rest: the last bytes of the body. They take as long to read as a JSON body of that size.
    func list(endingWith rest: [UInt8]) throws(Problem) -> (String?, ReorderableList) {
        let (copy, problem) = state.withLock { ($0.lines, $0.problem) }
        if let problem { throw problem }
        var lines = copy
        do throws(ListLines.Fault) {
            let list = try lines.readEnd(rest, makeID: api.makeID)
            return (lines.id, list)
        } catch {
            throw Problem(error)
        }
    }

    /// The digest of the whole body, for a request with an `Idempotency-Key`.
    func digest(endingWith rest: [UInt8]) -> [UInt8]? {
        guard var digest = state.withLock({ $0.digest }) else { return nil }
        digest.add(rest[...])
        return digest.value
    }
}
