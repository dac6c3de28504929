"""Options of the suite: tests that rest on noise, run again and again."""


def pytest_addoption(parser):
    parser.addoption(
        "--repeat",
        type=int,
        default=1,
        metavar="N",
        help="run each test that rests on noise N times (with `-m noise`: only these)",
    )


def pytest_generate_tests(metafunc):
    """One more parameter, of no use to the test: the number of the repetition."""
    n = metafunc.config.getoption("repeat")
    if n > 1 and metafunc.definition.get_closest_marker("noise"):
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(n))
