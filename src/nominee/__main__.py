"""``python -m nominee`` is the ``nominee`` command."""

from nominee.cli.main import main

if __name__ == "__main__":
    main()
