import Dispatch
import Synchronization
import Testing
import Waiting

@testable import ReorderService

@Suite struct UndoQueueTests {
    /// An undo that runs until the test ends it.
    private final class Held: Sendable {
        private let begun = DispatchSemaphore(value: 0)
        private let ended = DispatchSemaphore(value: 0)
        private let answer = Mutex<Bool?>(nil)

        private let permit: Mutex<UndoQueue.Permit?>

        init(_ permit: UndoQueue.Permit) { self.permit = Mutex(permit) }

        /// Whether the undo was allowed to begin; nil before it is called.
        var mayBegin: Bool? { answer.withLock(\.self) }

        func run(_ mayBegin: Bool) {
            answer.withLock { $0 = mayBegin }
            begun.signal()
            if mayBegin { ended.wait() }
        }

        func wait() throws { try begun.waitForSignal() }

        func end() {
            permit.withLock { $0 = nil }
            ended.signal()
        }
    }

    private func add(_ list: String, to queue: UndoQueue) throws(ServiceError) -> Held {
        let held = Held(try queue.admit(list))
        queue.run(of: list, { if case .failure = $0 { held.run(false) } }) { held.run(true) }
        return held
    }

    private func refusal(_ list: String, by queue: UndoQueue) -> String {
        do throws(ServiceError) {
            _ = try add(list, to: queue)
            return "none"
        } catch {
            return error.word
        }
    }

    private func end(_ all: [Held], _ queue: UndoQueue) {
        for held in all { held.end() }
        queue.prepareToStop(inSeconds: 0)
        queue.stop(withinSeconds: hangSeconds)
    }

    @Test func oneUndoRunsPerListWithoutDelayingOtherLists() throws {
        let queue = UndoQueue(UndoLimits())
        let first = try add("l", to: queue)
        try first.wait()
        let second = try add("l", to: queue)
        let other = try add("m", to: queue)
        try other.wait()
        #expect(second.mayBegin == nil)
        other.end()
        let third = try add("m", to: queue)
        try third.wait()
        #expect(second.mayBegin == nil)
        first.end()
        try second.wait()
        end([second, third], queue)
    }

    @Test func aListAndTheServerHaveALimit() throws {
        var limits = UndoLimits()
        limits.ofList = 2
        limits.ofServer = 3
        let queue = UndoQueue(limits)
        let first = try add("l", to: queue)
        try first.wait()
        var all = [first, try add("l", to: queue)]
        #expect(refusal("l", by: queue) == "tooManyUndos")
        all.append(try add("m", to: queue))
        #expect(refusal("n", by: queue) == "tooManyUndos")
        first.end()
        try all[1].wait()
        // The first undo has ended, so one more can be added.
        all.append(try add("l", to: queue))
        #expect(refusal("n", by: queue) == "tooManyUndos")
        end(all, queue)
    }

    /// So readers cannot prevent undos.
    @Test func readsGetHalfOfTheLimits() throws {
        var limits = UndoLimits()
        limits.ofList = 4
        limits.ofServer = 6
        let queue = UndoQueue(limits)
        var reads = try (0..<2).map { _ in try queue.admit("l", isRead: true) }
        #expect(throws: ServiceError.self) { try queue.admit("l", isRead: true) }
        reads.append(try queue.admit("m", isRead: true))
        #expect(throws: ServiceError.self) { try queue.admit("n", isRead: true) }
        let undos = try ["l", "l", "n"].map { try queue.admit($0) }
        #expect(throws: ServiceError.self) { try queue.admit("n") }
        for permit in reads + undos { permit.end() }
        #expect(queue.counts == (0, 0))
    }

    @Test func stoppingRefusesWaitingUndosAndInterruptsRunningOnes() throws {
        let queue = UndoQueue(UndoLimits())
        let running = try add("l", to: queue)
        try running.wait()
        let waiting = try (0..<5).map { _ in try add("l", to: queue) }
        queue.prepareToStop(inSeconds: 3_600)
        for held in waiting { #expect(held.mayBegin == false) }
        #expect(refusal("m", by: queue) == "unavailable")
        #expect(queue.mayContinue)
        queue.prepareToStop(inSeconds: 0)
        #expect(!queue.mayContinue)
        running.end()
        queue.stop(withinSeconds: hangSeconds)
    }
}
