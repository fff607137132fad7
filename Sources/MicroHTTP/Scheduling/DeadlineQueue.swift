/// An object with a deadline. When the deadline passes, the queue calls `deadlinePassed`.
protocol Timed: AnyObject {
    /// In milliseconds of the monotonic clock. Must not change while the object is in the queue.
    var deadline: Int { get set }
    /// The index in the queue, set by the queue; -1 if the object is in no queue.
    var deadlinePlace: Int { get set }
    func deadlinePassed(at now: Int)
}

/// A binary heap of deadlines, the earliest first, whose elements know their index.
final class DeadlineQueue {
    private var heap: [any Timed] = []

    /// The earliest deadline.
    var first: Int? { heap.first?.deadline }

    /// Complexity: O(log n).
    func insert(_ timed: any Timed) {
        heap.append(timed)
        timed.deadlinePlace = heap.count - 1
        rise(from: heap.count - 1)
    }

    /// Removes the object if it is in the queue. Complexity: O(log n).
    func remove(_ timed: any Timed) {
        let place = timed.deadlinePlace
        guard place >= 0 else { return }
        timed.deadlinePlace = -1
        let last = heap.removeLast()
        guard last !== timed else { return }
        heap[place] = last
        last.deadlinePlace = place
        rise(from: place)
        sink(from: last.deadlinePlace)
    }

    /// Removes and returns an object whose deadline has passed.
    func popPassed(at now: Int) -> (any Timed)? {
        guard let timed = heap.first, timed.deadline <= now else { return nil }
        remove(timed)
        return timed
    }

    private func rise(from start: Int) {
        var place = start
        while place > 0, heap[place].deadline < heap[(place - 1) / 2].deadline {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private func sink(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != place else { return }
            swap(place, least)
            place = least
        }
    }

    private func swap(_ left: Int, _ right: Int) {
        heap.swapAt(left, right)
        heap[left].deadlinePlace = left
        heap[right].deadlinePlace = right
    }
}
