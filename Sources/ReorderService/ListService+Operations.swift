import Dispatch
import ReorderStore

extension ListService {
    /// Does a batch whose ops have ids: each op that was decided before has that result.
    ///
    /// Where another batch is at work on one of them, this one waits until that is durable.
    func write(
        _ request: WriteRequest, once keys: OperationKeys,
        _ completion: @escaping Completion<WriteAnswer>,
        _ body: @escaping @Sendable (OperationKeys, @escaping Completion<WriteAnswer>) -> Void
    ) {
        let answerKeys = Set(keys.keys.compactMap { $0?.id }).map { id in
            AnswerKey(.operation, of: request.list, id)
        }
        claims.claim(answerKeys) {
            let end = { @Sendable (result: Result<WriteAnswer, ServiceError>) in
                self.claims.release(answerKeys)
                completion(result)
            }
            self.perform(request, once: keys, answerKeys, until: .patience, end, body)
        }
    }

    /// Looks for the results of the ops, and does the batch. The keys are claimed.
    private func perform(
        _ request: WriteRequest, once keys: OperationKeys, _ answerKeys: [AnswerKey],
        until deadline: DispatchTime, _ end: @escaping Completion<WriteAnswer>,
        _ body: @escaping @Sendable (OperationKeys, @escaping Completion<WriteAnswer>) -> Void
    ) {
        // Where another server has done some of them meanwhile. With a key of its own the request as a
        // whole may have been done: then that is looked for first.
        let again = { @Sendable [self] in
            guard request.attempt == nil else { return end(.failure(.overtaken)) }
            guard DispatchTime.now() < deadline else { return end(.failure(.unavailable)) }
            perform(request, once: keys, answerKeys, until: deadline, end, body)
        }
        let time = clock().milliseconds
        keptAnswers(to: answerKeys, at: time) { [self] found in
            var keys = keys
            keys.time = time
            let known: [AnswerKey: KeptAnswer]
            switch found {
            case .failure(let error): return end(.failure(error))
            case .success(let found): known = found
            }
            keys.known = known
            body(keys) { [self] result in
                if case .failure(.overtaken) = result { return again() }
                // Nothing is stored of it, so the store does not tell that another server has done some of
                // the ops meanwhile, which is why they would be refused now.
                if sharing != nil, case .failure(.command) = result {
                    return keptAnswers(to: answerKeys, at: time) { found in
                        switch found {
                        case .failure(let error): end(.failure(error))
                        case .success(let found):
                            if found.count == known.count { end(result) } else { again() }
                        }
                    }
                }
                guard case .success(let answer) = result, !answer.unstored.isEmpty else {
                    return end(result)
                }
                commitAlone(answer.unstored) { [self] isDurable in
                    if isDurable { return end(result) }
                    if sharing != nil { again() } else { end(.failure(.unavailable)) }
                }
            }
        }
    }
}
