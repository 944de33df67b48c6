"""Figures: NumPy in, Plotly figure out. Pure, free of torch and of Streamlit; words and colours come as arguments."""
