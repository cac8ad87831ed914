/// Decodes a picture of an open file, of which it reads only what it needs.
///
/// For files that are too large to be read whole, such as videos. A decoder holds no state: one value serves every thread.
package protocol FileDecoder: Sendable {
    /// Decodes one picture upright, in sRGB.
    ///
    /// - Parameters:
    ///   - file: the descriptor of a regular file that is open for reading; its position has no meaning.
    ///   - options: ``DecodeOptions/time``, the limits and the kind of alpha; other options have no effect, and
    ///     ``DecodeLimits/encodedBytes`` does not apply.
    /// - Returns: the picture.
    /// - Throws: ``CodecError``.
    func decode(_ file: Int32, options: DecodeOptions) throws(CodecError) -> Bitmap
}
