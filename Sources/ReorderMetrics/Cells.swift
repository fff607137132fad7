import Synchronization

/// Counters in a row, each read by any thread.
///
/// Where one thread at a time writes to a row, counting is a load and a store, and a row of its own
/// for each thread shares no cache line with another's: that is how what happens a hundred thousand
/// times a second is counted. Who reads sums the rows.
///
/// `@unchecked Sendable`: the memory is allocated once, and each of its cells is atomic.
package final class Cells: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    package let count: Int

    package init(count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    package subscript(index: Int) -> Int {
        precondition(index >= 0 && index < count)
        return cells[index].load(ordering: .relaxed)
    }

    /// Adds to a cell. For the row's only writer.
    package func add(_ amount: Int, to index: Int) {
        set(self[index] &+ amount, at: index)
    }

    /// Sets a cell. For the row's only writer.
    package func set(_ value: Int, at index: Int) {
        precondition(index >= 0 && index < count)
        cells[index].store(value, ordering: .relaxed)
    }

    /// Adds to a cell that other threads add to as well.
    package func addAmongOthers(_ amount: Int, to index: Int) {
        precondition(index >= 0 && index < count)
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }
}
