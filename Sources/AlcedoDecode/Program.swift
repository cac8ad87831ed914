import AlcedoCodecs
import AlcedoWorker

/// `alcedo-decode`: decodes JPEG, PNG, GIF, WebP, BMP and ICO in a sandbox.
@main
enum Program {
    static func main() {
        DecodeWorker([JPEGCodec(), PNGCodec(), WebPCodec(), GIFCodec(), BMPCodec(), ICOCodec()]).run()
    }
}
