def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="write the stub file anew")
    parser.addoption("--command", default=None, help="the command least-action, whose output a run is compared with")
