"""Talks to an Oakvoice server: streams a WAV, prints transcript and events, writes the reply as a WAV.

    python3 -m venv venv && venv/bin/pip install websockets
    venv/bin/python talk.py question.wav reply.wav --key oak_...
"""

import argparse
import asyncio
import base64
import json
import time
import uuid
import wave
from urllib.parse import urlencode

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

RATE = 24_000
CHUNK = RATE // 10 * 2  # bytes: 100 ms of 16-bit mono
BYTES_PER_SECOND = RATE * 2


def read_wav(path):
    with wave.open(path, "rb") as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            raise SystemExit(f"{path}: not 24 kHz mono 16-bit; try: ffmpeg -i {path} -ar 24000 -ac 1 -sample_fmt s16 out.wav")
        return file.readframes(file.getnframes())


def write_wav(path, pcm):
    with wave.open(path, "wb") as file:
        file.setframerate(RATE)
        file.setnchannels(1)
        file.setsampwidth(2)
        file.writeframes(pcm)


def message(kind, data=None):
    envelope = {"type": kind, "timestamp": time.time(), "message_id": str(uuid.uuid4())}
    return json.dumps(envelope if data is None else {**envelope, "data": data})


class Speaker:
    """The caller's loudspeaker. Chunks play one after the other, and an interruption stops them at once."""

    def __init__(self):
        self.pcm = bytearray()
        self.ends_at = 0.0

    def play(self, chunk):
        self.pcm += chunk
        self.ends_at = max(self.ends_at, time.monotonic()) + len(chunk) / BYTES_PER_SECOND

    def stop(self):
        unheard = int(max(0.0, self.ends_at - time.monotonic()) * RATE) * 2
        if unheard:
            del self.pcm[-unheard:]
        self.ends_at = 0.0

    @property
    def is_playing(self):
        return time.monotonic() < self.ends_at


class Call:
    def __init__(self, socket):
        self.socket = socket
        self.speaker = Speaker()
        self.ready = asyncio.Event()
        self.turns_open = 0
        self.reply_due = False

    async def listen(self):
        """Handles every message until the connection is closed."""
        async for text in self.socket:
            received = json.loads(text)
            kind, data = received["type"], received.get("data", {})
            if kind == "connection_metadata":
                await self.socket.send(message("session_settings", {"turn_detection": {"mode": "adaptive"}}))
            elif kind == "status" and data["status"] == "ready":
                self.ready.set()
            elif kind == "transcription" and data["is_speech_final"]:
                print(f"you:    {data['accumulated_transcript']}  ({data['confidence']:.0%} sure)")
            elif kind == "llm_response_chunk":
                self.reply_due = not data["is_final"]
                print("\n" if data["is_final"] else data["content"], end="", flush=True)
            elif kind == "tts_chunk":
                self.speaker.play(base64.b64decode(received["content"]))
            elif kind == "tts_interruption":
                self.speaker.stop()
            elif kind == "turn_start":
                self.turns_open += 1
            elif kind == "turn_end":
                self.turns_open -= 1
                self.reply_due = data["transcript"] != ""
            elif kind == "emotion_update":
                print(f"emotion: {data['dominant_emotion']} ({data['confidence']:.0%})")
            elif kind == "error":
                self.reply_due = False
                print(f"error:  {data['error_code']}: {data['error_message']}")

    async def speak(self, pcm):
        """Sends the audio as a microphone would: in real time, and silence when the speech is over."""
        silence = bytes(CHUNK)
        started = rested = time.monotonic()
        sent = 0
        while True:
            at = sent * CHUNK
            await self.socket.send(pcm[at : at + CHUNK] or silence)
            sent += 1
            await asyncio.sleep(max(0.0, started + sent * 0.1 - time.monotonic()))
            if at < len(pcm) or self.turns_open > 0 or self.reply_due or self.speaker.is_playing:
                rested = time.monotonic()
            if time.monotonic() - rested > 2:
                return


async def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("question", help="WAV, 24 kHz mono 16-bit")
    options.add_argument("reply", help="WAV to write")
    options.add_argument("--key", required=True, help="API key; the server prints one when it starts")
    options.add_argument("--base", default="ws://127.0.0.1:8787")
    options.add_argument("--config-id", default="default")
    given = options.parse_args()
    pcm = read_wav(given.question)
    query = urlencode({"api_key": given.key, "config_id": given.config_id})
    try:
        opened = await connect(f"{given.base}/ws/voice/{uuid.uuid4()}?{query}", compression=None)
    except (OSError, WebSocketException) as error:
        raise SystemExit(f"cannot connect to {given.base}: {error}") from None
    async with opened as socket:
        call = Call(socket)
        listening = asyncio.create_task(call.listen())
        ready = asyncio.create_task(call.ready.wait())
        # The server says why it refuses a caller in an error message, and closes.
        await asyncio.wait([listening, ready], return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            await asyncio.gather(listening, return_exceptions=True)
            raise SystemExit(f"the server closed the connection: {socket.close_reason}")
        try:
            await call.speak(pcm)
        except ConnectionClosed as closed:
            print(f"the connection was closed: {closed}")
    await asyncio.gather(listening, return_exceptions=True)
    write_wav(given.reply, call.speaker.pcm)
    print(f"reply:  {len(call.speaker.pcm) / BYTES_PER_SECOND:.2f} s of speech in {given.reply}")


if __name__ == "__main__":
    asyncio.run(main())
