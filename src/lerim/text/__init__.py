"""Plain text taken apart: words, stems, sentences, dates. One way for every room; knows nothing of Lerim."""
