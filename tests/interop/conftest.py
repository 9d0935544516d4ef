"""Settings of every suite in Python: the option of a long run, and libraries that stay on this machine."""

import os

# LiteLLM otherwise asks the internet for the prices of models, LangChain sends traces
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_TELEMETRY"] = "False"
os.environ["LANGSMITH_TRACING"] = "false"
# the tested addresses are on this machine: no proxy of the environment may be used
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "*"


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="run more values, sizes and samples; takes much longer")


def pytest_configure(config):
    # modules of the suites read it when they are imported
    if config.getoption("full"):
        os.environ["TEXTVEIL_FULL"] = "1"
