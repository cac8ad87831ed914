import AlcedoCodecs
import AlcedoWorker

/// `alcedo-decode`: decodes JPEG, PNG, GIF and WebP in a sandbox.
@main
enum Program {
    static func main() {
        DecodeWorker([JPEGCodec(), PNGCodec(), WebPCodec(), GIFCodec()]).run()
    }
}
