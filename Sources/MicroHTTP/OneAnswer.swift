import Synchronization

/// A closure that is called at most once, however often an answer is given.
final class OneAnswer: Sendable {
    private let deliver: @Sendable (Response) -> Void
    private let given = Atomic<Bool>(false)

    init(_ deliver: @escaping @Sendable (Response) -> Void) {
        self.deliver = deliver
    }

    func give(_ response: Response) {
        guard !given.exchange(true, ordering: .relaxed) else { return }
        deliver(response)
    }
}
