"""The tests mirror core; pages/ drives Streamlit's AppTest, browser/ a real Chromium, benchmarks/ measures."""
