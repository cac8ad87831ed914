#define _GNU_SOURCE
#include "unverified.h"

#include <curl/curl.h>
#include <dlfcn.h>

/// Preloaded into the programs that measure URLSession: it cannot be told on Linux to trust a certificate that was made
/// for the occasion. No request is checked, as in the other contenders.
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *handle) {
    CURLMcode (*add)(CURLM *, CURL *) = (CURLMcode(*)(CURLM *, CURL *))dlsym(RTLD_NEXT, "curl_multi_add_handle");
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    return add(multi, handle);
}
