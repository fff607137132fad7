/// A priority queue of events by time; events of the same time keep their order of insertion.
struct EventQueue<Event> {
    private var heap: [(time: Double, number: Int, event: Event)] = []
    private var made = 0

    mutating func add(_ event: Event, at time: Double) {
        made += 1
        heap.append((time, made, event))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func next() -> (time: Double, event: Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
                guard let child = children.min(by: { isBefore($0, $1) }), isBefore(child, parent)
                else { break }
                heap.swapAt(child, parent)
                parent = child
            }
        }
        return (first.time, first.event)
    }

    private func isBefore(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].number) < (heap[right].time, heap[right].number)
    }
}
