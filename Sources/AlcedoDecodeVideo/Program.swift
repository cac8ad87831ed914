import AlcedoWorker

#if Video
    import AlcedoVideo
#endif

/// `alcedo-decode-video`: decodes frames of videos in a sandbox, if its trait is on.
@main
enum Program {
    static func main() {
        #if Video
            VideoDecoder.silence()
            DecodeWorker(files: VideoDecoder()).run()
        #else
            DecodeWorker().run()
        #endif
    }
}
