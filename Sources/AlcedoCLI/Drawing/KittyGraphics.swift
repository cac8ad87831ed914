import Alcedo
import Foundation

/// Draws a bitmap with kitty's graphics protocol, as a PNG in pieces
/// (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
enum KittyGraphics {
    /// The most base64 characters of one escape sequence in the protocol.
    private static let longestPiece = 4096

    /// The next frame of the same program replaces the one before.
    private static let identifier = max(1, Int(getpid()))

    /// The cursor stays at the first line if it `keepsCursor`, otherwise it goes to the end of the last one.
    static func text(of bitmap: Bitmap, keepsCursor: Bool) throws -> String {
        var rest = Substring(try Image(bitmap: bitmap).data(as: .png).base64EncodedString())
        // T: send and show; f=100: PNG; q=2: no responses.
        var control = "a=T,f=100,i=\(identifier),p=1,C=\(keepsCursor ? 1 : 0),q=2,"
        var text = ""
        repeat {
            let piece = rest.prefix(longestPiece)
            rest = rest.dropFirst(longestPiece)
            text += "\u{1B}_G\(control)m=\(rest.isEmpty ? 0 : 1);\(piece)\u{1B}\\"
            control = ""
        } while !rest.isEmpty
        return text
    }
}
