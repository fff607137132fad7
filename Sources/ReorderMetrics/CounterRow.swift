import Synchronization

/// A row of counters that any thread can read.
///
/// If only one thread at a time writes to a row, counting is a load and a store. With a row for
/// each thread, no cache line is shared, so events can be counted a hundred thousand times a
/// second. A reader adds up the rows.
///
/// `@unchecked Sendable`: the memory is allocated once, and each cell is atomic.
package final class CounterRow: @unchecked Sendable {
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

    /// Adds to a cell. Only for the row's single writer.
    package func add(_ amount: Int, to index: Int) {
        set(self[index] &+ amount, at: index)
    }

    /// Sets a cell. Only for the row's single writer.
    package func set(_ value: Int, at index: Int) {
        precondition(index >= 0 && index < count)
        cells[index].store(value, ordering: .relaxed)
    }

    /// Adds to a cell that several threads write to.
    package func addAmongOthers(_ amount: Int, to index: Int) {
        precondition(index >= 0 && index < count)
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }
}
