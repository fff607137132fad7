/// A fixed-size heap buffer with several owners, written only by a sole owner. The elements are in the
/// object itself, so reaching one after the other costs one access to memory, not two.
/// A writer must check with `isKnownUniquelyReferenced` that it is the only owner.
final class SharedBuffer<Element>: ManagedBuffer<Int, Element> {
    /// Creates a buffer of `capacity` elements: those of `other` first, then `filler`.
    static func make(
        capacity: Int, copying other: SharedBuffer<Element>? = nil, filler: Element
    ) -> SharedBuffer<Element> {
        let new = unsafeDowncast(
            create(minimumCapacity: capacity) { _ in capacity }, to: SharedBuffer<Element>.self)
        let copied = min(other?.count ?? 0, capacity)
        if let other { new.elements.initialize(from: other.elements, count: copied) }
        (new.elements + copied).initialize(repeating: filler, count: capacity - copied)
        return new
    }

    @inline(__always)
    var elements: UnsafeMutablePointer<Element> { withUnsafeMutablePointerToElements { $0 } }
    /// The number of elements.
    var count: Int { header }

    deinit { elements.deinitialize(count: count) }
}

/// A page of raw bytes that begins on a cache line. The bytes are in the object itself, so a page is one
/// allocation. A writer must check with `isKnownUniquelyReferenced` that it is the only owner.
final class Page: ManagedBuffer<Int, UInt8> {
    /// Creates a page with the bytes of `other` that fit; the rest is uninitialized.
    static func make(byteCount: Int, copying other: Page?) -> Page {
        let new = unsafeDowncast(
            create(minimumCapacity: byteCount + cacheLine - 1) { _ in byteCount }, to: Page.self)
        if let other {
            new.base.copyMemory(from: other.base, byteCount: min(byteCount, other.byteCount))
        }
        return new
    }

    var base: UnsafeMutableRawPointer {
        withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0).alignedUp(toMultipleOf: cacheLine)
        }
    }

    var byteCount: Int { header }
}

/// The size of a cache line of the supported processors, in bytes.
let cacheLine = 64
