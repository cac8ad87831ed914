#!/usr/bin/env bash
# Creates the videos in Tests/Fixtures/video with the ffmpeg command 5.1 of Debian 12. The results are committed; other versions
# make other bytes.
set -euo pipefail
cd "$(dirname "$0")/../Tests/Fixtures/video"

make() { ffmpeg -nostdin -v error -y "$@"; }

# Frame n of 20, ten in a second, has the luma 16 + 10 n: grey of 255 / 219 · 10 n.
counting=(-f lavfi -i "color=black:s=64x48:r=10:d=2,format=yuv420p,geq=lum=16+10*N:cb=128:cr=128")
exact=(-fflags +bitexact -flags:v +bitexact -map_metadata -1)
plain=("${exact[@]}" -color_range tv)
# Without the encoder's own report, which is longer than the frames.
h264=("${plain[@]}" -c:v libx264 -g 8 -bf 2 -x264-params keyint=8:scenecut=0 -bsf:v filter_units=remove_types=6)
tone=(-f lavfi -i sine=r=8000:d=2.5)

make "${counting[@]}" "${h264[@]}" h264.mp4
make "${counting[@]}" "${h264[@]}" -movflags faststart h264-headers-first.mp4
make "${counting[@]}" "${h264[@]}" -movflags frag_keyframe+empty_moov h264-fragments.mp4
make "${counting[@]}" "${tone[@]}" "${h264[@]}" -c:a aac -b:a 8k h264-sound.mkv
make "${counting[@]}" "${h264[@]}" -muxdelay 0 h264.ts
make "${counting[@]}" "${plain[@]}" -c:v libx265 -x265-params keyint=8:bframes=2:log-level=error:info=0 -tag:v hvc1 hevc.mov
make "${counting[@]}" "${plain[@]}" -c:v libvpx -g 8 -b:v 200k vp8.webm
make "${counting[@]}" "${plain[@]}" -c:v libvpx-vp9 -g 8 -b:v 200k vp9.webm
make "${counting[@]}" "${plain[@]}" -c:v libaom-av1 -g 8 -b:v 200k -cpu-used 8 av1.mp4
# AVI has no times of frames that are out of order.
make "${counting[@]}" "${plain[@]}" -c:v mpeg4 -g 8 -q:v 2 mpeg4.avi
make "${counting[@]}" "${plain[@]}" -c:v mpeg2video -g 8 -bf 2 -q:v 2 mpeg2.mkv
make "${counting[@]}" "${plain[@]}" -c:v libtheora -g 8 -q:v 10 theora.ogv
make "${counting[@]}" "${plain[@]}" -frames:v 3 -pix_fmt yuvj420p -color_range pc -c:v mjpeg -q:v 2 mjpeg.mov
make "${counting[@]}" "${plain[@]}" -frames:v 3 -c:v prores_ks -profile:v 0 prores.mov

# Quarters of red, green, blue and grey.
quarters="color=red:s=64x48:r=10:d=0.1,format=gbrp,geq=r='if(lt(Y,24),if(lt(X,32),255,0),if(lt(X,32),0,220))':g='if(lt(Y,24),if(lt(X,32),0,255),if(lt(X,32),0,220))':b='if(lt(Y,24),0,if(lt(X,32),255,220))'"
# The arguments are a matrix's name in ffmpeg's scaler and in streams, a range, and the picture's size.
coloured() {
    local name=$1 scaler=$2 stream=$3 range=$4 size=$5
    make -f lavfi -i "$quarters,scale=$size:flags=neighbor,scale=out_color_matrix=$scaler:out_range=$range,format=yuv444p,setsar=1" \
        "${exact[@]}" -c:v libx264 -qp 4 -colorspace "$stream" -color_range "$range" -bsf:v filter_units=remove_types=6 "$name"
}
coloured bt709.mp4 bt709 bt709 tv 64:48
coloured bt601.mp4 bt601 smpte170m tv 64:48
coloured full-range.mp4 bt709 bt709 pc 64:48
coloured untagged-small.mp4 bt601 unknown tv 64:48
coloured untagged-large.mp4 bt709 unknown tv 64:720
# FFmpeg pads its rows.
coloured narrow.mp4 bt601 smpte170m tv 50:48

make -i untagged-small.mp4 -c copy "${exact[@]}" -metadata:s:v rotate=90 turned.mp4
make -i untagged-small.mp4 -c copy "${exact[@]}" -aspect 8:3 wide-pixels.mp4

# The left half is transparent, the right half is half red.
transparent="color=red:s=64x48:r=10:d=0.2,format=yuva444p,geq=lum='p(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='if(lt(X,32),0,128)'"
make -f lavfi -i "$transparent" "${exact[@]}" -pix_fmt yuva420p -c:v libvpx-vp9 -b:v 200k alpha.webm
make -f lavfi -i "$transparent" "${exact[@]}" -pix_fmt argb -c:v qtrle alpha.mov

make "${tone[@]}" "${exact[@]}" -t 0.2 -c:a aac -b:a 8k sound.m4a
make "${tone[@]}" -f lavfi -i color=red:s=16x16:d=0.1 "${exact[@]}" -map 0 -map 1 -t 0.2 -c:a aac -b:a 8k -c:v png -frames:v 1 \
    -disposition:v attached_pic cover.m4a
