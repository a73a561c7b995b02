// SPDX-License-Identifier: LGPL-2.1-or-later
// libjvmti_oprofile.so: reports what a Java virtual machine compiles to libopagent. Runs inside it: needs no
// C++ run-time library, throws nothing, and lets the machine run whatever fails. Interface: JVM Tool
// Interface 1.1 and jvmticmlr.h.
#include <errno.h>
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

#include <initializer_list>

#include "libopagent/java_lines.h"
#include "libopagent/java_names.h"
#include "libopagent/opagent.h"

namespace {

// The machine loads an agent once, and gives its callbacks nothing of its own.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
op_agent_t agent;
bool has_lines;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void complain(const char* what, const char* why) {
    fprintf(stderr, "libjvmti_oprofile: %s: %s\n", what, why);
}

bool is_done(jvmtiEnv* environment, jvmtiError error, const char* what) {
    if (error == JVMTI_ERROR_NONE) return true;
    char* name = nullptr;
    environment->GetErrorName(error, &name);
    complain(what, name ? name : "error");
    environment->Deallocate(reinterpret_cast<unsigned char*>(name));
    return false;
}

void append_name(jvmtiEnv* environment, jmethodID method, op::java::Text& to) {
    char *name = nullptr, *signature = nullptr, *class_signature = nullptr;
    jclass type = nullptr;
    if (environment->GetMethodName(method, &name, &signature, nullptr) == JVMTI_ERROR_NONE &&
        environment->GetMethodDeclaringClass(method, &type) == JVMTI_ERROR_NONE &&
        environment->GetClassSignature(type, &class_signature, nullptr) == JVMTI_ERROR_NONE)
        op::java::append_method(to, class_signature, name, signature);
    for (char* const each : {name, signature, class_signature})
        environment->Deallocate(reinterpret_cast<unsigned char*>(each));
}

void JNICALL method_loaded(jvmtiEnv* environment, jmethodID method, jint size, const void* code,
                           jint map_length, const jvmtiAddrLocationMap* map, const void* compile_info) {
    op::java::Text name;
    append_name(environment, method, name);
    const auto start = reinterpret_cast<uintptr_t>(code);
    if (name.size() == 0 || size <= 0) return;
    if (op_write_native_code(agent, name.c_str(), start, code, static_cast<unsigned>(size)) != 0 ||
        !has_lines)
        return;
    op::java::LineTable lines(environment);
    lines.fill(method, start, static_cast<size_t>(size), map, map_length, compile_info);
    op_write_debug_line_info(agent, code, lines.size(), lines.lines());
}

void JNICALL method_unloaded(jvmtiEnv*, jmethodID, const void* code) {
    op_unload_native_code(agent, reinterpret_cast<uintptr_t>(code));
}

/// The interpreter and stubs. Nothing may be asked of the machine here.
void JNICALL code_generated(jvmtiEnv*, const char* name, const void* code, jint size) {
    if (size > 0)
        op_write_native_code(agent, name, reinterpret_cast<uintptr_t>(code), code,
                             static_cast<unsigned>(size));
}

bool add_capabilities(jvmtiEnv* environment) {
    jvmtiCapabilities capabilities{};
    capabilities.can_generate_compiled_method_load_events = 1;
    if (!is_done(environment, environment->AddCapabilities(&capabilities),
                 "compiled methods are not reported"))
        return false;
    if (!has_lines) return true;
    capabilities.can_get_line_numbers = 1;
    capabilities.can_get_source_file_name = 1;
    has_lines =
        is_done(environment, environment->AddCapabilities(&capabilities), "line numbers are not reported");
    return true;
}

bool set_callbacks(jvmtiEnv* environment) {
    jvmtiEventCallbacks callbacks{};
    callbacks.CompiledMethodLoad = method_loaded;
    callbacks.CompiledMethodUnload = method_unloaded;
    callbacks.DynamicCodeGenerated = code_generated;
    if (!is_done(environment, environment->SetEventCallbacks(&callbacks, sizeof callbacks),
                 "code is not reported"))
        return false;
    for (const jvmtiEvent event : {JVMTI_EVENT_COMPILED_METHOD_LOAD, JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
                                   JVMTI_EVENT_DYNAMIC_CODE_GENERATED})
        if (!is_done(environment, environment->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr),
                     "code is not reported"))
            return false;
    return true;
}

void take_options(const char* options) {
    has_lines = options && strcmp(options, "debug") == 0;
    if (options && *options != '\0' && !has_lines)
        fprintf(stderr, "libjvmti_oprofile: the option is \"debug\", not \"%s\"\n", options);
}

/// Returns nullptr if there will be no events.
jvmtiEnv* start(JavaVM* machine, const char* options) {
    jvmtiEnv* environment = nullptr;
    if (machine->GetEnv(reinterpret_cast<void**>(&environment), JVMTI_VERSION_1_1) != JNI_OK) {
        complain("code is not reported", "this virtual machine has no JVMTI 1.1");
        return nullptr;
    }
    op_agent_t const opened = op_open_agent();
    if (!opened) {
        char why[128];
        complain("code is not reported",
                 errno == EBUSY ? "an agent runs already" : strerror_r(errno, why, sizeof why));
        return nullptr;
    }
    agent = opened;
    take_options(options);
    if (add_capabilities(environment) && set_callbacks(environment)) return environment;
    op_close_agent(agent);
    return nullptr;
}

}  // namespace

/// Any result but JNI_OK would end the machine.
extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* machine, char* options, void*) {
    start(machine, options);
    return JNI_OK;
}

/// What was compiled before is reported now.
extern "C" JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* machine, char* options, void*) {
    jvmtiEnv* const environment = start(machine, options);
    if (!environment) return JNI_ERR;
    for (const jvmtiEvent event : {JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_COMPILED_METHOD_LOAD})
        is_done(environment, environment->GenerateEvents(event), "code made before is not reported");
    return JNI_OK;
}

extern "C" JNIEXPORT void JNICALL Agent_OnUnload(JavaVM*) {
    op_close_agent(agent);
}
