// SPDX-License-Identifier: GPL-2.0-or-later
// Directories by descriptor, as wherever sessions are read.
#include "gui/sessions_page.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <QDateTime>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/session/session.h"

namespace op::gui {
namespace {

constexpr int deepest = 64;  ///< directories; those of sample files are the paths of binaries

/// The bytes of the files below a directory, no deeper than so many directories.
uint64_t bytes_below(const Fd& dir, int depth) {
    uint64_t bytes = 0;
    for (const DirectoryEntry& entry :
         read_directory(Fd(::openat(dir.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), "session")) {
        struct stat st {};
        if (entry.is_regular && ::fstatat(dir.get(), entry.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += static_cast<uint64_t>(st.st_blocks) * 512;
        if (!entry.is_directory || depth == 0) continue;
        const Fd below(
            ::openat(dir.get(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (below) bytes += bytes_below(below, depth - 1);
    }
    return bytes;
}

Fd open_samples(const std::string& session_dir) {
    const Fd dir(::open(session_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return Fd(dir ? ::openat(dir.get(), "samples", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1);
}

ListedSession describe(const Fd& samples, const std::string& name) {
    ListedSession session{name, 0, 0};
    const Fd dir(::openat(samples.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat st {};
    if (!dir || ::fstat(dir.get(), &st) != 0) return session;
    session.changed_time = st.st_mtim.tv_sec;
    session.bytes = bytes_below(dir, deepest);
    return session;
}

QPushButton* add_button(QHBoxLayout* row, const char* label) {
    auto* const button = new QPushButton(QLatin1String(label));
    button->setObjectName(QLatin1String(label));
    row->addWidget(button);
    return button;
}

}  // namespace

std::vector<ListedSession> list_sessions(const std::string& session_dir) {
    std::vector<ListedSession> sessions;
    try {
        const Fd samples = open_samples(session_dir);
        if (!samples) return sessions;
        for (const DirectoryEntry& entry : read_directory(
                 Fd(::openat(samples.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), session_dir))
            if (entry.is_directory && !entry.name.starts_with('.'))
                sessions.push_back(describe(samples, entry.name));
    } catch (const Error&) {  // the list is then as long as it could be read
    }
    std::ranges::sort(sessions, {}, &ListedSession::name);
    return sessions;
}

void delete_session(const std::string& session_dir, const std::string& name) {
    check_session_name(name);
    const std::string label = session_dir + "/samples/" + name;
    const Fd samples = open_samples(session_dir);
    if (!samples) throw_system("cannot open " + session_dir + "/samples");
    remove_tree_at(samples, name, label);
}

SessionsPage::SessionsPage(const std::string& session_dir, Actions actions) {
    auto* const rows = new QVBoxLayout(this);
    auto* const directory_row = new QHBoxLayout;
    directory_ = new QLineEdit(QString::fromStdString(session_dir));
    directory_->setObjectName(QStringLiteral("sessions of"));
    auto* const browse = new QPushButton(QStringLiteral("..."));
    directory_row->addWidget(new QLabel(QStringLiteral("Session directory")));
    directory_row->addWidget(directory_);
    directory_row->addWidget(browse);
    rows->addLayout(directory_row);
    list_ = new QTreeWidget;
    list_->setObjectName(QStringLiteral("sessions"));
    list_->setHeaderLabels({QStringLiteral("Session"), QStringLiteral("Size"), QStringLiteral("Changed")});
    list_->setRootIsDecorated(false);
    rows->addWidget(list_);
    auto* const buttons = new QHBoxLayout;
    report_ = add_button(buttons, "Report");
    page_ = add_button(buttons, "Open as page");
    save_ = add_button(buttons, "Save as...");
    remove_ = add_button(buttons, "Delete");
    buttons->addStretch();
    rows->addLayout(buttons);

    connect(browse, &QPushButton::clicked, [this] { choose_directory(); });
    connect(directory_, &QLineEdit::editingFinished, [this] { refresh(); });
    connect(list_, &QTreeWidget::itemSelectionChanged, [this] { show_choice(); });
    const auto with_choice = [this](const std::function<void(const std::string&)>& act) {
        return [this, act] { act(chosen()); };
    };
    connect(report_, &QPushButton::clicked, with_choice(actions.report));
    connect(page_, &QPushButton::clicked, with_choice(actions.page));
    connect(save_, &QPushButton::clicked, with_choice(actions.save));
    connect(remove_, &QPushButton::clicked, with_choice(actions.remove));
    refresh();
}

std::string SessionsPage::session_dir() const {
    return directory_->text().toStdString();
}

void SessionsPage::set_session_dir(const std::string& session_dir) {
    directory_->setText(QString::fromStdString(session_dir));
    refresh();
}

void SessionsPage::refresh() {
    const std::string before = chosen();
    list_->clear();
    for (const ListedSession& session : list_sessions(session_dir())) {
        auto* const item = new QTreeWidgetItem(
            list_,
            {QString::fromStdString(session.name),
             QLocale().formattedDataSize(static_cast<qint64>(session.bytes)),
             QLocale().toString(QDateTime::fromSecsSinceEpoch(session.changed_time), QLocale::ShortFormat)});
        if (session.name == before) list_->setCurrentItem(item);
    }
    for (int column = 0; column < list_->columnCount(); ++column)
        list_->resizeColumnToContents(column);
    if (!list_->currentItem() && list_->topLevelItemCount() > 0)
        list_->setCurrentItem(list_->topLevelItem(0));
    show_choice();
}

std::string SessionsPage::chosen() const {
    const QTreeWidgetItem* const item = list_->currentItem();
    return item ? item->text(0).toStdString() : std::string();
}

void SessionsPage::show_choice() {
    const std::string name = chosen();
    for (QPushButton* const button : {report_, page_, remove_})
        button->setEnabled(!name.empty());
    save_->setEnabled(name == current_session);
    save_->setToolTip(save_->isEnabled() ? QString()
                                         : QStringLiteral("Only the current session can be saved"));
}

void SessionsPage::choose_directory() {
    const QString chosen =
        QFileDialog::getExistingDirectory(this, QStringLiteral("Session directory"), directory_->text());
    if (!chosen.isEmpty()) set_session_dir(chosen.toStdString());
}

}  // namespace op::gui
