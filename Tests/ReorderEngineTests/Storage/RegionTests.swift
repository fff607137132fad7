import Dispatch
import RandomRuns
import Synchronization
import Testing

@testable import ReorderEngine

@Suite struct RegionTests {
    @Test func pagesThatAreTakenAtOnceAreApart() {
        var random = SeededGenerator(seed: RandomRun.seed)
        let region = Region()
        var taken: [(base: UnsafeMutableRawPointer, content: UInt64)] = []
        var wasFull = false
        for round in 0..<4_000 {
            // Until none is left, and then down to none.
            if random.chance(round % 2_000 < 1_000 ? 70 : 30), let base = region.take() {
                #expect(Int(bitPattern: base) % PagedMemory.pageBytes == 0)
                let content = random.next()
                write(content, to: base)
                taken.append((base, content))
            } else if !taken.isEmpty {
                wasFull = wasFull || taken.count == pagesOfARegion
                let page = taken.remove(at: .random(in: 0..<taken.count, using: &random))
                #expect(content(of: page.base) == page.content, "seed \(RandomRun.seed)")
                region.giveBack(page.base)
            }
            #expect(region.isHalfFree == (taken.count <= pagesOfARegion / 2))
        }
        #expect(wasFull)
    }

    @Test func severalThreadsTakeAndGiveBackAtOnce() {
        let region = Region()
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<500 {
                let content = UInt64(thread * 1_000 + round)
                let taken = (0..<pagesOfARegion / 3).compactMap { _ in region.take() }
                for base in taken { write(content, to: base) }
                for base in taken {
                    if self.content(of: base) != content { wrong.withLock { $0 += 1 } }
                    region.giveBack(base)
                }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func copiesOfALargeArrayKeepWhatTheyHold() {
        var array = PagedArray<UInt64>()
        let count = 500 * PagedArray<UInt64>.pageCapacity
        array.append(repeating: 0, count: count)
        var copies: [PagedArray<UInt64>] = []
        for round in 1...3 {
            copies.append(array)
            for index in stride(from: 0, to: count, by: 500) { array[index] = UInt64(round) }
        }
        copies.append(array)
        for (round, copy) in copies.enumerated() {
            #expect(stride(from: 0, to: count, by: 500).allSatisfy { copy[$0] == UInt64(round) })
            #expect(stride(from: 1, to: count, by: 500).allSatisfy { copy[$0] == 0 })
        }
    }

    /// Copies share regions: under the thread sanitizer this tells whether memory that one gives
    /// back comes to another before the first is done with it.
    @Test func copiesOnOtherThreadsGoOnWritingEachForItself() {
        var array = PagedArray<UInt64>()
        let count = 500 * PagedArray<UInt64>.pageCapacity
        array.append(repeating: 0, count: count)
        let original = array
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 1...10 {
                var copy = original
                let indices = stride(from: thread, to: count, by: 5_000)
                for index in indices { copy[index] = UInt64(round) }
                let isRight = indices.allSatisfy { copy[$0] == round && original[$0] == 0 }
                if !isRight { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test func roomOfVacatedPagesIsUsedAgain() {
        var memory = PagedMemory()
        for _ in 0..<1_000 { _ = memory.addPage(byteCount: PagedMemory.pageBytes) }
        let before = regions(of: memory)
        for page in stride(from: 1, to: 1_000, by: 2) { memory.vacate(page) }
        for page in stride(from: 1, to: 700, by: 2) {
            memory.resize(page, to: PagedMemory.pageBytes)
        }
        #expect(regions(of: memory).isSubset(of: before))
    }

    @Test func snapshotsThatComeAndGoTakeNoEverMoreRegions() {
        var random = SeededGenerator(seed: RandomRun.seed)
        var memory = PagedMemory()
        for _ in 0..<1_000 { _ = memory.addPage(byteCount: PagedMemory.pageBytes) }
        let before = regions(of: memory).count
        for _ in 0..<20_000 {
            let snapshot = memory
            for _ in 0..<4 { _ = memory.writableBase(of: .random(in: 0..<1_000, using: &random)) }
            withExtendedLifetime(snapshot) {}
        }
        // The pages from before there were regions have come into them: 256 are two.
        #expect(regions(of: memory).count <= before + 3, "seed \(RandomRun.seed)")
    }

    private var pagesOfARegion: Int { 128 }

    /// Where the regions of a store begin.
    private func regions(of memory: PagedMemory) -> Set<Int> {
        // The first pages have memory of their own.
        Set(
            (257..<memory.pageCount).filter { memory.byteCount(of: $0) > 0 }
                .map { Int(bitPattern: memory.base(of: $0)) >> 21 })
    }

    /// Writes the first and the last bytes of a page.
    private func write(_ content: UInt64, to base: UnsafeMutableRawPointer) {
        base.storeBytes(of: content, as: UInt64.self)
        base.storeBytes(of: content, toByteOffset: PagedMemory.pageBytes - 8, as: UInt64.self)
    }

    /// What was written, where both ends still have it.
    private func content(of base: UnsafeMutableRawPointer) -> UInt64? {
        let first = base.load(as: UInt64.self)
        let last = base.load(fromByteOffset: PagedMemory.pageBytes - 8, as: UInt64.self)
        return first == last ? first : nil
    }
}
