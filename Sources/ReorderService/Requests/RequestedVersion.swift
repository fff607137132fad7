/// A version of a list in a request: a number, and the epoch that the client read with it.
package struct RequestedVersion: Sendable, Equatable {
    package let number: Int
    /// nil if the request has only the number. Then it means the version of the current epoch.
    package let epoch: String?

    package init(_ number: Int, epoch: String? = nil) {
        self.number = number
        self.epoch = epoch
    }

    /// The number in the history of an epoch. A version of another epoch is not in it: this returns
    /// `Int.max`, which no list reaches.
    package func number(in epoch: String) -> Int {
        self.epoch == nil || self.epoch == epoch ? number : .max
    }
}
