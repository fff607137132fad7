/// Names of epochs: see `ListStore.epoch`.
package enum StoreEpoch {
    /// How many characters a name has, each of them one of `0` to `9` and `a` to `f`.
    package static let nameLength = 12

    /// A new random name.
    package static func makeName() -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<nameLength).map { _ in digits[Int.random(in: 0..<digits.count)] })
    }
}
