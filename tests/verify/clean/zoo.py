"""All the programs beside this one that need nothing but torch and one process, one after another."""

import sys

import cnn
import diffusion
import gan
import lstm
import rl
import transformer

if __name__ == "__main__":
    for program in (cnn, transformer, gan, rl, lstm, diffusion):
        print(program.__name__, file=sys.stderr)
        program.main()
