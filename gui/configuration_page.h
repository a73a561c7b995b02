// SPDX-License-Identifier: GPL-2.0-or-later
// The tab Configuration: the settings of opcontrol besides the events.
#pragma once

#include <QWidget>
#include <functional>

#include "gui/command_line.h"
#include "libop/control/daemon_settings.h"

class QCheckBox;
class QLineEdit;
class QSpinBox;

namespace op::gui {

class ConfigurationPage : public QWidget {
public:
    explicit ConfigurationPage(std::function<void()> changed);

    /// Shows what opcontrol keeps.
    void show(const DaemonSettings& settings);
    /// Everything but the events.
    ControlSetup setup() const;

private:
    void choose_image();

    QLineEdit* image_;
    QCheckBox* no_image_;
    QSpinBox *buffer_size_, *watershed_, *cpu_buffer_size_, *callgraph_;
    QCheckBox *verbose_, *per_application_, *including_kernel_, *per_cpu_, *per_thread_;
};

}  // namespace op::gui
