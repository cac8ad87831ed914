#pragma once

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

/// Initialises OpenSSL, if nobody has, so that it stays usable until the very end of the process; the flag is a macro of
/// another type than the function takes.
static inline _Bool alcedo_crypto_stays(void) { return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL) == 1; }

// Stacks of certificates and names, and much else of OpenSSL, are macros with casts, which Swift does not import.

/// How many certificates the server has sent; the stack is a macro.
static inline int alcedo_chain_count(X509_STORE_CTX *context) {
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_untrusted(context);
    return chain ? sk_X509_num(chain) : 0;
}

/// One of the certificates that the server has sent, its own first; the stack is a macro.
static inline X509 *alcedo_chain_certificate(X509_STORE_CTX *context, int index) {
    return sk_X509_value(X509_STORE_CTX_get0_untrusted(context), index);
}

/// The name that the client has asked the server for, or NULL; the type of its argument is a macro.
static inline const char *alcedo_server_name(X509_STORE_CTX *context) {
    SSL *ssl = X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx());
    return ssl ? SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) : NULL;
}

/// Has a verification check that the certificate is one of `host`, a name or an address; flags are macros.
static inline int alcedo_expect_host(X509_STORE_CTX *context, const char *host) {
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return 1;
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(parameters, host, 0);
}

/// A certificate as DER, to be freed with alcedo_free; NULL if there is no memory.
static inline unsigned char *alcedo_certificate_der(const X509 *certificate, int *count) {
    unsigned char *bytes = NULL;
    *count = i2d_X509(certificate, &bytes);
    return *count > 0 ? bytes : NULL;
}

/// A name such as a subject on one line, to be freed with alcedo_free; the flags are macros.
static inline char *alcedo_name_text(const X509_NAME *name) {
    BIO *text = BIO_new(BIO_s_mem());
    char *copy = NULL;
    // Without the flag, letters beyond ASCII stay UTF-8 instead of escapes.
    const unsigned long style = XN_FLAG_RFC2253 & ~(unsigned long)ASN1_STRFLGS_ESC_MSB;
    if (text && X509_NAME_print_ex(text, name, 0, style) >= 0 && BIO_write(text, "", 1) == 1) {
        char *bytes = NULL;
        long count = BIO_get_mem_data(text, &bytes);
        copy = OPENSSL_memdup(bytes, (size_t)count);
    }
    BIO_free(text);
    return copy;
}

/// Frees what OpenSSL has allocated; a macro.
static inline void alcedo_free(void *bytes) { OPENSSL_free(bytes); }

/// A date of a certificate in seconds since 1970; 0 if it cannot be read.
static inline long long alcedo_seconds(const ASN1_TIME *date) {
    struct tm parts;
    return ASN1_TIME_to_tm(date, &parts) == 1 ? (long long)timegm(&parts) : 0;
}

/// Calls `visit` with each DNS name and address that a certificate is for; the stack and its kinds are macros.
static inline void alcedo_visit_names(X509 *certificate, void *user,
                                      void (*visit)(void *user, const unsigned char *bytes, int count,
                                                    int is_address)) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int index = 0; names && index < sk_GENERAL_NAME_num(names); index += 1) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
        if (name->type != GEN_DNS && name->type != GEN_IPADD) continue;
        const ASN1_STRING *text = name->type == GEN_DNS ? name->d.dNSName : name->d.iPAddress;
        visit(user, ASN1_STRING_get0_data(text), ASN1_STRING_length(text), name->type == GEN_IPADD);
    }
    GENERAL_NAMES_free(names);
}

/// Keeps `value` with a TLS context at a place made by alcedo_context_place; a macro hides the type.
static inline int alcedo_context_keep(SSL_CTX *context, int place, void *value) {
    return SSL_CTX_set_ex_data(context, place, value);
}

/// A place for values that `release` gets when their context is freed; a macro.
static inline int alcedo_context_place(CRYPTO_EX_free *release) {
    return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, release);
}

/// SSL_OP_NO_RENEGOTIATION is a macro with a cast.
static inline void alcedo_forbid_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
}
