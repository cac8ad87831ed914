#if GTK
    import Alcedo
    @testable import AlcedoGTK
    import AlcedoTestSupport
    import CGtk4
    import Foundation
    import Testing

    // GTK's types are made on one thread: the locks of GLib 2.74 can be taken in two orders.
    @MainActor
    struct `A texture` {
        @Test func `a texture has the pixels of its image`() throws {
            let bitmap = try Sample.translucent(37, 21)
            #expect(bitmap.bytes.contains { $0 > 0 && $0 < 255 })
            let texture = try Image(bitmap: bitmap).kf.texture()
            #expect(gdk_texture_get_width(texture.handle) == 37)
            #expect(gdk_texture_get_height(texture.handle) == 21)
            #expect(texture.pixels == bitmap.bytes)
        }

        @Test
        func `a texture keeps the image's pixels alive, without a copy, until GTK lets go of it`() throws {
            weak var bitmap: Bitmap?
            var texture: Texture?
            do {
                let pixels = try Sample.translucent(8, 8)
                bitmap = pixels
                texture = try Image(bitmap: pixels).kf.texture()
            }
            #expect(bitmap != nil)
            let handle = try #require(texture?.handle)
            g_object_ref(UnsafeMutableRawPointer(handle))
            texture = nil
            #expect(bitmap != nil)
            g_object_unref(UnsafeMutableRawPointer(handle))
            #expect(bitmap == nil)
        }

        @Test func `a texture is that of all views that draw a bitmap, as long as one does`() throws {
            let bitmap = try Sample.translucent(8, 8)
            var first = ScreenBitmap.shared(of: bitmap)
            #expect(first != nil && ScreenBitmap.shared(of: bitmap) === first)
            #expect(ScreenBitmap.shared(of: try Sample.translucent(8, 8)) !== first)
            weak let unused = first
            first = nil
            #expect(unused == nil)
            #expect(ScreenBitmap.shared(of: bitmap) != nil)
        }

        @Test func `a texture of an animation is the first frame, clear where that is clear`() throws {
            let image = try Image(decoding: Data(Fixture.data("made/animated.webp")))
            let bitmap = try image.bitmap()
            #expect(image.frameCount > 1)
            #expect(bitmap.alpha == .premultiplied)
            #expect(try image.kf.texture().pixels == bitmap.bytes)
        }

        @Test func `a texture that is awaited is decoded on another thread`() async throws {
            let (threads, registry) = (Recorder<String>(), CodecRegistry())
            registry.register(WatchedPNG(threads: threads))
            let options = KingfisherParsedOptionsInfo([.codecs(registry)])
            let data = try Image(bitmap: Sample.translucent(6, 4)).data(as: .png)
            let image = try #require(
                DefaultImageProcessor.default.process(item: .data(data), options: options))
            let texture = try await image.kf.texture()
            #expect(threads.count == 1 && threads.values.allSatisfy { $0.hasPrefix("alcedo-cpu-") })
            #expect(try texture.pixels == image.bitmap().bytes)
            let again = try await image.kf.texture()
            #expect(texture.pixels == again.pixels && threads.count == 1)
        }

        /// Notes the threads that decode.
        private struct WatchedPNG: ImageCodec {
            let threads: Recorder<String>
            let codec = PNGCodec()

            func format(of bytes: RawSpan) -> EncodedFormat? { codec.format(of: bytes) }

            func info(of bytes: RawSpan, limits: DecodeLimits) throws(CodecError) -> ImageInfo {
                try codec.info(of: bytes, limits: limits)
            }

            func decode(_ bytes: RawSpan, options: DecodeOptions) throws(CodecError) -> Bitmap {
                threads.append(Thread.current.name ?? "")
                return try codec.decode(bytes, options: options)
            }
        }

        @Test func `a texture of a deep image has its depth`() throws {
            let data = Data(try Fixture.data("pngsuite/png/basn2c16.png"))
            let deep = try Image(decoding: data, limits: DecodeLimits(colorRetention: .full))
            let texture = try deep.kf.texture()
            #expect(try Self.stored(texture).hasSamePixels(as: deep.bitmap()))
            let standard = try Image(decoding: data).kf.texture()
            #expect(zip(texture.pixels, standard.pixels).allSatisfy { abs(Int($0) - Int($1)) < 2 })
        }

        #if HEIF
            @Test(arguments: ["p3-10", "pq10"])
            func `a texture of a deep image in another space looks as that image does`(name: String) throws {
                let data = Data(try Fixture.data("deep/\(name).avif"))
                let deep = try Image(decoding: data, limits: DecodeLimits(colorRetention: .full))
                let shown = try deep.bitmap().standard()
                let texture = try deep.kf.texture()
                // GTK converts the spaces that it knows by itself.
                #expect(zip(texture.pixels, shown.bytes).allSatisfy { abs(Int($0) - Int($1)) < 4 })
            }
        #endif

        /// What GTK has of a texture's samples.
        private static func stored(_ texture: Texture) throws -> Bitmap {
            let bytes = try #require(gdk_texture_save_to_png_bytes(texture.handle))
            defer { g_bytes_unref(bytes) }
            var count: gsize = 0
            let start = g_bytes_get_data(bytes, &count)
            let png = Data(bytes: try #require(start), count: Int(count))
            return try Image(decoding: png, limits: DecodeLimits(colorRetention: .full)).bitmap()
        }

        @Test func `a texture is not created from a damaged image`() async throws {
            var bytes = try Fixture.data("pngsuite/png/basn6a08.png")
            bytes[bytes.count / 2] ^= 0xFF
            let image = try Image(decoding: Data(bytes))
            #expect(throws: CodecError.self) { try image.kf.texture() }
            await #expect(throws: CodecError.self) { try await image.kf.texture() }
        }

        @Test(arguments: [PixelSize(width: 32_768, height: 1), PixelSize(width: 1, height: 32_768)])
        func `a texture is not created from an image too long to draw`(size: PixelSize) throws {
            let image = Image(bitmap: try Sample.translucent(size.width, size.height))
            #expect(throws: CodecError.limitExceeded(.pixels, value: 32_768, limit: 32_767)) {
                try image.kf.texture()
            }
        }
    }
#endif
