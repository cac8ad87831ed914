#!/usr/bin/env bash
# Runs two image servers behind nginx with three memcached, and a page that shows the sample pictures in twelve treatments:
# scripts/serve-demo.sh [SCREENSHOT.png]
# Waits for Ctrl-C; with a file name, it writes a screenshot of the page by Chromium instead. Everything ends with it.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly screenshot=${1-}
readonly folder=$PWD/build/serve-demo pictures=$PWD/build/demo/gallery
readonly traits=HEIF,Memcached,Server
readonly treatments=(
    rs:fit:150:120 rs:fill:120:120 rs:fill:150:80/g:sm c:0.5:0.5/w:150 rs:fit:150:120/bl:3 rs:fit:150:120/sh:1.5
    rs:fit:150:120/pix:8 rs:fit:130:100/pd:8/bg:4477aa rot:90/h:120 fl:1/w:150 rs:fit:150:120/q:10 rs:fit:150:120/f:webp
)
# The demonstration's own; a server for others needs secret ones.
readonly key=616c6365646f salt=64656d6f secret=616c6365646f20736572766564656d6f

die() {
    printf 'serve-demo: %s\n' "$*" >&2
    exit 1
}

# Sets `port` to a port of loopback that nothing listens on.
next=$((20000 + RANDOM % 20000))
free_port() {
    while port=$((next++)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
}

# Waits up to 10 s until something listens on a port.
await_port() {
    local try
    for ((try = 0; try < 100; try++)); do
        (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
        sleep 0.1
    done
    die "nothing listens on port $1; see $folder"
}

children=()
finish() {
    trap - EXIT
    ((${#children[@]} == 0)) || kill "${children[@]}" 2>/dev/null || :
    wait
}

# Starts a program whose output goes to a file.
start() {
    local log=$folder/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null &
    children+=($!)
}

build() {
    local product
    for product in alcedo alcedo-decode alcedo-decode-heif AlcedoDemo; do
        swift build --scratch-path .build/serve --configuration release --static-swift-stdlib \
            --product "$product" --traits "$traits"
    done
    # Draws the sample pictures.
    .build/serve/release/AlcedoDemo >/dev/null
}

# Prints the treatments and the signed path of each picture in each of them.
list_urls() {
    local name treatment paths separator=''
    printf '{"treatments": ["%s"' "${treatments[0]}"
    printf ', "%s"' "${treatments[@]:1}"
    printf '],\n"pictures": ['
    for name in "${shown[@]}"; do
        paths=()
        for treatment in "${treatments[@]}"; do
            paths+=("$(ALCEDO_KEY=$key ALCEDO_SALT=$salt .build/serve/release/alcedo url --options "$treatment" "local:///$name")")
        done
        printf '%s["%s"' "$separator" "${paths[0]}"
        printf ', "%s"' "${paths[@]:1}"
        printf ']'
        separator=$',\n'
    done
    printf ']}\n'
}

build
rm -rf "$folder"
mkdir -p "$folder"
trap finish EXIT
trap 'exit 130' INT TERM

# One picture of each kind that a browser shows.
mapfile -t shown < <(cd "$pictures" && for kind in jpeg png webp gif; do compgen -G "*.$kind" | sort | head -n 2 || :; done)
((${#shown[@]} > 0)) || die "there are no pictures in $pictures"

nodes=()
for number in 1 2 3; do
    free_port
    start "memcached-$number" memcached -u "$(id -un)" -l 127.0.0.1 -p "$port" -U 0 -m 64
    nodes+=("127.0.0.1:$port")
done
servers=()
for number in 1 2; do
    free_port
    servers+=("$port")
    start "server-$number" env ALCEDO_BIND="127.0.0.1:$port" ALCEDO_KEY=$key ALCEDO_SALT=$salt \
        ALCEDO_LOCAL_FILESYSTEM_ROOT="$pictures" ALCEDO_ENABLE_DEBUG_HEADERS=true \
        ALCEDO_CACHE_FOLDER="$folder/cache-$number" ALCEDO_MEMCACHED_SECRET=$secret \
        ALCEDO_MEMCACHED="$(IFS=, && echo "${nodes[*]}")" \
        .build/serve/release/alcedo serve
done
free_port
readonly front=$port
sed "s|FOLDER|$folder|g; s|PAGES|$PWD/Examples/ServeDemo|; s|FIRST|${servers[0]}|; s|SECOND|${servers[1]}|; s|FRONT|$front|" \
    Examples/ServeDemo/nginx.conf >"$folder/nginx.conf"
((EUID != 0)) || sed -i '1i user root;' "$folder/nginx.conf"
list_urls >"$folder/urls.json"
nginx=$(command -v nginx || echo /usr/sbin/nginx)
start nginx "$nginx" -c "$folder/nginx.conf" -p "$folder"
for port in "${servers[@]}" "$front"; do await_port "$port"; done

if [[ -n $screenshot ]]; then
    chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1740,1300 --virtual-time-budget=60000 \
        --user-data-dir="$folder/chromium" --no-first-run --disable-background-networking --disable-component-update \
        --disable-sync --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' --screenshot="$screenshot" "http://127.0.0.1:$front/?twice" 2>"$folder/chromium.log" ||
        die "no screenshot; see $folder/chromium.log"
    printf 'serve-demo: wrote %s\n' "$screenshot"
else
    printf 'The page is at http://127.0.0.1:%s/. Logs are in %s. Ctrl-C ends it.\n' "$front" "$folder"
    wait -n || die "a server ended; see $folder"
fi
