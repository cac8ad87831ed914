#if GTK
    public import Alcedo
    import CGtk4

    /// A `GdkTexture` that shares the pixels of a bitmap.
    ///
    /// GTK and the `Texture` each retain the pixels. Thread-safe.
    ///
    /// Safe because a `GdkTexture` is immutable and counts its references atomically.
    public final class Texture: @unchecked Sendable {
        /// The maximum side that all GTK renderers support, in pixels.
        public static let longestSide = 32_767

        /// The `GdkTexture`, which is also a `GdkPaintable`; valid for the lifetime of this object.
        public let handle: OpaquePointer

        /// Creates a texture that shares the memory of `bitmap`, which must not have straight alpha.
        ///
        /// A deep one has its depth and its colours, or 16 bits of sRGB where GTK doesn't know these.
        init(_ bitmap: Bitmap) throws(CodecError) {
            let longest = max(bitmap.width, bitmap.height)
            guard longest <= Self.longestSide else {
                throw .limitExceeded(.pixels, value: longest, limit: Self.longestSide)
            }
            if let texture = Self.deepTexture(try bitmap.knownToScreens()) {
                handle = texture
            } else if let texture = Self.deepTexture(try bitmap.deepInSRGB()) {
                handle = texture
            } else {
                let (size, stride) = (bitmap.size, gsize(bitmap.bytesPerRow))
                handle = Self.sharing(bitmap) { bytes in
                    gdk_memory_texture_new(
                        Int32(size.width), Int32(size.height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes,
                        stride)
                }
            }
        }

        /// Nil for 8 bits, and for colours that GTK does not know.
        private static func deepTexture(_ bitmap: Bitmap) -> OpaquePointer? {
            guard bitmap.isDeep, case .codePoints(let primaries, let transfer) = bitmap.colorSpace else {
                return nil
            }
            return sharing(bitmap) { bytes in
                alcedo_gdk_deep_texture(
                    bytes, Int32(bitmap.width), Int32(bitmap.height), UInt32(primaries), UInt32(transfer))
            }
        }

        /// Calls `create` with the pixels of a bitmap, which live as long as GTK refers to them.
        private static func sharing<Result>(_ bitmap: Bitmap, _ create: (OpaquePointer?) -> Result) -> Result
        {
            let bytes = g_bytes_new_with_free_func(
                bitmap.storage.baseAddress,
                gsize(bitmap.storage.count),
                { owner in if let owner { Unmanaged<Bitmap>.fromOpaque(owner).release() } },
                Unmanaged.passRetained(bitmap).toOpaque()
            )
            defer { g_bytes_unref(bytes) }
            return create(bytes)
        }

        deinit { g_object_unref(UnsafeMutableRawPointer(handle)) }
    }

    extension KingfisherWrapper where Base: KFCrossPlatformImage {
        /// A texture of the image, or of its first frame; decodes it if necessary, on the calling thread.
        ///
        /// A deep image, which loading with `ColorRetention/full` makes, has 16 bits a channel: from GTK 4.16 on in its own
        /// colour space if that has code points that GTK knows, else in sRGB. Light of PQ and HLG above white is compressed.
        ///
        /// A large image takes hundreds of milliseconds: on the main thread, await the asynchronous form.
        ///
        /// - Throws: `CodecError` if the image is damaged, or has a side over ``Texture/longestSide``.
        public func texture() throws(CodecError) -> Texture {
            try Texture(base.bitmap())
        }

        /// A texture of the image, or of its first frame; decodes it on a worker thread if necessary.
        ///
        /// - Throws: `CodecError` as the synchronous form does.
        public func texture() async throws(CodecError) -> Texture {
            try Texture(await base.bitmapFromWorker())
        }
    }
#endif
