"""Which function makes which view. A new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lerim.views.brief import brief
from lerim.views.clinic import clinic
from lerim.views.layout import ViewText
from lerim.views.material import Material
from lerim.views.view import ViewName
from lerim.views.working_memory import working_memory

#: What a view is made from, and the characters it may take.
Maker = Callable[[Material, int], ViewText]
MAKERS: Mapping[ViewName, Maker] = {
    ViewName.BRIEF: brief,
    ViewName.WORKING_MEMORY: working_memory,
    ViewName.CLINIC: clinic,
}
