// SPDX-License-Identifier: GPL-2.0-or-later
// oprof_start: a window that starts and steers profiling, over opcontrol, operf and the daemon's socket.
#include <unistd.h>

#include <QApplication>
#include <QCommandLineParser>
#include <cstdio>
#include <cstdlib>

#include "gui/main_window.h"

namespace {

/// Qt's last words, in one line; else it would end with a core dump where there is no display.
void end_with_words(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtDebugMsg || type == QtInfoMsg) return;
    if (type != QtFatalMsg) {
        std::fprintf(stderr, "oprof_start: %s\n", qPrintable(message));
        return;
    }
    std::fputs(
        "oprof_start error: no window can be opened here; set DISPLAY or WAYLAND_DISPLAY, or use operf and "
        "opcontrol\n",
        stderr);
    std::_Exit(EXIT_FAILURE);
}

/// Qt prints an essay where no display can be opened.
bool has_display() {
    for (const char* const name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (const char* const value = std::getenv(name); value && *value != '\0') return true;
    return false;
}

bool asks_for_text(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        for (const char* const word : {"--help", "-h", "--help-all", "--version", "-v"})
            if (qstrcmp(argv[i], word) == 0) return true;
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    qInstallMessageHandler(end_with_words);
    if (asks_for_text(argc, argv)) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!asks_for_text(argc, argv) && !has_display()) qFatal("no display");
    const QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("oprof_start"));
    QApplication::setApplicationVersion(QStringLiteral(OP_VERSION));
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral("Starts and steers profiling from a window."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption root(
        QStringLiteral("root-dir"),
        QStringLiteral("use the files below <dir> instead of the machine's, for tests"),
        QStringLiteral("dir"));
    parser.addOption(root);
    parser.process(application);
    op::gui::WindowOptions options = op::gui::usual_options(nullptr);
    options.root_dir = parser.value(root).toStdString();
    op::gui::MainWindow window(std::move(options));
    window.show();
    return QApplication::exec();
}
