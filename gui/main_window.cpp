// SPDX-License-Identifier: GPL-2.0-or-later
// opcontrol does what needs rights; the control socket gives the state and flushes.
#include "gui/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <utility>

#include "gui/configuration_page.h"
#include "gui/operf_page.h"
#include "gui/sessions_page.h"
#include "gui/setup_page.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/control/control.h"
#include "libop/control/daemon_settings.h"
#include "libop/session/session.h"

namespace op::gui {
namespace {

constexpr int state_period = 5000;  ///< milliseconds between questions to the daemon
constexpr int most_lines = 5000;    ///< of the commands' output
constexpr int preview_lines = 2;    ///< of the command that are seen without scrolling

QPushButton* add_button(QHBoxLayout* row, const char* label) {
    auto* const button = new QPushButton(QLatin1String(label));
    button->setObjectName(QLatin1String(label));
    row->addWidget(button);
    return button;
}

/// Enough for so many lines of text, in pixels; less than for another one.
int height_of(const QPlainTextEdit& field, int lines) {
    const auto margin = 2 * (static_cast<int>(field.document()->documentMargin()) + field.frameWidth());
    return lines * field.fontMetrics().lineSpacing() + field.fontMetrics().lineSpacing() / 2 + margin;
}

/// What opcontrol keeps, if this user may read it.
DaemonSettings kept_settings(const std::string& root) {
    const std::string path = root + "/root/.oprofile/daemonrc";
    try {
        return parse_daemon_settings(as_bytes(read_file(path)), path);
    } catch (const Error&) {  // none yet, or another user's
        return {};
    }
}

}  // namespace

WindowOptions usual_options(QWidget* parent) {
    WindowOptions options;
    options.confirm = [parent](const QString& question) {
        QMessageBox box(QMessageBox::Question, QStringLiteral("oprof_start"), question,
                        QMessageBox::Yes | QMessageBox::No, parent);
        box.setTextFormat(Qt::PlainText);  // names in it are anybody's
        return box.exec() == QMessageBox::Yes;
    };
    options.ask_name = [parent](const QString& question) {
        return QInputDialog::getText(parent, QStringLiteral("oprof_start"), question);
    };
    options.open_file = [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); };
    return options;
}

MainWindow::MainWindow(WindowOptions options) : options_(std::move(options)) {
    build();
    const auto log_text = [this](const QString& text) { log(text); };
    const auto busy = [this] { show_busy(); };
    control_runner_ = std::make_unique<Runner>(log_text, busy);
    operf_runner_ = std::make_unique<Runner>(log_text, busy);
    watch_ = std::make_unique<DaemonWatch>(options_.root_dir + control_socket_path,
                                           [this](const DaemonState& state) { show_state(state); });
    load_settings();
    load_events();
    show_state({});
    connect(&timer_, &QTimer::timeout, [this] { watch_->ask(); });
    timer_.start(state_period);
    watch_->ask();
}

MainWindow::~MainWindow() {
    timer_.stop();
}

void MainWindow::build() {
    setWindowTitle(QStringLiteral("OProfile Start"));
    resize(900, 640);
    auto* const middle = new QWidget;
    auto* const rows = new QVBoxLayout(middle);
    tabs_ = new QTabWidget;
    tabs_->setObjectName(QStringLiteral("tabs"));
    const auto changed = [this] { show_preview(); };
    tabs_->addTab(setup_ = new SetupPage(changed), QStringLiteral("Setup"));
    tabs_->addTab(configuration_ = new ConfigurationPage(changed), QStringLiteral("Configuration"));
    operf_ = new OperfPage({changed, [this] { run_operf(); }, [this] { operf_runner_->interrupt(); }});
    tabs_->addTab(operf_, QStringLiteral("operf"));
    sessions_ = new SessionsPage(options_.root_dir + system_session_dir,
                                 {[this](const std::string& name) { show_report(name); },
                                  [this](const std::string& name) { show_page(name); },
                                  [this](const std::string& name) { save_session(name); },
                                  [this](const std::string& name) { remove_session(name); }});
    tabs_->addTab(sessions_, QStringLiteral("Sessions"));
    connect(tabs_, &QTabWidget::currentChanged, [this] {
        show_preview();
        if (tabs_->currentWidget() == sessions_) sessions_->refresh();
    });
    rows->addWidget(tabs_, 3);
    rows->addWidget(build_buttons());
    output_ = new QPlainTextEdit;
    output_->setObjectName(QStringLiteral("output"));
    output_->setReadOnly(true);
    output_->setMaximumBlockCount(most_lines);
    output_->setPlaceholderText(QStringLiteral("What the commands print"));
    rows->addWidget(output_, 1);
    setCentralWidget(middle);
}

QWidget* MainWindow::build_buttons() {
    auto* const box = new QWidget;
    auto* const rows = new QVBoxLayout(box);
    auto* const preview_row = new QHBoxLayout;
    preview_ = new QPlainTextEdit;
    preview_->setObjectName(QStringLiteral("preview"));
    preview_->setReadOnly(true);
    preview_->setTabChangesFocus(true);
    preview_->setFixedHeight(height_of(*preview_, preview_lines));
    preview_row->addWidget(new QLabel(QStringLiteral("Command")));
    preview_row->addWidget(preview_);
    QPushButton* const copy = add_button(preview_row, "Copy");
    preview_row->setAlignment(copy, Qt::AlignTop);
    rows->addLayout(preview_row);
    status_ = new QLabel;
    status_->setObjectName(QStringLiteral("status"));
    status_->setWordWrap(true);
    status_->setTextFormat(Qt::PlainText);
    rows->addWidget(status_);
    auto* const row = new QHBoxLayout;
    start_ = add_button(row, "Start");
    flush_ = add_button(row, "Flush");
    stop_ = add_button(row, "Stop");
    reset_ = add_button(row, "Reset sample files");
    row->addStretch();
    save_ = add_button(row, "Save and quit");
    rows->addLayout(row);
    connect(copy, &QPushButton::clicked,
            [this] { QApplication::clipboard()->setText(preview_->toPlainText()); });
    connect(start_, &QPushButton::clicked, [this] { start(); });
    connect(flush_, &QPushButton::clicked, [this] { flush(); });
    connect(stop_, &QPushButton::clicked, [this] { stop(); });
    connect(reset_, &QPushButton::clicked, [this] { reset(); });
    connect(save_, &QPushButton::clicked, [this] { save_and_quit(); });
    return box;
}

void MainWindow::load_settings() {
    const DaemonSettings settings = kept_settings(options_.root_dir);
    configuration_->show(settings);
    try {
        setup_->choose(settings.events);
    } catch (const Error& error) {
        report_fault(error.what());
    }
    if (!settings.session_dir.empty()) sessions_->set_session_dir(settings.session_dir);
}

void MainWindow::load_events() {
    Command list = control({"--list-events", "--xml"});
    list.needs_root = false;
    list.keeps_output = true;
    list.then = [this](bool has_succeeded, const QByteArray& xml) {
        if (!has_succeeded) return;
        try {
            setup_->set_events(parse_event_list(xml));
        } catch (const Error& error) {
            report_fault(error.what());
        }
    };
    control_runner_->run(std::move(list));
}

Command MainWindow::control(Arguments arguments) const {
    if (!options_.root_dir.empty()) arguments.push_back("--root-dir=" + options_.root_dir);
    return {"opcontrol", std::move(arguments), options_.root_dir.empty()};
}

/// Shows the command that Start, or Run, would run, else the fault. On operf's tab only Run and Stop of that
/// are seen.
void MainWindow::show_preview() {
    if (!operf_runner_) return;  // still being built
    const bool is_operf = tabs_->currentWidget() == operf_;
    for (QPushButton* const of_daemon : {start_, flush_, stop_, reset_})
        of_daemon->setVisible(!is_operf);
    if (is_operf) {
        const OperfRun run = operf_->chosen();
        const std::string fault = fault_of(run);
        preview_->setPlainText(QString::fromStdString(
            fault.empty() ? shell_line("operf", operf_arguments(run)) : "(" + fault + ")"));
        return;
    }
    ControlSetup setup = configuration_->setup();
    setup.events = setup_->chosen_events();
    const std::string fault = fault_of(setup);
    const QString text =
        QString::fromStdString(fault.empty() ? shell_line("opcontrol", start_words()) : "(" + fault + ")");
    if (preview_->toPlainText() != text) preview_->setPlainText(text);  // what is selected in it stays so
    show_busy();
}

void MainWindow::show_state(const DaemonState& state) {
    const bool is_same_run = state.uptime_seconds > state_.uptime_seconds && state.sampled >= state_.sampled;
    rate_ = is_same_run ? static_cast<double>(state.sampled - state_.sampled) /
                              static_cast<double>(state.uptime_seconds - state_.uptime_seconds)
                        : 0;
    state_ = state;
    status_->setText(QString::fromStdString(printable(state_line(state_, rate_))));
    if (tabs_->currentWidget() != operf_) show_preview();  // Start depends on it
    show_busy();
}

void MainWindow::show_busy() {
    if (!operf_runner_) return;
    ControlSetup setup = configuration_->setup();
    setup.events = setup_->chosen_events();
    const bool is_idle = !control_runner_->is_busy(), is_valid = fault_of(setup).empty();
    const bool is_sampling = state_.run == DaemonState::Run::sampling;
    start_->setEnabled(is_idle && is_valid && !is_sampling);
    flush_->setEnabled(state_.is_there());
    stop_->setEnabled(is_idle && state_.is_there());
    reset_->setEnabled(is_idle);
    save_->setEnabled(is_idle && is_valid);
    operf_->show_running(operf_runner_->is_busy());
}

void MainWindow::log(const QString& text) {
    output_->moveCursor(QTextCursor::End);
    output_->insertPlainText(text);
    output_->ensureCursorVisible();
}

void MainWindow::report_fault(const std::string& fault) {
    log(QString::fromStdString(printable(fault)) + u'\n');
}

/// A daemon that is paused keeps its settings; new ones apply at its next start.
Arguments MainWindow::start_words() const {
    if (state_.is_there() && state_.run != DaemonState::Run::sampling) return {"--start"};
    ControlSetup setup = configuration_->setup();
    setup.events = setup_->chosen_events();
    return start_arguments(setup);
}

void MainWindow::start() {
    Command command = control(start_words());
    command.then = [this](bool, const QByteArray&) { watch_->ask(); };
    control_runner_->run(std::move(command));
}

void MainWindow::flush() {
    watch_->flush([this](const std::string& fault) {
        report_fault(fault.empty() ? "All samples are in the session directory." : fault);
    });
}

void MainWindow::stop() {
    Command command = control({"--shutdown"});
    command.then = [this](bool, const QByteArray&) { watch_->ask(); };
    control_runner_->run(std::move(command));
}

void MainWindow::reset() {
    if (!options_.confirm(QStringLiteral("Delete the samples of the current session?"))) return;
    Command command = control({"--reset"});
    command.then = [this](bool, const QByteArray&) { sessions_->refresh(); };
    control_runner_->run(std::move(command));
}

/// The profiler goes on; only the window closes.
void MainWindow::save_and_quit() {
    ControlSetup setup = configuration_->setup();
    setup.events = setup_->chosen_events();
    Command command = control(setup_arguments(setup));
    command.then = [this](bool has_succeeded, const QByteArray&) {
        if (has_succeeded) close();
    };
    control_runner_->run(std::move(command));
}

void MainWindow::run_operf() {
    Command command{"operf", operf_arguments(operf_->chosen())};
    command.then = [this](bool, const QByteArray&) {
        const QString dir = operf_->session_dir();
        sessions_->set_session_dir(dir.isEmpty() ? "oprofile_data" : dir.toStdString());
    };
    operf_runner_->run(std::move(command));
}

void MainWindow::show_report(const std::string& session) {
    control_runner_->run(
        {"opreport", {"--symbols", "--session-dir=" + sessions_->session_dir(), "session:" + session}});
}

void MainWindow::show_page(const std::string& session) {
    const QString path = pages_.filePath(QString::fromStdString(session) + QStringLiteral(".html"));
    Command command{
        "opreport",
        {"--html=" + path.toStdString(), "--session-dir=" + sessions_->session_dir(), "session:" + session}};
    command.then = [this, path](bool has_succeeded, const QByteArray&) {
        if (has_succeeded) options_.open_file(path);
    };
    control_runner_->run(std::move(command));
}

/// As far as this user may know it.
std::string MainWindow::daemon_session_dir() const {
    if (!state_.session_dir.empty()) return state_.session_dir;
    const std::string kept = kept_settings(options_.root_dir).session_dir;
    return kept.empty() ? options_.root_dir + system_session_dir : kept;
}

/// opcontrol saves the session of the daemon's directory, whichever is shown.
void MainWindow::save_session(const std::string&) {
    if (const std::string dir = daemon_session_dir(); dir != sessions_->session_dir())
        return report_fault("only the daemon's session can be saved; it is in " + dir);
    const QString name = options_.ask_name(QStringLiteral("Name of the saved session"));
    if (name.isEmpty()) return;
    Command command = control({"--save=" + name.toStdString()});
    command.then = [this](bool, const QByteArray&) { sessions_->refresh(); };
    control_runner_->run(std::move(command));
}

void MainWindow::remove_session(const std::string& session) {
    const std::string dir = sessions_->session_dir();
    if (session == current_session && state_.is_there() && state_.session_dir == dir)
        return report_fault("the daemon records into this session; stop it, or reset the sample files");
    if (!options_.confirm(QStringLiteral("Delete the session %1?").arg(QString::fromStdString(session))))
        return;
    try {
        delete_session(dir, session);
    } catch (const Error& error) {
        report_fault(error.what());
    }
    sessions_->refresh();
}

}  // namespace op::gui
