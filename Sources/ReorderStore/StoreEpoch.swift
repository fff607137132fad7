/// Names of epochs: see `ListStore.epoch`.
package enum StoreEpoch {
    /// The length of a name, in characters `0` to `9` and `a` to `f`.
    package static let nameLength = 12

    /// A new random name.
    package static func makeName() -> String {
        var random = SystemRandomNumberGenerator()
        return makeName(using: &random)
    }

    /// A new random name.
    package static func makeName(using random: inout some RandomNumberGenerator) -> String {
        let digits = Array("0123456789abcdef")
        return String(
            (0..<nameLength).map { _ in digits[Int.random(in: 0..<digits.count, using: &random)] })
    }
}
