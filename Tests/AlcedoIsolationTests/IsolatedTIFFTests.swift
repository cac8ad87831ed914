#if TIFF
    import AlcedoPixels
    import AlcedoTIFF
    import AlcedoTestSupport
    import Testing

    @testable import AlcedoIsolation

    @Suite(.timeLimit(.minutes(10)))
    struct `TIFFs in a worker` {
        /// What the decoder makes of it does not matter, only that there is one.
        @Test func `a TIFF in a worker may have a compression that is rejected in this process`() throws {
            var bytes = try Fixture.data("tiff/plain.tiff")
            let directory = Int(bytes[4]) | Int(bytes[5]) << 8
            for entry in 0..<Int(bytes[directory]) {
                let place = directory + 2 + 12 * entry
                guard Int(bytes[place]) | Int(bytes[place + 1]) << 8 == 259 else { continue }
                // JBIG.
                bytes.replaceSubrange(place + 8..<place + 10, with: [0x65, 0x87])
            }
            let codec = IsolatedCodec(TIFFCodec(), in: DecoderGroup.built("alcedo-decode-heif"))
            func reason(_ isolation: DecodeSandbox) throws -> String {
                let options = DecodeOptions { ($0.limits.sandbox, $0.limits.seconds) = (isolation, 600) }
                let error = #expect(throws: CodecError.self) {
                    try codec.decode(bytes.span.bytes, options: options)
                }
                return "\(try #require(error))"
            }
            #expect(try reason(.off).contains("in worker processes only"))
            #expect(try !reason(.preferred).contains("in worker processes only"))
        }
    }
#endif
