import Foundation
import ReorderCrypto

/// A secret that signs events, in the form of the Standard Webhooks specification: `whsec_` and 24 to 64
/// bytes in base64.
package struct WebhookSecret: Sendable, Equatable, Codable {
    package let text: String
    private let bytes: [UInt8]

    private static let prefix = "whsec_"
    package static let byteCounts = 24...64

    /// Returns nil if the text has another form.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix),
            let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count))),
            Self.byteCounts.contains(bytes.count)
        else { return nil }
        self.text = text
        self.bytes = Array(bytes)
    }

    /// Creates a secret of 256 bits from the system's generator.
    package init() {
        bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        text = Self.prefix + Data(bytes).base64EncodedString()
    }

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let secret = WebhookSecret(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "not a secret")
        }
        self = secret
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(text)
    }

    /// The value of `webhook-signature`.
    ///
    /// - Parameter time: the value of `webhook-timestamp`, in seconds since 1970.
    package func signature(of body: [UInt8], id: String, time: Int) -> String {
        let signed = Array("\(id).\(time).".utf8) + body
        let code = SHA256.authenticationCode(of: signed, secret: bytes)
        return "v1," + Data(code).base64EncodedString()
    }
}
