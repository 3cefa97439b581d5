"""The Trainer of transformers, on a tiny model that is made here."""

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        tokens = (torch.arange(8) * 7 + index) % 50
        return {
            "input_ids": tokens,
            "attention_mask": torch.ones(8, dtype=torch.long),
            "labels": torch.tensor(index % 2),
        }


def main():
    set_seed(0)
    shape = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "vocab_size": 50,
    }
    model = BertForSequenceClassification(BertConfig(max_position_embeddings=16, **shape))
    arguments = TrainingArguments(
        output_dir="out",
        max_steps=4,
        per_device_train_batch_size=4,
        report_to=[],
        use_cpu=True,
        seed=0,
        save_steps=2,
        disable_tqdm=True,
        logging_steps=2,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=Rows())
    print(trainer.train().training_loss)


if __name__ == "__main__":
    main()
