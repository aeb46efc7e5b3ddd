"""Tools, calls and results as text: the Python twin of the chat template's tool part (`chat-template.jinja`)."""

import json
import re
from dataclasses import dataclass, field

CALL, CALL_END = "<tool_call>", "</tool_call>"
RESPONSE, RESPONSE_END = "<tool_response>", "</tool_response>"


@dataclass(frozen=True)
class Tool:
    """A function that the assistant may call; `properties` are JSON Schemas by name, in the order of the arguments."""

    name: str
    description: str
    properties: dict[str, dict] = field(default_factory=dict)
    required: tuple[str, ...] = ()


def kind(schema: dict) -> str:
    return "|".join(schema["enum"]) if "enum" in schema else schema.get("type", "any")


def signature(tool: Tool) -> str:
    parameters = ", ".join(f"{name}{'' if name in tool.required else '?'}: {kind(schema)}" for name, schema in tool.properties.items())
    return f"{tool.name}({parameters}): {tool.description}"


def documented(system: str, tools: list[Tool]) -> str:
    """The system message with the list of tools, as the chat template writes it."""
    return "\n".join([system, "", "Tools:", *(signature(tool) for tool in tools)]) if tools else system


def call_text(name: str, arguments: dict) -> str:
    return f'{CALL}\n{{"name": "{name}", "arguments": {json.dumps(arguments)}}}\n{CALL_END}'


def response_text(results: list[str]) -> str:
    return "\n".join(f"{RESPONSE}\n{result}\n{RESPONSE_END}" for result in results)


def read_calls(reply: str) -> list[tuple[str, dict]] | None:
    """The calls of a reply; None when one of them is not valid JSON."""
    calls = []
    for part in reply.split(CALL)[1:]:
        try:
            call = json.loads(part.partition(CALL_END)[0])
            calls.append((call["name"], call["arguments"]))
        except (ValueError, KeyError, TypeError):
            return None
    return calls


def listed(system: str) -> dict[str, dict[str, str]]:
    """Kinds of the parameters, by tool. The name of one that may be left out ends in `?`."""
    signatures = re.findall(r"^(\w+)\((.*?)\): ", system.partition("\nTools:\n")[2], re.M)
    return {name: dict(part.split(": ", 1) for part in parameters.split(", ") if part) for name, parameters in signatures}
