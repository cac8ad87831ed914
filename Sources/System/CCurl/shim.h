#pragma once

#include <curl/curl.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic and so not visible to Swift: there is one
// function here for each type that their last argument takes.

/// Sets an option that takes a number or a switch; variadic in curl.
static inline CURLcode alcedo_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a 64-bit size; variadic in curl.
static inline CURLcode alcedo_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a string, which curl copies; variadic in curl.
static inline CURLcode alcedo_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets an option that takes a pointer, which curl keeps as it is; variadic in curl.
static inline CURLcode alcedo_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

/// Sets CURLOPT_HTTPHEADER; variadic in curl, and the list must outlive the transfer.
static inline CURLcode alcedo_curl_set_headers(CURL *handle, struct curl_slist *list) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
}

/// Sets CURLOPT_WRITEFUNCTION or CURLOPT_HEADERFUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receiver) {
    return curl_easy_setopt(handle, option, receiver);
}

/// Sets CURLOPT_PREREQFUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_prerequest(CURL *handle, curl_prereq_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

/// Sets CURLOPT_OPENSOCKETFUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_opensocket(CURL *handle, curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

/// Sets CURLOPT_CLOSESOCKETFUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_closesocket(CURL *handle, curl_closesocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

/// Sets CURLOPT_SSL_CTX_FUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_tls_setup(CURL *handle, curl_ssl_ctx_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, callback);
}

/// Sets CURLOPT_DEBUGFUNCTION; variadic in curl, which checks nothing about the type.
static inline CURLcode alcedo_curl_set_debug(CURL *handle, curl_debug_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, callback);
}

/// Reads a number about a transfer; variadic in curl.
static inline CURLcode alcedo_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/// Reads a 64-bit size, or a time in microseconds; variadic in curl.
static inline CURLcode alcedo_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

/// Reads a string that lives as long as the handle; variadic in curl.
static inline CURLcode alcedo_curl_get_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

/// Reads a list that the caller frees; variadic in curl.
static inline CURLcode alcedo_curl_get_list(CURL *handle, CURLINFO info, struct curl_slist **value) {
    return curl_easy_getinfo(handle, info, value);
}

/// Reads a pointer; variadic in curl.
static inline CURLcode alcedo_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

/// Sets a multi option that takes a number; variadic in curl.
static inline CURLMcode alcedo_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Sets what a share shares; variadic in curl.
static inline CURLSHcode alcedo_curl_share(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

/// Sets what a share locks itself with; variadic in curl.
static inline CURLSHcode alcedo_curl_share_locks(CURLSH *share, curl_lock_function lock,
                                                 curl_unlock_function unlock, void *user) {
    CURLSHcode code = curl_share_setopt(share, CURLSHOPT_LOCKFUNC, lock);
    if (code == CURLSHE_OK) code = curl_share_setopt(share, CURLSHOPT_UNLOCKFUNC, unlock);
    return code == CURLSHE_OK ? curl_share_setopt(share, CURLSHOPT_USERDATA, user) : code;
}

/// CURL_GLOBAL_ALL and CURLAUTH_… are macros with casts and operators, which Swift does not import.
static const long alcedo_curl_global_all = CURL_GLOBAL_ALL;
static const long alcedo_curl_auth_basic = (long)CURLAUTH_BASIC;
static const long alcedo_curl_auth_digest = (long)CURLAUTH_DIGEST;

/// CURLE_TOO_LARGE, which headers before libcurl 8.6 do not have.
static const CURLcode alcedo_curl_too_large = (CURLcode)100;

/// CURLVERSION_NOW is a macro for a constant.
static const CURLversion alcedo_curl_version_now = CURLVERSION_NOW;

/// CURL_WRITEFUNC_PAUSE as the type that a write callback returns; a macro in curl.
static const size_t alcedo_curl_write_pause = CURL_WRITEFUNC_PAUSE;

/// CURL_SOCKET_BAD, a macro in curl.
static const curl_socket_t alcedo_curl_socket_bad = CURL_SOCKET_BAD;
