// SPDX-License-Identifier: GPL-2.0-or-later
// HTTP by libcurl's easy interface.
#include "fleet/http.h"

#include <curl/curl.h>

#include <new>

#include "libop/base/clock.h"
#include "libop/base/error.h"

namespace op::fleet {
namespace {

/// libcurl's own preparations, once a process; it needs no end.
void prepare_curl() {
    static const CURLcode result = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (result != CURLE_OK)
        throw Error(ErrorKind::system, std::string("libcurl: ") + ::curl_easy_strerror(result));
}

struct FreeList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, FreeList>;

HeaderList header_list(const std::vector<std::string>& headers) {
    HeaderList list;
    for (const std::string& header : headers) {
        curl_slist* longer = ::curl_slist_append(list.get(), header.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        list.release();
        list.reset(longer);
    }
    return list;
}

/// An answer on its way.
struct Arriving {
    HttpAnswer answer;
    size_t limit = 0;
    bool is_too_long = false;
};

size_t take_body(char* data, size_t, size_t length, void* to) noexcept {
    auto& arriving = *static_cast<Arriving*>(to);
    if (length > arriving.limit - arriving.answer.body.size()) {
        arriving.is_too_long = true;
        return 0;
    }
    arriving.answer.body.append(data, length);
    return length;
}

size_t take_head(char* data, size_t, size_t length, void* to) noexcept {
    take_header({data, length}, epoch_seconds(), static_cast<Arriving*>(to)->answer);
    return length;
}

/// True if the same request will fail in the same way until a person has done something.
bool is_final(CURLcode code) {
    switch (code) {
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_URL_MALFORMAT:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_ISSUER_ERROR:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_ENGINE_NOTFOUND:
            return true;
        default:
            return false;
    }
}

/// True if the server has refused this client's certificate, or the lack of one. With TLS 1.3 that is known
/// only once its answer is read, and libcurl has words for it but no number.
bool is_refused_client(std::string_view failure) {
    const auto has = [&](std::string_view words) { return failure.find(words) != failure.npos; };
    return has("alert") && (has("certificate") || has("unknown ca") || has("access denied"));
}

}  // namespace

struct HttpClient::Handle {
    explicit Handle(const HttpSettings& given);
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { ::curl_easy_cleanup(easy); }

    template <class Value>
    void set(CURLoption option, Value value) {
        const CURLcode result = ::curl_easy_setopt(easy, option, value);
        if (result != CURLE_OK)
            throw Error(ErrorKind::system, std::string("libcurl: ") + ::curl_easy_strerror(result));
    }
    void set_path(CURLoption option, const std::string& path) {
        if (!path.empty()) set(option, path.c_str());
    }
    std::string failure_text(CURLcode result) const {
        return failure[0] != '\0' ? failure : ::curl_easy_strerror(result);
    }

    CURL* easy;
    size_t answer_limit;
    char failure[CURL_ERROR_SIZE] = {};
};

HttpClient::Handle::Handle(const HttpSettings& given) : easy(nullptr), answer_limit(given.answer_limit) {
    prepare_curl();
    easy = ::curl_easy_init();
    if (easy == nullptr) throw std::bad_alloc();
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_ERRORBUFFER, failure);
    set(CURLOPT_CONNECTTIMEOUT, given.connect_seconds);
    set(CURLOPT_TIMEOUT, given.answer_seconds);
    set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    set_path(CURLOPT_CAINFO, given.ca_file);
    set_path(CURLOPT_SSLCERT, given.certificate);
    set_path(CURLOPT_SSLKEY, given.key);
    if (given.ignores_proxy) set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_WRITEFUNCTION, &take_body);
    set(CURLOPT_HEADERFUNCTION, &take_head);
}

HttpClient::HttpClient(const HttpSettings& settings) : handle_(std::make_unique<Handle>(settings)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

HttpAnswer HttpClient::post(const HttpRequest& request) {
    Handle& handle = *handle_;
    Arriving arriving{.answer = {}, .limit = handle.answer_limit};
    std::vector<std::string> headers = request.headers;
    headers.emplace_back("Expect:");  // or libcurl waits a second for permission to send
    const HeaderList list = header_list(headers);
    handle.failure[0] = '\0';
    handle.set(CURLOPT_URL, request.url.c_str());
    handle.set(CURLOPT_POST, 1L);
    handle.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    handle.set(CURLOPT_POSTFIELDS, request.body.data());
    handle.set(CURLOPT_HTTPHEADER, list.get());
    handle.set(CURLOPT_WRITEDATA, static_cast<void*>(&arriving));
    handle.set(CURLOPT_HEADERDATA, static_cast<void*>(&arriving));
    const CURLcode result = ::curl_easy_perform(handle.easy);
    handle.set(CURLOPT_HTTPHEADER, nullptr);
    HttpAnswer& answer = arriving.answer;
    if (result != CURLE_OK) {
        answer.failure = arriving.is_too_long
                             ? "the answer is longer than " + std::to_string(arriving.limit) + " bytes"
                             : handle.failure_text(result);
        answer.is_final = arriving.is_too_long || is_final(result) || is_refused_client(answer.failure);
        return std::move(answer);
    }
    long status = 0;
    ::curl_easy_getinfo(handle.easy, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    return std::move(answer);
}

}  // namespace op::fleet
