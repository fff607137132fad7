/// The header fields of a request, looked up without regard to the case of their names.
package struct RequestHeaders: Sendable {
    let head: RequestHead

    /// The first value of that name. Complexity: O(number of fields).
    package subscript(name: String) -> String? {
        var found: String?
        head.forEachField { fieldName, value in
            guard matches(fieldName, name) else { return true }
            found = String(decoding: head.bytes[value], as: UTF8.self)
            return false
        }
        return found
    }

    /// What `body` makes of the value of that name, where there is just one. Complexity: O(number of
    /// fields), without a string for the value.
    ///
    /// - Parameter name: in lower-case letters.
    package func withOnly<Result>(
        _ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) -> Result?
    ) -> Result? {
        guard let only = only(name) else { return nil }
        return head.bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[only]))
        }
    }

    /// Whether there is just one field of that name, and its value is this one, in whichever case.
    /// Complexity: O(number of fields).
    ///
    /// - Parameters:
    ///   - name: in lower-case letters.
    ///   - value: in lower-case letters.
    package func hasOnly(_ name: StaticString, _ value: StaticString) -> Bool {
        guard let only = only(name) else { return false }
        return head.bytes.withUnsafeBufferPointer {
            isName(UnsafeBufferPointer(rebasing: $0[only]), value)
        }
    }

    /// The value of that name, where there is just one. Not generic, as what asks is: that other modules
    /// call as it is.
    private func only(_ name: StaticString) -> Range<Int>? {
        head.bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var found = 0..<0
            head.forEachField { fieldName, value in
                if isName(UnsafeBufferPointer(rebasing: bytes[fieldName]), name) {
                    count += 1
                    found = value
                }
                return true
            }
            return count == 1 ? found : nil
        }
    }

    /// All values of that name, in order. Complexity: O(number of fields).
    package func all(_ name: String) -> [String] {
        var found: [String] = []
        head.forEachField { fieldName, value in
            if matches(fieldName, name) {
                found.append(String(decoding: head.bytes[value], as: UTF8.self))
            }
            return true
        }
        return found
    }

    /// All fields, in order, without the white space round their values.
    package var fields: [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        head.forEachField { name, value in
            fields.append(
                (
                    String(decoding: head.bytes[name], as: UTF8.self),
                    String(decoding: head.bytes[value], as: UTF8.self)
                ))
            return true
        }
        return fields
    }

    private func matches(_ range: Range<Int>, _ name: String) -> Bool {
        guard range.count == name.utf8.count else { return false }
        return head.bytes.withUnsafeBufferPointer { bytes in
            var index = range.lowerBound
            for byte in name.utf8 {
                guard lowercased(bytes[index]) == lowercased(byte) else { return false }
                index += 1
            }
            return true
        }
    }
}
