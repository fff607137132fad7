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
            var keys = keys
            keys.time = self.clock().milliseconds
            do throws(ServiceError) {
                keys.known = try self.keptAnswers(to: answerKeys, at: keys.time)
            } catch {
                return end(.failure(error))
            }
            body(keys) { result in
                guard case .success(let answer) = result, !answer.unstored.isEmpty else {
                    return end(result)
                }
                self.commitAlone(answer.unstored) { isDurable in
                    end(isDurable ? result : .failure(.unavailable))
                }
            }
        }
    }
}
