def pytest_addoption(parser):
    parser.addoption("--bless", action="store_true", help="write the stub file anew")
    parser.addoption("--all-models", action="store_true", help="compare runs of large models with the command too")
    parser.addoption("--command", default=None, help="the command least-action, whose output a run is compared with")
