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

        /// Creates a texture that shares the memory of `bitmap`, which must not have straight alpha; a deep one becomes 8 bits of sRGB.
        init(_ bitmap: Bitmap) throws(CodecError) {
            let bitmap = try bitmap.standard()
            let longest = max(bitmap.width, bitmap.height)
            guard longest <= Self.longestSide else {
                throw .limitExceeded(.pixels, value: longest, limit: Self.longestSide)
            }
            let bytes = g_bytes_new_with_free_func(
                bitmap.unsafeBaseAddress,
                gsize(bitmap.byteCount),
                { owner in if let owner { Unmanaged<Bitmap>.fromOpaque(owner).release() } },
                Unmanaged.passRetained(bitmap).toOpaque()
            )
            handle = gdk_memory_texture_new(
                Int32(bitmap.width),
                Int32(bitmap.height),
                GDK_MEMORY_B8G8R8A8_PREMULTIPLIED,
                bytes,
                gsize(bitmap.bytesPerRow)
            )
            g_bytes_unref(bytes)
        }

        deinit { g_object_unref(UnsafeMutableRawPointer(handle)) }
    }

    extension KingfisherWrapper where Base: KFCrossPlatformImage {
        /// A texture of the image, or of its first frame; decodes it if necessary, on the calling thread.
        ///
        /// A large image takes hundreds of milliseconds: on the main thread, await the asynchronous form.
        ///
        /// - Throws: `CodecError` if the image is damaged, or has a side over ``Texture/longestSide``.
        public func texture() throws(CodecError) -> Texture {
            try Texture(base.decodedPixels(drawnAt: nil))
        }

        /// A texture of the image, or of its first frame; decodes it on a worker thread if necessary.
        ///
        /// - Throws: `CodecError` as the synchronous form does.
        public func texture() async throws(CodecError) -> Texture {
            try Texture(await base.bitmapFromWorker())
        }
    }
#endif
