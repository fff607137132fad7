import Dispatch
import ReorderStore
import Synchronization

/// A request with a key, while it is being done for the first time.
package final class Attempt: Sendable {
    private let service: ListService
    private let request: RequestKey
    /// When it came, in milliseconds since 1970.
    private let time: Int64
    private let render: @Sendable (Result<WriteAnswer, ServiceError>) -> [UInt8]
    /// Begins anew, where another server has changed what this was about.
    private let again: @Sendable () -> Void
    private let committed = Mutex<[UInt8]?>(nil)

    fileprivate init(
        _ service: ListService, _ request: RequestKey, at time: Int64,
        render: @escaping @Sendable (Result<WriteAnswer, ServiceError>) -> [UInt8],
        again: @escaping @Sendable () -> Void
    ) {
        self.service = service
        self.request = request
        self.time = time
        self.render = render
        self.again = again
    }

    /// The answer, to be stored with the change that it tells of: both or neither become durable.
    /// Rendered here, under the list's lock.
    func answer(with change: WriteAnswer) -> StoredAnswer {
        let bytes = render(.success(change))
        committed.withLock { $0 = bytes }
        return stored(bytes)
    }

    /// Ends the attempt with what became of it: durable, but for the answer where nothing changed.
    fileprivate func end(
        with result: Result<WriteAnswer, ServiceError>,
        _ completion: @escaping ListService.Completion<ListService.OnceAnswer>
    ) {
        switch result {
        case .success:
            if let bytes = committed.withLock(\.self) { return tell(bytes, completion) }
        case .failure(.overtaken): return again()
        case .failure(let error) where service.sharing != nil && error.isAbsence:
            return look(for: error, completion)
        case .failure(let error) where !error.isDecision:
            release()
            return completion(.failure(error))
        case .failure: break
        }
        let bytes = render(result)
        service.commitAlone([stored(bytes)]) { isDurable in
            guard !isDurable else { return self.tell(bytes, completion) }
            // Maybe another server has stored its answer first.
            guard self.service.sharing == nil else { return self.again() }
            self.release()
            completion(.failure(.unavailable))
        }
    }

    /// Tells that something is not there, unless that is because another server has done this very
    /// request meanwhile: its answer is there since then.
    private func look(
        for absence: ServiceError,
        _ completion: @escaping ListService.Completion<ListService.OnceAnswer>
    ) {
        service.keptAnswers(to: [request.answerKey], at: time) { [self] kept in
            let failure: ServiceError
            switch kept {
            case .success(let kept) where !kept.isEmpty: return again()
            case .success: failure = absence
            case .failure(let error): failure = error
            }
            release()
            completion(.failure(failure))
        }
    }

    private func tell(
        _ bytes: [UInt8], _ completion: ListService.Completion<ListService.OnceAnswer>
    ) {
        // First, so that whoever has the answer may ask again.
        release()
        completion(.success(ListService.OnceAnswer(bytes: bytes, isReplay: false)))
    }

    private func stored(_ bytes: [UInt8]) -> StoredAnswer {
        service.storedAnswer(
            to: request.answerKey, at: time, KeptAnswer(digest: request.digest, bytes: bytes))
    }

    private func release() {
        service.claims.release([request.answerKey])
    }
}

extension ListService {
    /// The answer to a request with a key, as it was rendered the first time.
    package struct OnceAnswer: Sendable {
        package var bytes: [UInt8]
        /// Whether it was given before.
        package var isReplay: Bool
    }

    /// Does a request with a key, or gives the answer that it got before.
    ///
    /// An answer is stored before it is given, in the commit of the change it tells of where there is
    /// one. What a list did not decide is not kept (`ServiceError.isDecision`), and comes as an error.
    ///
    /// - Parameters:
    ///   - render: the answer's bytes; called once for what is kept.
    ///   - body: does the request, with the attempt as `WriteRequest.attempt`.
    package func once(
        _ request: RequestKey,
        render: @escaping @Sendable (Result<WriteAnswer, ServiceError>) -> [UInt8],
        _ completion: @escaping Completion<OnceAnswer>,
        _ body: @escaping @Sendable (Attempt, @escaping Completion<WriteAnswer>) -> Void
    ) {
        guard claims.claim(request.answerKey) else {
            return completion(.failure(.requestInProgress))
        }
        attempt(request, until: .patience, render: render, completion, body)
    }

    /// Looks for the answer, and does the request where there is none. Its key is claimed.
    private func attempt(
        _ request: RequestKey, until deadline: DispatchTime,
        render: @escaping @Sendable (Result<WriteAnswer, ServiceError>) -> [UInt8],
        _ completion: @escaping Completion<OnceAnswer>,
        _ body: @escaping @Sendable (Attempt, @escaping Completion<WriteAnswer>) -> Void
    ) {
        let key = request.answerKey
        let time = clock().milliseconds
        let end = { @Sendable [self] (result: Result<OnceAnswer, ServiceError>) in
            claims.release([key])
            completion(result)
        }
        keptAnswers(to: [key], at: time) { [self] result in
            switch result.map({ $0[key] }) {
            case .failure(let error): end(.failure(error))
            case .success(let kept?) where kept.digest != request.digest: end(.failure(.keyReused))
            case .success(let kept?): end(.success(OnceAnswer(bytes: kept.bytes, isReplay: true)))
            case .success(nil):
                let attempt = Attempt(self, request, at: time, render: render) { [self] in
                    guard DispatchTime.now() < deadline else { return end(.failure(.unavailable)) }
                    self.attempt(request, until: deadline, render: render, completion, body)
                }
                body(attempt) { attempt.end(with: $0, completion) }
            }
        }
    }
}
