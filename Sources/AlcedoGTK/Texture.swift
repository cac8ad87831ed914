#if GTK
    public import Alcedo
    import CGtk4

    /// A picture for GTK to draw, without a copy of the pixels.
    ///
    /// The pixels live for as long as GTK or a `Texture` holds on to them. It can be made and used on any
    /// thread.
    ///
    /// Safe because a `GdkTexture` is immutable and counts its references atomically.
    public final class Texture: @unchecked Sendable {
        /// The longest side that every GTK renderer can draw, in pixels.
        public static let longestSide = 32_767

        /// The `GdkTexture`, which is also a `GdkPaintable`; valid for as long as this object lives.
        public let handle: OpaquePointer

        /// Lends the memory of `bitmap`, which must not have straight alpha, to a new texture.
        init(_ bitmap: Bitmap) throws(CodecError) {
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
        /// The image, or its first frame, for GTK to draw; decoded now unless it has been before.
        ///
        /// - Throws: ``CodecError`` if the image is damaged, or has a side over ``Texture/longestSide``.
        public func texture() throws(CodecError) -> Texture {
            try Texture(base.bitmap())
        }
    }
#endif
