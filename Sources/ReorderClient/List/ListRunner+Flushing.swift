extension ListRunner.State {
    /// A caller that waits until everything is sent, with the numbers of failures until then.
    struct Flush: Sendable {
        let writingFailures: Int
        /// nil if the caller does not wait for what the server has.
        let readingFailures: Int?
        let continuation: CheckedContinuation<Bool, Never>
    }
}

extension ListRunner {
    /// Sends what waits, at once.
    ///
    /// - Parameter reads: whether to read what the server has now, too, and to wait for it.
    /// - Returns: whether everything was sent; false after the next failure, and if the runner stops.
    func flush(reads: Bool = false) async -> Bool {
        takeInbox()
        return await withCheckedContinuation { continuation in
            state.withLock { state in
                state.flushes.append(
                    State.Flush(
                        writingFailures: state.machine.writingFailures,
                        readingFailures: reads ? state.machine.readingFailures : nil,
                        continuation: continuation))
                if reads {
                    state.machine.refresh(at: now)
                } else {
                    state.machine.retryNow(at: now)
                }
                follow(&state)
            }
        }
    }

    func endFlushes(_ state: inout State) {
        guard !state.flushes.isEmpty else { return }
        let machine = state.machine
        state.flushes.removeAll { flush in
            let hasRead = flush.readingFailures.map {
                machine.isCurrent || machine.readingFailures > $0
            }
            let hasSent = machine.isSettled || machine.writingFailures > flush.writingFailures
            let isEnded = machine.isStopped || hasSent && hasRead ?? true
            if isEnded { flush.continuation.resume(returning: machine.isSettled) }
            return isEnded
        }
    }
}
