import Dispatch
import RandomRuns
import Synchronization
import Testing

@testable import ReorderEngine

/// Values of one memory that are copied, written and dropped in any order.
@Suite struct PagedMemoryTests {
    /// The values' versions form trees of any shape. None sees what another writes, and exactly the blocks
    /// that none has any more are freed.
    @Test func valuesAreIndependent() {
        var random = SeededGenerator(seed: RandomRun.seed)
        var values = [ModeledMemory()]
        let tree = values[0].memory.version.tree
        for number in 0..<RandomRun.operations(percent: 100) {
            let chosen = random.below(values.count)
            switch random.below(100) {
            case ..<10: if values.count < 8 { values.append(values[chosen]) }
            case ..<19:
                let dropped = values.remove(at: chosen)
                // Only values without copies may have been made from this one.
                if values.isEmpty { values.append(dropped) }
            case 19: values = [values[chosen]]
            default: values[chosen].step(using: &random)
            }
            let read = random.below(values.count)
            var wrong = number % 100 < 2 ? values[read].difference() : nil
            let own = values[0].memory.ownBlockCount
            if values.count == 1, let blocks = tree.countedBlocks, blocks != own {
                wrong = "\(blocks) blocks, \(own) in use"
            }
            #expect(wrong == nil, "operation \(number), REORDERD_SEED=\(RandomRun.seed)")
            if wrong != nil { return }
        }
        values = []
        #expect(tree.countedBlocks ?? 0 == 0, "REORDERD_SEED=\(RandomRun.seed)")
    }

    /// Each thread reads copies of the published value, writes to its own, and publishes some. Page 0 has
    /// the sum of all others.
    @Test(arguments: [100, 300]) func threadsDropAndWriteCopies(pages: Int) {
        var first = PagedMemory()
        for _ in 0..<pages {
            let page = first.addPage(byteCount: 64)
            first.writableBase(of: page).storeBytes(of: 0, as: Int.self)
        }
        let tree = first.version.tree
        let published = Mutex<PagedMemory?>(first)
        first = PagedMemory()
        let wrong = Mutex(0)
        let rounds = RandomRun.operations(percent: 5)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var random = SeededGenerator(seed: RandomRun.seed &+ UInt64(thread))
            var kept: [PagedMemory] = []
            for _ in 0..<rounds {
                guard var memory = published.withLock({ $0 }) else { return }
                for _ in 0..<random.below(4) {
                    memory.add(random.below(100), to: 1 + random.below(pages - 1))
                }
                if random.chance(30) { kept.append(memory) }
                if kept.count > 6 { kept.remove(at: random.below(kept.count)) }
                if random.chance(30) { published.withLock { $0 = memory } }
                let read = kept.randomElement(using: &random) ?? memory
                let sum = (1..<pages).reduce(0) { $0 + read.number(in: $1) }
                if sum != read.number(in: 0) { wrong.withLock { $0 += 1 } }
            }
        }
        published.withLock { $0 = nil }
        #expect(wrong.withLock { $0 } == 0, "REORDERD_SEED=\(RandomRun.seed)")
        #expect(tree.countedBlocks ?? 0 == 0, "REORDERD_SEED=\(RandomRun.seed)")
    }

    /// After the other version is gone, its blocks are written in place.
    @Test func aDroppedCopyCostsOneBlock() {
        var memory = PagedMemory()
        for _ in 0..<100 { _ = memory.addPage(byteCount: 64) }
        var copy: PagedMemory? = memory
        _ = memory.writableBase(of: 0)
        #expect(copy?.base(of: 0) != memory.base(of: 0))
        let before = (0..<100).map { memory.base(of: $0) }
        copy = nil
        let moved = (0..<100).count { memory.writableBase(of: $0) != before[$0] }
        #expect(moved <= 1)
    }
}

/// A memory, and the bytes that its pages must have; nil for a vacated page.
private struct ModeledMemory {
    var memory = PagedMemory()
    var pages: [[UInt8]?] = []

    mutating func step(using random: inout SeededGenerator) {
        let page = random.below(pages.count)
        switch random.below(20) {
        case 0, 1:
            // Sometimes enough for another directory.
            for _ in 0..<(random.chance(5) ? 150 : 1) where pages.count < 1_000 {
                let added = memory.addPage(byteCount: 24)
                pages.append([])
                fill(added, from: 0, to: 24, using: &random)
            }
        case 2 where page < pages.count: resize(page, to: 8 + random.below(40), using: &random)
        case 3 where page < pages.count:
            memory.vacate(page)
            pages[page] = nil
        default:
            guard page < pages.count, let bytes = pages[page] else { return }
            fill(page, from: random.below(bytes.count), to: bytes.count, using: &random)
        }
    }

    private mutating func resize(
        _ page: Int, to size: Int, using random: inout SeededGenerator
    ) {
        memory.resize(page, to: size)
        let kept = (pages[page] ?? []).prefix(size)
        pages[page] = Array(kept)
        fill(page, from: kept.count, to: size, using: &random)
    }

    private mutating func fill(
        _ page: Int, from start: Int, to end: Int, using random: inout SeededGenerator
    ) {
        let bytes = (start..<end).map { _ in UInt8(random.below(256)) }
        (memory.writableBase(of: page) + start).copyMemory(from: bytes, byteCount: bytes.count)
        pages[page] = (pages[page] ?? []).prefix(start) + bytes
    }

    func difference() -> String? {
        if memory.pageCount != pages.count { return "the number of pages" }
        if memory.byteCount != pages.reduce(0, { $0 + ($1?.count ?? 0) }) { return "the size" }
        for (page, expected) in pages.enumerated() {
            if memory.byteCount(of: page) != expected?.count ?? 0 { return "the size of \(page)" }
            guard let expected else { continue }
            let bytes = UnsafeRawBufferPointer(start: memory.base(of: page), count: expected.count)
            if !bytes.elementsEqual(expected) { return "the bytes of page \(page)" }
        }
        return nil
    }
}

extension LockedVersionTree {
    /// nil in builds that do not count.
    fileprivate var countedBlocks: Int? {
        #if DEBUG && os(Linux)
            blockCount
        #else
            nil
        #endif
    }
}

extension PagedMemory {
    /// The number of pages and directories of this value.
    fileprivate var ownBlockCount: Int {
        let slots = UnsafeMutableBufferPointer(start: version.slots, count: version.count)
        let blocks = slots.compactMap(\.self)
        guard version.hasDirectories else { return blocks.count }
        return blocks.reduce(blocks.count) { count, directory in
            count + directory.slots.count { $0 != nil }
        }
    }

    fileprivate func number(in page: Int) -> Int { base(of: page).load(as: Int.self) }

    /// Adds to the number in a page, and to the sum in page 0.
    fileprivate mutating func add(_ number: Int, to page: Int) {
        for page in [0, page] {
            let base = writableBase(of: page)
            base.storeBytes(of: base.load(as: Int.self) + number, as: Int.self)
        }
    }
}
