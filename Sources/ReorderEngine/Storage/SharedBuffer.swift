/// A fixed-size heap buffer that several owners may hold, and that only a sole owner writes.
///
/// Both pointers are `let`: a class property that can change would cost a dynamic exclusivity
/// check at each access, and these are read several times in every operation.
///
/// Sendable although it points to mutable memory: whoever writes has checked with
/// `isKnownUniquelyReferenced` that nobody else holds the buffer, so no shared buffer ever changes.
final class SharedBuffer<Element>: @unchecked Sendable {
    let elements: UnsafeMutablePointer<Element>
    let capacity: Int

    /// A buffer of `capacity` elements: those of `other` first, then `filler`.
    init(capacity: Int, copying other: SharedBuffer<Element>? = nil, filler: Element) {
        elements = .allocate(capacity: capacity)
        self.capacity = capacity
        let copied = min(other?.capacity ?? 0, capacity)
        if let other { elements.initialize(from: other.elements, count: copied) }
        (elements + copied).initialize(repeating: filler, count: capacity - copied)
    }

    deinit {
        elements.deinitialize(count: capacity)
        elements.deallocate()
    }
}

/// A page of raw bytes that begins on a cache line.
///
/// Sendable although it points to mutable memory: whoever writes has checked with
/// `isKnownUniquelyReferenced` that nobody else holds the page, so no shared page ever changes.
final class Page: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int
    /// The region that the page is part of; nil where it has memory of its own.
    let region: Region?

    /// An uninitialized page with memory of its own.
    init(byteCount: Int) {
        base = .allocate(byteCount: byteCount, alignment: cacheLine)
        self.byteCount = byteCount
        region = nil
    }

    /// An uninitialized page of `PagedMemory.pageBytes` in `region`; nil where that has no room.
    init?(in region: Region) {
        guard let base = region.take() else { return nil }
        self.base = base
        byteCount = PagedMemory.pageBytes
        self.region = region
    }

    deinit {
        if let region {
            region.giveBack(base)
        } else {
            base.deallocate()
        }
    }
}

/// Bytes in a cache line of the processors this runs on.
let cacheLine = 64
