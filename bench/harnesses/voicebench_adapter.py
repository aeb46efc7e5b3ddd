"""Lets voicebench (PyPI) talk to Oakvoice's native interface. See docs/bench.md, "Harnesses of others"."""

import base64
import json
import os
import time
import uuid

from voicebench.adapters.base import AgentClear, Transcript
from voicebench.adapters.websocket import WebSocketAdapter


class Oakvoice(WebSocketAdapter):
    """The option `url` is the server's base address. The key is in OAKVOICE_API_KEY."""

    name = "oakvoice"

    def __init__(self, url="ws://127.0.0.1:8787", config_id="default", **options):
        query = f"config_id={config_id}&api_key={os.environ['OAKVOICE_API_KEY']}"
        settings = {"type": "session_settings", "timestamp": time.time(), "message_id": "1", "data": {}}
        super().__init__(f"{url}/ws/voice/{uuid.uuid4()}?{query}", start_message=settings, **options)

    def handle_text(self, message, now):
        data = json.loads(message)
        kind = data["type"]
        if kind == "tts_chunk":
            self.handle_binary(base64.b64decode(data["content"]), now, 24_000)
        elif kind == "tts_interruption":
            self.emit(AgentClear(now))
        elif kind == "transcription" and data["data"]["is_speech_final"]:
            self.emit(Transcript("user", data["data"]["transcript"], now))
