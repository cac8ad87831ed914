import Alcedo
import Foundation
import Harness

/// How much memory it takes to decode a file once, and with `kind=resize` to halve its sides then.
///
/// `bitmaps` is what the process had resident at most beyond what it had before, in sizes of the decoded bitmap.
func peak(_ arguments: Arguments) throws {
    let data = try input(arguments)
    let before = residentMemory()
    var bytes = 0
    let seconds = try time {
        let bitmap = try Image(decoding: data).bitmap()
        bytes = bitmap.width * bitmap.height * 4
        guard arguments("kind") == "resize" else { return }
        let size = CGSize(width: bitmap.width / 2, height: bitmap.height / 2)
        let small = ResizingImageProcessor(referenceSize: size)
            .process(item: .image(Image(bitmap: bitmap)), options: plain)
        guard try small?.bitmap() != nil else { fail("not resized") }
    }
    report([seconds], ["bitmaps": Double(peakMemory() - before) / Double(bytes)])
}
