// SPDX-License-Identifier: GPL-2.0-or-later
// The window with commands that only note what they are called with.
#include "gui/main_window.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <QAbstractButton>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "libop/base/fd.h"
#include "libop/control/control.h"
#include "tests/unit/temp_dir.h"

namespace op::gui {
namespace {

constexpr int patience = 60000;  ///< milliseconds; reached only by a failure

const char* const events_xml = R"(<help_events>
<event event_name="TIMER" desc="Clock" min_count="10000"/>
<event event_name="ONE" desc="First" counter_mask="1" min_count="500">
<unit_masks default="1" category="bitmask"><unit_mask mask="1" desc="a"/><unit_mask mask="2" desc="b"/></unit_masks>
</event>
<event event_name="ALSO_ONE" desc="Second" counter_mask="1" min_count="500"/>
</help_events>)";

class MainWindowTest : public ::testing::Test {
protected:
    MainWindowTest() {
        dir_.write("events.xml", events_xml);
        for (const char* const name : {"opcontrol", "operf", "opreport"})
            make_stub(name);
        path_before_ = std::getenv("PATH");
        ::setenv("PATH", ((dir_ / "bin") + ":" + path_before_).c_str(), 1);
        dir_.write("root/var/lib/oprofile/samples/current/one", "12345");
        dir_.write("root/var/lib/oprofile/samples/before/one", "12345");
    }
    ~MainWindowTest() override { ::setenv("PATH", path_before_.c_str(), 1); }

    /// A command that writes its words to calls/NAME, one a line, and ends with the status in the file
    /// `status`.
    void make_stub(const std::string& name) {
        const std::string calls = dir_ / "calls." + name;
        const std::string script = "#!/bin/sh\n[ \"$1\" != --list-events ] || exec cat '" +
                                   (dir_ / "events.xml") + "'\nfor word; do echo \"$word\"; done >'" + calls +
                                   ".new'\nmv '" + calls + ".new' '" + calls + "'\necho \"" + name +
                                   " was here\"\n[ ! -e '" + (dir_ / "fails") + "' ]\n";
        ::chmod(dir_.write("bin/" + name, script).c_str(), 0755);
    }

    /// The window, when its events are there.
    MainWindow& open() {
        WindowOptions options;
        options.root_dir = dir_ / "root";
        options.confirm = [this](const QString&) { return answer_; };
        options.ask_name = [](const QString&) { return QStringLiteral("kept"); };
        options.open_file = [this](const QString& path) { opened_ = path.toStdString(); };
        window_ = std::make_unique<MainWindow>(std::move(options));
        window_->show();
        EXPECT_TRUE(QTest::qWaitFor([&] { return events().topLevelItemCount() == 3; }, patience));
        EXPECT_TRUE(QTest::qWaitFor([&] { return button("Save and quit").isEnabled(); }, patience));
        return *window_;
    }

    template <class Widget>
    Widget& widget(const char* name) {
        Widget* const found = window_->findChild<Widget*>(QLatin1String(name));
        if (!found) throw std::runtime_error(std::string("no widget ") + name);
        return *found;
    }
    /// The words of a control that has no room for them; else empty.
    std::string cut_words() {
        std::string cut;
        for (QAbstractButton* const each : window_->findChildren<QAbstractButton*>())
            if (each->isVisible() && !each->text().isEmpty() && each->width() < each->sizeHint().width())
                cut += each->text().toStdString() + "; ";
        for (QLabel* const each : window_->findChildren<QLabel*>())
            if (each->isVisible() && !each->wordWrap() && each->width() < each->sizeHint().width())
                cut += each->text().toStdString() + "; ";
        return cut;
    }
    QPushButton& button(const char* name) { return widget<QPushButton>(name); }
    QTreeWidget& events() { return widget<QTreeWidget>("events"); }
    void click(const char* name) { QTest::mouseClick(&button(name), Qt::LeftButton); }
    void choose_event(int row) { events().topLevelItem(row)->setCheckState(0, Qt::Checked); }
    void show_tab(int index) { widget<QTabWidget>("tabs").setCurrentIndex(index); }

    /// The words of the last call, once there was one.
    std::vector<std::string> call_of(const std::string& name) {
        const std::string calls = dir_ / "calls." + name;
        EXPECT_TRUE(QTest::qWaitFor([&] { return std::filesystem::exists(calls); }, patience)) << name;
        std::vector<std::string> words;
        std::ifstream file(calls);
        for (std::string word; std::getline(file, word);)
            words.push_back(word);
        std::filesystem::remove(calls);
        return words;
    }
    std::string root_option() const { return "--root-dir=" + (dir_ / "root"); }

    test::TempDir dir_;
    std::string path_before_;
    bool answer_ = true;
    std::string opened_;
    std::unique_ptr<MainWindow> window_;
};

TEST_F(MainWindowTest, every_tab_has_room_for_its_words) {
    MainWindow& window = open();
    const char* const pictures = std::getenv("OPROF_START_PICTURES");  // a directory to look at them in
    for (const QSize size : {window.size(), window.minimumSizeHint()}) {
        window.resize(size);
        for (int tab = 0; tab < widget<QTabWidget>("tabs").count(); ++tab) {
            show_tab(tab);
            QTest::qWait(1);
            EXPECT_EQ(cut_words(), "") << "tab " << tab << ", " << size.width() << " wide";
            if (pictures)
                window.grab().save(QStringLiteral("%1/tab%2-%3.png")
                                       .arg(QLatin1String(pictures))
                                       .arg(tab)
                                       .arg(size.width()));
        }
    }
}

TEST_F(MainWindowTest, a_long_command_is_there_whole) {
    open();
    show_tab(2);
    const QString program = QStringLiteral("./program ") + QStringLiteral("argument ").repeated(100);
    widget<QLineEdit>("command").setText(program);
    auto& preview = widget<QPlainTextEdit>("preview");
    EXPECT_TRUE(preview.toPlainText().endsWith(program.trimmed()));
    EXPECT_EQ(preview.horizontalScrollBar()->maximum(), 0) << "it wraps";
    EXPECT_GT(preview.verticalScrollBar()->maximum(), 0) << "it scrolls";
    preview.selectAll();
    EXPECT_EQ(preview.textCursor().selectedText(), preview.toPlainText());
}

TEST_F(MainWindowTest, starts_with_what_its_controls_show) {
    open();
    choose_event(1);
    widget<QLineEdit>("count").setText(QStringLiteral("5000"));
    widget<QCheckBox>("kernel").setChecked(false);
    widget<QCheckBox>("mask 0x2").setChecked(true);
    widget<QCheckBox>("no kernel image").setChecked(false);
    widget<QLineEdit>("kernel image").setText(QStringLiteral("/boot/vmlinux"));
    widget<QSpinBox>("buffer size").setValue(2000);
    widget<QSpinBox>("buffer watershed").setValue(1000);
    widget<QSpinBox>("cpu buffer size").setValue(300);
    widget<QSpinBox>("callgraph depth").setValue(16);
    widget<QCheckBox>("verbose").setChecked(true);
    widget<QCheckBox>("per application").setChecked(true);
    widget<QCheckBox>("including kernel").setChecked(true);
    widget<QCheckBox>("per cpu").setChecked(true);
    widget<QCheckBox>("per thread").setChecked(true);
    const std::string preview = widget<QPlainTextEdit>("preview").toPlainText().toStdString();
    click("Start");
    const std::vector<std::string> expected{"--start",
                                            "--event=ONE:5000:0x3:0:1",
                                            "--vmlinux=/boot/vmlinux",
                                            "--separate=kernel,thread,cpu",
                                            "--callgraph=16",
                                            "--buffer-size=2000",
                                            "--buffer-watershed=1000",
                                            "--cpu-buffer-size=300",
                                            "--verbose=all",
                                            root_option()};
    EXPECT_EQ(call_of("opcontrol"), expected);
    EXPECT_EQ(preview,
              "opcontrol --start --event=ONE:5000:0x3:0:1 --vmlinux=/boot/vmlinux "
              "--separate=kernel,thread,cpu --callgraph=16 --buffer-size=2000 --buffer-watershed=1000 "
              "--cpu-buffer-size=300 --verbose=all");
}

TEST_F(MainWindowTest, marks_events_for_which_no_counter_is_left) {
    open();
    EXPECT_EQ(events().topLevelItem(2)->text(1), QStringLiteral("free"));
    choose_event(1);
    EXPECT_EQ(events().topLevelItem(1)->text(1), QStringLiteral("chosen"));
    EXPECT_EQ(events().topLevelItem(2)->text(1), QStringLiteral("no counter"));
    EXPECT_EQ(events().topLevelItem(2)->toolTip(1), QStringLiteral("no counter is left for it beside ONE"));
    EXPECT_EQ(events().topLevelItem(0)->text(1), QStringLiteral("free"));
}

TEST_F(MainWindowTest, does_not_start_what_opcontrol_would_refuse) {
    open();
    widget<QSpinBox>("buffer size").setValue(100);
    widget<QSpinBox>("buffer watershed").setValue(51);
    EXPECT_FALSE(button("Start").isEnabled());
    EXPECT_EQ(widget<QPlainTextEdit>("preview").toPlainText(),
              QStringLiteral("(the buffer watershed is at most half of the buffer size)"));
    widget<QSpinBox>("buffer watershed").setValue(50);
    EXPECT_TRUE(button("Start").isEnabled());
}

TEST_F(MainWindowTest, shows_the_settings_that_opcontrol_keeps) {
    dir_.write("root/root/.oprofile/daemonrc",
               "SEPARATE_THREAD=1\nCALLGRAPH=7\nCHOSEN_EVENTS_0=ONE:700:2:1:0\nVMLINUX=/boot/vmlinux\n");
    open();
    EXPECT_EQ(widget<QSpinBox>("callgraph depth").value(), 7);
    EXPECT_EQ(widget<QLineEdit>("kernel image").text(), QStringLiteral("/boot/vmlinux"));
    EXPECT_EQ(events().topLevelItem(1)->checkState(0), Qt::Checked);
    events().setCurrentItem(events().topLevelItem(1));
    EXPECT_EQ(widget<QLineEdit>("count").text(), QStringLiteral("700"));
    EXPECT_FALSE(widget<QCheckBox>("user").isChecked());
    EXPECT_TRUE(widget<QCheckBox>("mask 0x2").isChecked());
    EXPECT_FALSE(widget<QCheckBox>("mask 0x1").isChecked());
}

TEST_F(MainWindowTest, stays_open_if_the_settings_cannot_be_saved) {
    dir_.write("fails", "");
    const MainWindow& window = open();
    click("Save and quit");
    EXPECT_EQ(call_of("opcontrol").front(), "--setup");
    EXPECT_TRUE(QTest::qWaitFor([&] { return button("Save and quit").isEnabled(); }, patience));
    EXPECT_TRUE(window.isVisible());
    EXPECT_TRUE(
        widget<QPlainTextEdit>("output").toPlainText().contains(QStringLiteral("opcontrol was here")));
    std::filesystem::remove(dir_ / "fails");
    click("Save and quit");
    EXPECT_TRUE(QTest::qWaitFor([&] { return !window.isVisible(); }, patience));
}

TEST_F(MainWindowTest, deletes_samples_only_if_the_user_agrees) {
    open();
    answer_ = false;
    click("Reset sample files");
    show_tab(3);
    auto& sessions = widget<QTreeWidget>("sessions");
    ASSERT_EQ(sessions.topLevelItemCount(), 2);
    EXPECT_EQ(sessions.topLevelItem(0)->text(0), QStringLiteral("before"));
    sessions.setCurrentItem(sessions.topLevelItem(0));
    click("Delete");
    EXPECT_TRUE(std::filesystem::exists(dir_ / "root/var/lib/oprofile/samples/before/one"));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "calls.opcontrol"));
    answer_ = true;
    click("Delete");
    EXPECT_FALSE(std::filesystem::exists(dir_ / "root/var/lib/oprofile/samples/before"));
    EXPECT_EQ(sessions.topLevelItemCount(), 1);
    click("Reset sample files");
    EXPECT_EQ(call_of("opcontrol"), (std::vector<std::string>{"--reset", root_option()}));
}

TEST_F(MainWindowTest, saves_no_session_but_the_daemons) {
    open();
    show_tab(3);
    dir_.write("other/samples/current/one", "12345");
    widget<QLineEdit>("sessions of").setText(QString::fromStdString(dir_ / "other"));
    auto& sessions = widget<QTreeWidget>("sessions");
    window_->findChild<QLineEdit*>(QStringLiteral("sessions of"))->editingFinished();
    ASSERT_EQ(sessions.topLevelItemCount(), 1);
    sessions.setCurrentItem(sessions.topLevelItem(0));
    click("Save as...");
    EXPECT_TRUE(widget<QPlainTextEdit>("output").toPlainText().contains(
        QStringLiteral("only the daemon's session can be saved")));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "calls.opcontrol"));
}

TEST_F(MainWindowTest, saves_and_opens_sessions) {
    open();
    show_tab(3);
    auto& sessions = widget<QTreeWidget>("sessions");
    sessions.setCurrentItem(sessions.topLevelItem(1));
    click("Save as...");
    EXPECT_EQ(call_of("opcontrol"), (std::vector<std::string>{"--save=kept", root_option()}));
    EXPECT_TRUE(QTest::qWaitFor([&] { return button("Save and quit").isEnabled(); }, patience));
    click("Open as page");
    const auto words = call_of("opreport");
    ASSERT_EQ(words.size(), 3u);
    EXPECT_EQ(words[1], "--session-dir=" + (dir_ / "root/var/lib/oprofile"));
    EXPECT_EQ(words[2], "session:current");
    EXPECT_TRUE(QTest::qWaitFor([&] { return !opened_.empty(); }, patience));
    EXPECT_EQ(words[0], "--html=" + opened_);
}

TEST_F(MainWindowTest, runs_operf_on_what_is_named) {
    open();
    show_tab(2);
    EXPECT_FALSE(button("operf run").isEnabled());
    widget<QLineEdit>("command").setText(QStringLiteral("./prog \"a b\" ; rm"));
    widget<QLineEdit>("operf events").setText(QStringLiteral("TIMER:100000"));
    widget<QCheckBox>("operf per thread").setChecked(true);
    EXPECT_EQ(
        widget<QPlainTextEdit>("preview").toPlainText(),
        QStringLiteral("operf --events=TIMER:100000 --callgraph --separate-thread -- ./prog 'a b' ';' rm"));
    click("operf run");
    EXPECT_EQ(call_of("operf"),
              (std::vector<std::string>{"--events=TIMER:100000", "--callgraph", "--separate-thread", "--",
                                        "./prog", "a b", ";", "rm"}));
}

TEST_F(MainWindowTest, a_command_of_two_lines_is_seen_without_scrolling) {
    open();
    choose_event(1);
    widget<QLineEdit>("command").setText(
        QStringLiteral("./server --listen 0.0.0.0:8080 --threads 16 --configuration ") +
        QStringLiteral("/etc/server/server.conf --log /var/log/server.log"));
    for (int tab = 0; tab < widget<QTabWidget>("tabs").count(); ++tab) {
        show_tab(tab);
        QTest::qWait(0);
        const auto& preview = widget<QPlainTextEdit>("preview");
        EXPECT_FALSE(preview.toPlainText().isEmpty());
        EXPECT_EQ(preview.verticalScrollBar()->maximum(), 0) << preview.toPlainText().toStdString();
    }
}

TEST_F(MainWindowTest, goes_on_beside_a_daemon_that_does_not_answer) {
    std::filesystem::create_directories(dir_ / "root/run/oprofiled");
    const Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = (dir_ / "root") + control_socket_path;
    ASSERT_LT(path.size(), sizeof address.sun_path);
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 8), 0);
    open();
    auto& status = widget<QLabel>("status");
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return status.text().startsWith(QStringLiteral("The daemon does not answer")); }, patience))
        << status.text().toStdString();
    click("Stop");
    EXPECT_EQ(call_of("opcontrol").front(), "--shutdown");
}

TEST(DaemonState, is_shown_with_what_was_lost) {
    DaemonState state;
    EXPECT_EQ(state_line(state, 0), "Profiler is not running.");
    state.run = DaemonState::Run::sampling;
    state.uptime_seconds = 3723;
    state.sampled = 1000;
    EXPECT_EQ(state_line(state, 99.6), "Profiler running 01:02:03, 1000 samples, 100 a second");
    state.lost = 25;
    EXPECT_EQ(state_line(state, 0), "Profiler running 01:02:03, 1000 samples, 0 a second; LOST: 25 (2.50 %)");
}

}  // namespace
}  // namespace op::gui
