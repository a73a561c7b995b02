# SPDX-License-Identifier: GPL-2.0-or-later
# For scripts that drive a browser with browser.py: sets $browser, or skips the test.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "skipped: no browser here (Debian package chromium)"
	exit 77
}
met chromium "$("$browser" --version 2>/dev/null | sed 's/^[^0-9]*//; s/ .*//')"
command -v python3 >/dev/null || {
	echo "skipped: no python3 here"
	exit 77
}
