"""Derived documents that hand the memory on: the brief, the working memory and the run clinic.

They are made from the records and never canonical: deleted, they come back the same. The door is `room.py`; `shelf.py`
is for those who only read what is there, and have no time.
"""
