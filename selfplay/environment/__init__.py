"""Go as an environment for Gymnasium and PettingZoo; importing it registers `miai/Go9x9-v0` and its siblings."""

from selfplay.environment.registration import register_environments

register_environments()
