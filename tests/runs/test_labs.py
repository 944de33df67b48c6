"""What one asks of the attention lab, over the route and down to the worker, of runs and of pre-trained models."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from core.experiments import find
from core.experiments.pretrained import EXAMPLE, VARIABLE
from core.runs import routes
from core.runs.labs import unpack_lab
from core.runs.pool import Pool
from core.runs.requests import LabRequest, LookRequest
from core.runs.trainer import Trainer
from core.runs.wire import unpack_look
from core.settings import SettingError
from tests.core.minilm import folder, needs_minilm
from tests.runs.test_requests import junk, whole, written
from tests.runs.tools import LONGEST, NAMES, small, start, wait_until

NAMED = ["text", "given", "layer", "head", "step", "causal_mask", "scaled", "positions", "cell", "words"]
tokens = st.text(st.characters(exclude_categories=["Cs"]), max_size=64)


@given(junk | st.dictionaries(st.sampled_from(NAMED), junk))
def test_junk_is_read_or_refused_in_words(fields: object) -> None:
    try:
        request = LabRequest.from_json(fields)
    except SettingError as refusal:
        assert str(refusal).encode("utf-8")
    else:
        assert json.dumps(request.to_json(), ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(
    st.builds(
        LabRequest,
        text=written,
        given=st.none() | whole,
        layer=whole,
        head=whole,
        causal_mask=st.none() | st.booleans(),
        scaled=st.none() | st.booleans(),
        positions=st.none() | st.booleans(),
        step=st.none() | whole,
        cell=st.none() | st.tuples(whole, whole),
        words=st.none() | st.tuples(tokens, tokens),
    )
)
def test_a_request_survives_json(request: LabRequest) -> None:
    assert LabRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


@pytest.mark.parametrize("cell", [[1], [1, 2, 3], "12", [1, None], [True, 0], [-1, 0], {"query": 1}, [0.5, 1]])
def test_what_is_no_cell_is_refused(cell: object) -> None:
    with pytest.raises(SettingError):
        LabRequest.from_json({"cell": cell})


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_worked_out_at_any_step_and_not_disturbed(name: str) -> None:
    trainer, alone = Trainer(), Trainer()
    for one in (trainer, alone):
        start(one, "run", name)
        one.control("run", "train")
    while trainer.busy:
        trainer.advance(0.0)
        trainer.lab("run", LabRequest(text=find(name).view().prompt, causal_mask=True, scaled=False, positions=False))
    while alone.busy:
        alone.advance()
    text = find(name).view().prompt
    first, last = (unpack_lab(trainer.lab("run", LabRequest(text=text, step=step))) for step in (0, None))
    assert (first[0]["step"], last[0]["step"]) == (0, 11)
    assert not np.array_equal(first[1]["weights"], last[1]["weights"])
    looked = unpack_look(trainer.look("run", LookRequest(text=text)))
    np.testing.assert_allclose(last[1]["weights"], np.nan_to_num(looked.weights[0]), atol=1e-4)
    assert trainer.look("run", LookRequest(text=text)) == alone.look("run", LookRequest(text=text))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A pool of one worker."""
    own = Pool(workers=1)
    yield own
    own.shutdown()


@pytest.fixture(scope="module")
def client(pool: Pool) -> Iterator[httpx.Client]:
    """A browser before a server that has our routes."""
    listening = socket.create_server(("127.0.0.1", 0))
    serving = uvicorn.Server(uvicorn.Config(Starlette(routes=routes.routes()), log_level="error"))
    thread = threading.Thread(target=serving.run, args=([listening],))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "get_pool", lambda: pool)
        patch.setattr(routes, "LONGEST_LOOK", LONGEST)
        thread.start()
        with httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=LONGEST) as browser:
            yield browser
        serving.should_exit = True
        thread.join()
    listening.close()


def test_the_route_answers_with_the_frame(client: httpx.Client, pool: Pool) -> None:
    run = pool.start("mini_gpt", small("mini_gpt"))
    answer = client.post(f"/api/lab/{run.id}", json={"text": "道可道", "layer": 1, "head": 1, "cell": [2, 0]})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    header, arrays = unpack_lab(answer.content)
    assert (header["kind"], header["layer"], header["head"], header["cell"]) == ("lab", 1, 1, [2, 0])
    assert arrays["at_cell"].shape == (2, 2)
    assert arrays["at_cell"][1, 1] == arrays["weights"][2, 0]
    refused = client.post(f"/api/lab/{run.id}", json={"cell": "it"})
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_request")
    assert client.post("/api/lab/nobody", json={}).json() == {"error": "no_run"}
    assert client.get(f"/api/lab/{run.id}").status_code == 405


@needs_minilm
def test_a_pretrained_model_is_loaded_once_and_for_everybody(
    client: httpx.Client, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(folder()))
    run = pool.pretrained("model")
    assert run is not None
    assert pool.pretrained("model") is run
    assert pool.pretrained("another") is None
    pool.drop(run.id)
    assert pool.find(run.id) is run
    answer = client.post(f"/api/lab/{run.id}", json={"text": EXAMPLE, "layer": 3, "head": 1, "words": ["it", "animal"]})
    header, arrays = unpack_lab(answer.content)
    assert header["cell"] == [10, 2]
    assert arrays["weights"][10, 2] == pytest.approx(0.64, abs=0.005)
    wait_until(lambda: run.parameters is not None)
    assert (run.status, run.parameters) == ("stopped", 22_713_216)
    looked = unpack_look(client.post(f"/api/look/{run.id}", json={"text": EXAMPLE, "layer": 3}).content)
    np.testing.assert_allclose(looked.weights[1], arrays["weights"], atol=1e-4)


def test_a_model_that_cannot_be_read_says_why(pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    shape = dict.fromkeys(("vocab_size", "num_hidden_layers", "num_attention_heads", "hidden_size"), 3)
    shape |= dict.fromkeys(("intermediate_size", "max_position_embeddings"), 3)
    for name, kind in (("other", "gpt2"), ("broken", "bert")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(shape | {"model_type": kind}))
        (tmp_path / name / "model.safetensors").write_bytes(b"")
    with pytest.raises(SettingError, match="gpt2"):
        pool.pretrained("other")
    run = pool.pretrained("broken")
    assert run is not None
    wait_until(lambda: run.status == "failed")
    assert isinstance(run.problem, SettingError)
    assert "tokenizer" in str(run.problem)
