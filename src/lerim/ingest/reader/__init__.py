"""Reading sheets with a model: one request a sheet, answers in numbers of units, and no trust in what comes back."""
