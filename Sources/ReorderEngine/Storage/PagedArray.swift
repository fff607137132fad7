/// An array in pages: value semantics, copied on write page by page.
///
/// Copying it is O(1). The first write after a copy copies the element's page (and a two-level page
/// directory), never the whole array. Elements do not move while the array grows, except on the
/// first page. That page doubles until it has its full size, so that a short array is small.
///
/// Elements are bitwise-copyable and accessed by pointers: a reading pointer is valid until the
/// next write to the array, a writing pointer until the next `append`.
struct PagedArray<Element: BitwiseCopyable>: Sendable {
    private var memory = PagedMemory()
    private(set) var count = 0
    /// The number of elements that fit without another page.
    private(set) var capacity = 0

    /// The size of all pages in bytes. O(1).
    var byteCount: Int { memory.byteCount }

    init() {}

    /// The number of elements in a page.
    @inline(__always)
    static var pageCapacity: Int { 1 << pageShift }

    @inline(__always)
    private static var pageShift: Int { shift(forBytes: PagedMemory.pageBytes) }

    /// The number of elements that fit, rounded down to a power of two, as a shift.
    @inline(__always)
    private static func shift(forBytes bytes: Int) -> Int {
        let fitting = max(1, bytes / MemoryLayout<Element>.stride)
        return Int.bitWidth - 1 - fitting.leadingZeroBitCount
    }

    /// The element at `index`, for reading. O(1).
    @inline(__always)
    func pointer(at index: Int) -> UnsafePointer<Element> {
        assert(index >= 0 && index < count)
        let base = memory.base(of: index &>> Self.pageShift)
        return base.assumingMemoryBound(to: Element.self) + (index & (Self.pageCapacity - 1))
    }

    /// The element at `index`, for writing; copies its page if a copy of this array shares it.
    /// O(1).
    @inline(__always)
    mutating func writablePointer(at index: Int) -> UnsafeMutablePointer<Element> {
        assert(index >= 0 && index < count)
        let base = memory.writableBase(of: index &>> Self.pageShift)
        return base.assumingMemoryBound(to: Element.self) + (index & (Self.pageCapacity - 1))
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        get { pointer(at: index).pointee }
        set { writablePointer(at: index).pointee = newValue }
    }

    /// Appends `element`, `elements` times. O(elements) amortized.
    mutating func append(repeating element: Element, count elements: Int = 1) {
        let first = count
        while capacity < first + elements { addCapacity() }
        count += elements
        for index in first..<count { writablePointer(at: index).initialize(to: element) }
    }

    private mutating func addCapacity() {
        let stride = MemoryLayout<Element>.stride
        if capacity >= Self.pageCapacity {
            _ = memory.addPage(byteCount: Self.pageCapacity * stride)
            capacity += Self.pageCapacity
        } else if capacity > 0 {
            capacity *= 2
            memory.resize(0, to: capacity * stride)
        } else {
            capacity = min(Self.pageCapacity, 1 << Self.shift(forBytes: 128))
            _ = memory.addPage(byteCount: capacity * stride)
        }
    }
}
