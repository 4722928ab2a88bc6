"""What the client of worker processes does when their server is lost."""

from boostbench.experiments.running.executors import LocalExecutor
from boostbench.experiments.running.server import Task


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
