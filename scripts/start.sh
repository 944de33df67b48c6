#!/usr/bin/env bash
# Sets up Attention Live in its own virtual environment and starts it. Arguments go to `streamlit run`.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh
prepare_environment requirements.txt
exec "$python" -m streamlit run streamlit_app.py --server.showEmailPrompt false "$@"
