"""Modules: initial weights, containers, wrappers, evaluation mode, checkpoints, the meta device."""

from __future__ import annotations

import pytest

from tests.analysis.programs import codes

CASES = [
    (
        "dropout after the seed",
        "",
        """\
        torch.manual_seed(0)
        np.save("f", np.zeros(2))
        m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        m(torch.ones(2, 2))
        """,
    ),
    (
        "dropout after strict load",
        "TDL001",
        """\
        m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        m.load_state_dict(torch.load("w"))
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "a layer that drops out, after strict load",
        "TDL001",
        """\
        m = nn.MultiheadAttention(4, 2, dropout=0.1)
        m.load_state_dict(torch.load("w"))
        x = torch.ones(2, 1, 4)
        torch.save(m(x, x, x), "f")
        """,
    ),
    (
        "dropout in evaluation mode",
        "",
        """\
        m = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        m.load_state_dict(torch.load("w"))
        m.eval()
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "a load that asks whether the network is wrapped",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
        def load(path, model):
            state = torch.load(path)
            if hasattr(model, "module"):
                model.module.load_state_dict(state)
            else:
                model.load_state_dict(state)
        m = Net()
        load("w", m)
        torch.save(m, "f")
        """,
    ),
    (
        "a load that is left out on request",
        "",
        """\
        parser = argparse.ArgumentParser()
        parser.add_argument("--weights", default="w")
        args = parser.parse_args()
        m = nn.Linear(2, 2)
        if args.weights is not None:
            m.load_state_dict(torch.load(args.weights))
        else:
            print("no weights")
        torch.save(m, "f")
        """,
    ),
    (
        "a load on request",
        "TDL001",
        """\
        parser = argparse.ArgumentParser()
        parser.add_argument("--weights")
        args = parser.parse_args()
        m = nn.Linear(2, 2)
        if args.weights is not None:
            m.load_state_dict(torch.load(args.weights))
        torch.save(m, "f")
        """,
    ),
    (
        "a load that asks for the class of a wrapper",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
        def load(path, model):
            state = torch.load(path)
            if isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
                model.module.load_state_dict(state)
            else:
                model.load_state_dict(state)
        m = Net()
        load("w", m)
        torch.save(m, "f")
        """,
    ),
    (
        "a load of something that may be wrapped",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self, **parts):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                for name, part in parts.items():
                    setattr(self, name, part)
        m = Net(**torch.load("parts"))
        if hasattr(m, "module"):
            m.module.load_state_dict(torch.load("w"))
        else:
            m.load_state_dict(torch.load("w"))
        torch.save(m, "f")
        """,
    ),
    (
        "copies into all parameters",
        "",
        """\
        m = nn.Linear(2, 2)
        with torch.no_grad():
            for name, p in m.named_parameters():
                p.copy_(torch.load(name))
        torch.save(m, "f")
        """,
    ),
    (
        "new data for all parameters",
        "",
        """\
        m = nn.Linear(2, 2)
        for p, saved in zip(m.parameters(), torch.load("w")):
            p.data = saved
        torch.save(m, "f")
        """,
    ),
    (
        "copies into some parameters",
        "TDL001",
        """\
        m = nn.Linear(2, 2)
        for name, p in m.named_parameters():
            if name in sys.argv:
                p.data.copy_(torch.load(name))
        torch.save(m, "f")
        """,
    ),
    (
        "parameters that are only moved",
        "TDL001",
        """\
        m = nn.Linear(2, 2)
        for p, saved in zip(m.parameters(), torch.load("w")):
            p.data.mul_(0.9).add_(saved)
        torch.save(m, "f")
        """,
    ),
    (
        "a head that is put on before the load",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(2, 5)
        m = Net()
        m.head = nn.Linear(2, 3)
        m.load_state_dict(torch.load("w"))
        torch.save(m, "f")
        """,
    ),
    (
        "a head that is put on a model of a library before the load",
        "",
        """\
        from torchvision import models
        m = models.resnet18()
        m.fc = nn.Linear(2, 3)
        m.load_state_dict(torch.load("w"))
        torch.save(m, "f")
        """,
    ),
    (
        "a head that is put on after the load",
        "TDL001",
        """\
        from torchvision import models
        m = models.resnet18()
        m.load_state_dict(torch.load("w"))
        m.fc = nn.Linear(2, 3)
        torch.save(m, "f")
        """,
    ),
    (
        "a part of a network in evaluation mode",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        class Wrapper(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model
                self.model.eval()
            def run(self, x):
                return self.model.encoder(x)
        m = Net()
        m.load_state_dict(torch.load("w"))
        torch.save(Wrapper(m).run(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "a part of a network back in training mode",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        m = Net()
        m.load_state_dict(torch.load("w"))
        m.eval()
        m.train()
        torch.save(m.encoder(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "another method than forward in evaluation mode",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
            def infer(self, x):
                return nn.functional.dropout(self.layer(x), 0.5, self.training)
        m = Net()
        m.load_state_dict(torch.load("w"))
        _ = m.eval().half()
        torch.save(m.infer(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "another method that draws in any mode",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
            def infer(self, x):
                return nn.functional.dropout(self.layer(x), 0.5, training=True)
        m = Net()
        m.load_state_dict(torch.load("w"))
        m.eval()
        torch.save(m.infer(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "initial weights drawn by functions that the constructor calls, and all of them loaded",
        "",
        """\
        def spread(tensor, low):
            with torch.no_grad():
                return tensor.uniform_(low, 1)
        def block():
            return nn.utils.spectral_norm(nn.Conv2d(2, 2, 1))
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.block = block()
                spread(self.layer.weight, 0)
        m = Net()
        m.load_state_dict(torch.load("w"))
        m.eval()
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "initial weights drawn by functions that the constructor calls, and some of them loaded",
        "TDL001",
        """\
        def spread(tensor, low):
            with torch.no_grad():
                return tensor.uniform_(low, 1)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(spread(torch.zeros(2), 0))
        m = Net()
        m.load_state_dict(torch.load("w"), strict=False)
        torch.save(m.weight, "f")
        """,
    ),
    (
        "strict False",
        "TDL001",
        """\
        m = nn.Linear(2, 2)
        m.load_state_dict(torch.load("w"), strict=False)
        m.eval()
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "ModuleList",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Identity() for _ in range(3)])
                self.drop = nn.ModuleDict({"a": nn.Dropout()})
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return self.drop["a"](x)
        torch.save(Net()(torch.ones(2)), "f")
        """,
    ),
    (
        "ModuleList with dropout",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Dropout() for _ in range(3)])
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x
        torch.save(Net()(torch.ones(2)), "f")
        """,
    ),
    (
        "compiled and parallel wrappers",
        "TDL001",
        """\
        class Net(nn.Module):
            def forward(self, x):
                return nn.functional.dropout(x, 0.5, self.training)
        m = torch.compile(nn.DataParallel(Net()))
        torch.save(m(torch.ones(2)), "f")
        """,
    ),
    (
        "meta device",
        "",
        """\
        with torch.device("meta"):
            m = nn.Linear(2, 2)
        torch.save(m, "f")
        """,
    ),
    (
        "skip_init",
        "",
        """\
        m = torch.nn.utils.skip_init(nn.Linear, 2, 2)
        m.load_state_dict(torch.load("w"))
        torch.save(m, "f")
        """,
    ),
    (
        "init in-place",
        "TDL001",
        """\
        x = torch.zeros(3)
        x.normal_()
        torch.save(x, "f")
        """,
    ),
    (
        "nn.init",
        "TDL001",
        """\
        x = torch.zeros(3, 3)
        nn.init.xavier_uniform_(x)
        torch.save(x, "f")
        """,
    ),
    (
        "nn.init constant",
        "",
        """\
        x = torch.zeros(3, 3)
        nn.init.zeros_(x)
        torch.save(x, "f")
        """,
    ),
    (
        "ReLU draws nothing",
        "",
        """\
        torch.save(nn.Sequential(nn.ReLU(), nn.Flatten()), "f")
        """,
    ),
    (
        "BatchNorm draws nothing",
        "",
        """\
        torch.save(nn.BatchNorm2d(3), "f")
        """,
    ),
    (
        "apply init",
        "TDL001",
        """\
        def init(m):
            nn.init.normal_(m.weight)
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = nn.BatchNorm1d(2)
                self.apply(init)
        torch.save(Net(), "f")
        """,
    ),
    (
        "a draw in forward",
        "TDL001",
        """\
        class Net(nn.Module):
            def forward(self, x):
                return x + torch.randn_like(x)
        torch.save(Net()(torch.ones(2)), "f")
        """,
    ),
    (
        "a list of many transforms",
        "TDL003",
        """\
        class Plain:
            def __call__(self, x):
                return x
        class Turn:
            def __call__(self, x):
                return x * random.random()
        class All:
            def __init__(self, parts):
                self.parts = parts
            def __call__(self, x):
                for part in self.parts:
                    x = part(x)
                return x
        torch.save(All([Plain(), Plain(), Plain(), Plain(), Plain(), Plain(), Plain(), Turn()])(1), "f")
        """,
    ),
    (
        "a constructor that reads all its weights",
        "",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                weights = np.load("w.npy")
                for name, p in self.named_parameters():
                    p.data = torch.from_numpy(weights[name])
        torch.save(Net().state_dict(), "f")
        """,
    ),
    (
        "every parameter is copied into",
        "",
        """\
        net = nn.Linear(2, 2)
        with torch.no_grad():
            for p in net.parameters():
                p.copy_(torch.load("x"))
        torch.save(net.state_dict(), "f")
        """,
    ),
    (
        "some parameters are copied into",
        "TDL001",
        """\
        net = nn.Linear(2, 2)
        for name, p in net.named_parameters():
            if "bias" in name:
                p.data.zero_()
        torch.save(net.state_dict(), "f")
        """,
    ),
    *(
        (
            f"either of two networks, {text}",
            expected,
            f"""\
            def build(kind):
                if kind == "a":
                    return nn.Sequential(nn.Linear(2, 2), nn.Dropout())
                return nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Dropout())
            m = build(sys.argv[1])
            m.load_state_dict(torch.load("w"))
            {text}
            torch.save(m(torch.ones(2, 2)), "f")
            """,
        )
        for text, expected in (("m.eval()", ""), ("m.eval(); m.train()", "TDL001"), ("m.cpu()", "TDL001"))
    ),
    (
        "the best weights, loaded after training",
        "TDL001",
        """\
        m = nn.Linear(2, 2)
        opt = torch.optim.SGD(m.parameters(), lr=0.1)
        for _ in range(3):
            m(torch.ones(2, 2)).sum().backward()
            opt.step()
        m.load_state_dict(torch.load("best"))
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "weights loaded before training, and the best ones after",
        "",
        """\
        m = nn.Linear(2, 2)
        m.load_state_dict(torch.load("w"))
        opt = torch.optim.SGD(m.parameters(), lr=0.1)
        for _ in range(3):
            m(torch.ones(2, 2)).sum().backward()
            opt.step()
        m.load_state_dict(torch.load("best"))
        """,
    ),
    (
        "the best weights, loaded by what trains",
        "TDL001",
        """\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
            def forward(self, x):
                return self.layer(x)
        def train(net):
            net(torch.ones(2, 2)).sum().backward()
            net.load_state_dict(torch.load("best"))
        class Runner:
            def __init__(self):
                self.net = Net()
            def run(self):
                train(self.net)
        Runner().run()
        """,
    ),
    (
        "a network that is made after training and loaded",
        "",
        """\
        w = torch.zeros(2, requires_grad=True)
        w.sum().backward()
        m = nn.Linear(2, 2)
        m.load_state_dict(torch.load("w"))
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "training that ends the program where it happens",
        "",
        """\
        def main(args):
            m = nn.Linear(2, 2)
            if args:
                torch.zeros(2, requires_grad=True).sum().backward()
                sys.exit(0)
            m.load_state_dict(torch.load("w"))
            torch.save(m(torch.ones(2, 2)), "f")
        main(sys.argv)
        """,
    ),
    (
        "the layer inside a wrapper is loaded",
        "",
        """\
        m = nn.DataParallel(nn.Sequential(nn.Linear(2, 2)))
        m.module.load_state_dict(torch.load("w"))
        torch.save(m(torch.ones(2, 2)), "f")
        """,
    ),
    (
        "whichever of many networks is loaded",
        "",
        "\n".join(
            f"class Net{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.layer = nn.Linear(2, {i + 1})"
            for i in range(9)
        )
        + """
def get(name):
    return {k.lower(): v for k, v in globals().items()}.get(name)
def build(conf):
    model = get(conf["name"])()
    model.load_state_dict(conf["state"])
    torch.save(model.layer.weight, "f")
build(torch.load("w"))
""",
    ),
    *(
        (
            f"{drawing} of nine networks that a checkpoint may hold have dropout",
            expected,
            "\n".join(
                f"class Net{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                f"        self.layer = nn.Dropout({0.5 if i < drawing else 0.0})\n"
                f"    def forward(self, x):\n        return {'self.layer(x)' if i < drawing else 'x'}"
                for i in range(9)
            )
            + """
model = globals()[torch.load("w")["name"]]()
torch.save(model(torch.ones(2)), "f")
""",
        )
        for drawing, expected in ((1, ""), (8, "TDL001"))
    ),
]


@pytest.mark.parametrize(("expected", "text"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_codes(text: str, expected: str) -> None:
    assert codes(text) == expected
