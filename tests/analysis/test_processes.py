"""Threads, processes and frameworks that call a function of the program."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes, findings

CASES = [
    (
        "spawn",
        "TDL001",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            torch.manual_seed(0)
            mp.spawn(worker, nprocs=2)
        """,
    ),
    (
        "spawn seeded at module level",
        "",
        """\
        torch.manual_seed(0)
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            mp.spawn(worker, nprocs=2)
        """,
    ),
    (
        "spawn seeds inside",
        "",
        """\
        def worker(rank):
            torch.manual_seed(rank)
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            mp.spawn(worker, nprocs=2)
        """,
    ),
    (
        "Process",
        "",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            torch.manual_seed(0)
            p = mp.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    (
        "Lightning fit",
        "TDL001 tdl203",
        """\
        import lightning as L
        class Net(L.LightningModule):
            def __init__(self):
                super().__init__()
                self.fc = nn.Identity()
            def training_step(self, batch, index):
                return self.fc(batch) * torch.rand(())
            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.1)
        if __name__ == "__main__":
            L.Trainer(accelerator="gpu").fit(Net(), DataLoader([1, 2]))
        """,
    ),
    (
        "Lightning seed_everything",
        "",
        """\
        import lightning as L
        class Net(L.LightningModule):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 2)
            def training_step(self, batch, index):
                return self.fc(batch) * torch.rand(())
        if __name__ == "__main__":
            L.seed_everything(1, workers=True)
            L.Trainer(deterministic=True, accelerator="cpu").fit(Net(), DataLoader([1, 2], num_workers=4))
        """,
    ),
    (
        "HF Trainer, model built before",
        "TDL006 TDL203",
        """\
        from transformers import Trainer, TrainingArguments
        if __name__ == "__main__":
            m = nn.Linear(2, 2)
            t = Trainer(model=m, args=TrainingArguments("out"))
            t.train()
        """,
    ),
    (
        "HF Trainer with model_init",
        "TDL203",
        """\
        from transformers import Trainer, TrainingArguments
        def init():
            return nn.Linear(2, 2)
        if __name__ == "__main__":
            t = Trainer(model_init=init, args=TrainingArguments("out"))
            t.train()
        """,
    ),
    (
        "executor submit",
        "TDL002",
        """\
        from concurrent.futures import ThreadPoolExecutor
        def work(n):
            np.save("f", np.random.rand(n))
        with ThreadPoolExecutor() as pool:
            pool.submit(work, 3)
        """,
    ),
    (
        "executor map",
        "TDL002",
        """\
        from concurrent.futures import ProcessPoolExecutor
        def work(n):
            np.save("f", np.random.rand(n))
        with ProcessPoolExecutor() as pool:
            list(pool.map(work, [1, 2]))
        """,
    ),
    (
        "rpc",
        "TDL001",
        """\
        import torch.distributed.rpc as rpc
        def work(n):
            return torch.rand(n)
        if __name__ == "__main__":
            rpc.init_rpc("a", rank=0, world_size=1)
            print(rpc.rpc_sync("b", work, args=(3,)).sum())
            torch.save(rpc.rpc_async("b", work, args=(3,)).wait(), "f")
        """,
    ),
    (
        "fire",
        "TDL001",
        """\
        import fire
        def main(n=3):
            torch.save(torch.rand(n), "f")
        if __name__ == "__main__":
            fire.Fire(main)
        """,
    ),
    (
        "hydra",
        "TDL001",
        """\
        import hydra
        @hydra.main(config_path=".", config_name="c")
        def main(cfg):
            torch.save(torch.rand(3), "f")
        if __name__ == "__main__":
            main()
        """,
    ),
    (
        "sys.exit(main())",
        "TDL001",
        """\
        def main():
            torch.save(torch.rand(3), "f")
            return 0
        if __name__ == "__main__":
            sys.exit(main())
        """,
    ),
    (
        "asyncio",
        "TDL001",
        """\
        import asyncio
        async def main():
            torch.save(torch.rand(2), "f")
        asyncio.run(main())
        """,
    ),
    (
        "thread",
        "TDL001",
        """\
        import threading
        def work():
            torch.save(torch.rand(2), "f")
        threading.Thread(target=work).start()
        """,
    ),
    (
        "processes that start anew",
        "TDL001",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            mp.set_start_method("spawn")
            torch.manual_seed(0)
            p = mp.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    (
        "processes that start anew on some platforms",
        "",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            if sys.platform == "darwin":
                mp.set_start_method("spawn")
            torch.manual_seed(0)
            p = mp.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    (
        "a context that starts processes anew",
        "TDL001",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            ctx = mp.get_context("spawn")
            torch.manual_seed(0)
            p = ctx.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
    (
        "a context that copies",
        "",
        """\
        def worker(rank):
            torch.save(nn.Linear(2, 2), "f")
        if __name__ == "__main__":
            ctx = mp.get_context("fork")
            torch.manual_seed(0)
            p = ctx.Process(target=worker, args=(0,))
            p.start()
        """,
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("self.training_step(self.model, inputs)", "TDL203"),
        ("super().training_step(self.model, inputs)", "TDL203"),
        ("self.prediction_step(self.model, inputs, False)", ""),
    ],
)
def test_a_trainer_with_a_loop_of_its_own_trains(step: str, expected: str) -> None:
    program = f"""
        from transformers import Trainer, TrainingArguments, set_seed
        class Own(Trainer):
            def train(self, path=None):
                for inputs in self.get_train_dataloader():
                    {step}
        set_seed(3)
        Own(model=torch.load("m"), args=TrainingArguments("o")).train(path="s")
    """
    assert codes(program, "TDL2") == expected


WORKERS = """
    from torch.utils.data import DataLoader, Dataset
    from other import seed_all
    class Data(Dataset):
        def __getitem__(self, i):
            {inside}
            return i
    def main():
        model = nn.Linear(2, 2)
        for x in DataLoader(Data(), num_workers={count}, worker_init_fn={init}):
            model(x)
    main()
"""


@pytest.mark.parametrize(
    ("inside", "count", "init", "severity"),
    [
        ("seed_all(i)", 2, "None", "error"),
        ("seed_all(i)", 0, "None", "warning"),
        ("pass", 2, "lambda i: seed_all(i)", "error"),
        ("pass", "int(input())", "lambda i: seed_all(i)", "error"),
        ("pass", "int(input())", "None", "error"),
    ],
)
def test_what_may_seed_in_workers_seeds_nothing_in_the_main_process(
    inside: str, count: object, init: str, severity: str
) -> None:
    found = findings(WORKERS.format(inside=inside, count=count, init=init))
    assert [each.severity for each in found if each.code == "TDL001"] == [severity]
