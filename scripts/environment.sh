# Sourced by start.sh and test.sh: the virtual environment and, for the tests, a browser.
# shellcheck shell=bash

export PIP_DISABLE_PIP_VERSION_CHECK=1
environment=.venv
python="$environment/bin/python"

say() { printf '\n── %s\n' "$*" >&2; }

# Runs a command as root: directly, or by sudo. Fails when there is neither.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        return 1
    fi
}

# Installs Debian packages; says what apt-get said only when it failed, as where there is none or no right to use it.
install_packages() {
    local said
    command -v apt-get >/dev/null || return 1
    say "Installing $* with apt-get"
    if ! said=$(as_root apt-get update -qq 2>&1 &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" 2>&1); then
        echo "$said" >&2
        return 1
    fi
}

find_python() {
    local candidate
    for candidate in python3.11 python3 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "Attention Live needs Python 3.11 or newer." >&2
    return 1
}

# Makes the environment when it is missing, and installs a requirements file when it has changed since.
prepare_environment() {
    local requirements=$1 stamp base
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        base=$(find_python)
        say "Making the virtual environment $environment"
        if ! "$base" -c 'import ensurepip, venv' 2>/dev/null; then
            install_packages python3-venv || {
                echo "Python cannot make virtual environments: install the package python3-venv first." >&2
                return 1
            }
        fi
        "$base" -m venv --clear "$environment"
    fi
    stamp="$environment/$(basename "$requirements").installed"
    if ! cat requirements.txt "$requirements" | cmp -s - "$stamp"; then
        say "Installing $requirements"
        "$python" -m pip install --quiet --requirement "$requirements"
        cat requirements.txt "$requirements" >"$stamp"
    fi
}

has_browser() { "$python" -m tests.browser.chromium >/dev/null 2>&1; }

has_chinese_font() { fc-list :lang=zh 2>/dev/null | grep -q .; }

# Makes sure that the browser tests find a Chromium that starts, and that Chinese characters have a font.
prepare_browser() {
    if ! has_browser; then
        # Playwright's driver needs libatomic, which a small Debian has not.
        install_packages chromium libatomic1 fontconfig fonts-noto-cjk || "$python" -m playwright install chromium || true
        if ! has_browser; then
            echo "The browser tests need Chromium. Install it, or run: $python -m playwright install --with-deps chromium" >&2
            "$python" -m tests.browser.chromium >&2
            return 1
        fi
    fi
    if command -v apt-get >/dev/null && ! has_chinese_font; then
        install_packages fontconfig fonts-noto-cjk || say "No font has Chinese characters: screenshots will show boxes"
    fi
}
