"""What every section of the config is made of."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Level = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Intent = Literal["ans", "ref", "rhe", "hold", "bck", "abn"]
Scenario = Literal["pause", "backchannel", "smooth", "interruption"]
Axis = Literal["corpus", "gender", "age", "region", "snr", "rate", "language"]
IntentRow = dict[Intent, Share]


class Section(BaseModel):
    """A section of the config: closed, frozen, its numbers finite and no text."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)


def doc(meaning: str) -> Any:
    """Describe a field; the text goes into the JSON schema."""
    return Field(description=meaning)
