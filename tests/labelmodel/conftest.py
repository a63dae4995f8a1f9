import pytest


@pytest.fixture(scope="module")
def one_torch_thread():
    """Small tensors: threads only get in each other's way."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
