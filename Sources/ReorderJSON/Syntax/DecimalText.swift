/// A JSON number as text, with its exact value.
struct DecimalText {
    private let text: Slice<UnsafeBufferPointer<UInt8>>
    let isNegative: Bool
    /// The significant digits: from the first to the last digit other than zero, possibly with a
    /// point between.
    private var significant: Range<Int>
    /// The power of ten of the first significant digit.
    private(set) var magnitude = 0
    /// The power of ten of the last significant digit.
    private var scale = 0

    /// Parses a checked number. O(its length).
    init(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
        self.text = text
        isNegative = text.first == ASCII.minus
        var first: Int?
        var last = text.startIndex
        var point: Int?
        var exponent = 0
        // Not `indices`, which the compiler does not specialize for a slice: it takes five times as long.
        scan: for index in text.startIndex..<text.endIndex {
            switch text[index] {
            case ASCII.dot: point = index
            case ASCII.minus, ASCII.zero: continue
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = Self.exponent(text[(index + 1)...])
                if point == nil { point = index }
                break scan
            default:
                if first == nil { first = index }
                last = index
            }
        }
        guard let first else {
            significant = text.startIndex..<text.startIndex
            return
        }
        significant = first..<last + 1
        let end = point ?? text.endIndex
        magnitude = exponent + (first < end ? end - first - 1 : end - first)
        scale = exponent + (last < end ? end - last - 1 : end - last)
    }

    /// The exponent's value. It is bounded, so that adding to it does not overflow. Beyond the
    /// bound, only the sign matters.
    private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text where ASCII.isDigit(byte) {
            value = min(value * 10 + Int(byte - ASCII.zero), 1 << 56)
        }
        return text.first == ASCII.minus ? -value : value
    }

    var isZero: Bool { significant.isEmpty }

    /// The significant digits without the point.
    var digits: some Sequence<UInt8> { text[significant].lazy.filter { $0 != ASCII.dot } }

    /// Whether the nearest double is finite.
    var fitsDouble: Bool {
        if significant.isEmpty || magnitude < 308 { return true }
        if magnitude > 308 { return false }
        return Double(String(decoding: text, as: UTF8.self))?.isFinite ?? false
    }

    /// The number as an integer.
    var integer: Result<Int, Failure> {
        if significant.isEmpty { return .success(0) }
        if scale < 0 { return .failure(.notAnInteger) }
        if magnitude > 18 { return .failure(.outOfRange) }
        var value = 0
        var overflow = false
        func push(_ digit: UInt8) {
            let product = value.multipliedReportingOverflow(by: 10)
            let step = isNegative ? -Int(digit) : Int(digit)
            let sum = product.partialValue.addingReportingOverflow(step)
            value = sum.partialValue
            overflow = overflow || product.overflow || sum.overflow
        }
        for byte in text[significant] where byte != ASCII.dot { push(byte - ASCII.zero) }
        for _ in 0..<scale { push(0) }
        return overflow ? .failure(.outOfRange) : .success(value)
    }

    /// Why a number is not an `Int`.
    enum Failure: Error {
        case notAnInteger, outOfRange
    }
}
