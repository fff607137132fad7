import Foundation
import ReorderWebhooks
import Testing

@Suite struct SignatureTests {
    /// The example of the Standard Webhooks specification's libraries.
    @Test func theSignatureIsThatOfTheSpecification() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.signature(
            of: Array(#"{"test": 2432232314}"#.utf8), id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            time: 1_614_265_330)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func aSecretHas24To64BytesInBase64() {
        for (count, isValid) in [(23, false), (24, true), (64, true), (65, false)] {
            let text = "whsec_" + Data(repeating: 7, count: count).base64EncodedString()
            #expect((WebhookSecret(text) != nil) == isValid, "\(count)")
        }
        #expect(WebhookSecret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") == nil)
        #expect(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa-_") == nil)
        #expect(WebhookSecret(WebhookSecret().text) != nil)
        #expect(WebhookSecret().text != WebhookSecret().text)
    }
}
