/// What something is to happen for at a time, unless it is taken out before.
protocol Timed: AnyObject {
    /// In milliseconds of the monotonic clock. Not to be changed while it is in the queue.
    var deadline: Int { get set }
    /// Its place in the queue, which sets it; -1 while it is in none.
    var deadlinePlace: Int { get set }
    func deadlinePassed(at now: Int)
}

/// Deadlines, the earliest first: a binary heap whose elements know their places.
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

    /// Takes it out, where it is in. Complexity: O(log n).
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

    /// Takes out one whose time has come.
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
