"""What the client of worker processes does when their server is lost."""

from boostbench.experiments.planning.planner import make_plan
from boostbench.experiments.running.conduct import run_plan
from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.running.server import Task
from boostbench.experiments.store.records import RecordStore


def test_the_rounds_of_a_run_are_told_while_it_goes_on(runs_of, tmp_path):
    config = "name: slow\ndatasets: [iris]\nsplit: {holdout: 0.3}\nrounds: 10\n"
    runs = runs_of(f"{config}boosters: [toy-takes-its-time]\n")
    store, told = RecordStore(tmp_path), []

    def listen(event):
        told.append((event.kind, event.progress.work_done, event.progress.remaining))

    with LocalExecutor(1) as executor:
        done = run_plan(make_plan(runs, store).todo(), store, executor, on_event=listen)
    assert done.counts == {"ok": 1}
    assert [kind for kind, *_ in told].count("preparing") > 1
    shares = [share for kind, share, _ in told if 0 < share < 1]
    assert shares
    assert shares == sorted(shares)
    assert all(left > 0 for _, share, left in told if 0 < share < 1)
    assert told[-1][1] == 1


def test_a_server_that_is_lost_while_tasks_are_sent_again_gets_no_task_twice(monkeypatch):
    executor = LocalExecutor.__new__(LocalExecutor)
    executor._sent = {number: Task(number, ()) for number in (1, 2)}
    executor._lost_in_a_row = 0
    servers, sent = iter(range(3)), []

    def send(task):
        sent.append((executor._server, task.number))
        if executor._server == 0:  # found lost while there is no room to send
            executor._replace_server()

    monkeypatch.setattr(executor, "_end_server", lambda: -9)
    monkeypatch.setattr(
        executor, "_start_server", lambda: setattr(executor, "_server", next(servers))
    )
    monkeypatch.setattr(executor, "_send", send)
    executor._replace_server()
    assert sent == [(0, 1), (1, 1), (1, 2)]
