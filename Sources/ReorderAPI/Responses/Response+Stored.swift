import MicroHTTP

/// The stored form of a response: its status, header fields, an empty line, and its body.
extension Response {
    var stored: [UInt8] {
        var head = "\(status)\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\n" }
        return Array("\(head)\n".utf8) + body
    }

    /// Returns nil if the bytes are not a stored response.
    init?(stored bytes: [UInt8]) {
        var rest = bytes[...]
        var lines: [Substring] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[(end + 1)...]
            guard line.isEmpty else {
                lines.append(line[...])
                continue
            }
            guard let status = lines.first.flatMap({ Int($0) }) else { return nil }
            var headers = HeaderFields()
            for line in lines.dropFirst() {
                guard let colon = line.firstRange(of: ": ") else { return nil }
                headers.add(
                    String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
            }
            self.init(status: status, headers: headers, body: Array(rest))
            return
        }
        return nil
    }
}
