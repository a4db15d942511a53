"""The memory for programs: everything the command line can read and change, as the same documents."""
