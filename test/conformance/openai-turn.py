"""Holds one spoken turn through the OpenAI package for Python: openai-turn.py BASE_URL PCM_FILE, with the key in OPENAI_API_KEY."""

import asyncio
import base64
import json
import sys

from openai import AsyncOpenAI


async def main(base: str, file: str) -> None:
    client = AsyncOpenAI(base_url=base, websocket_base_url=base.replace("http", "ws"))
    with open(file, "rb") as audio:
        pcm = audio.read()
    result = {"heard": "", "said": "", "status": ""}
    async with client.realtime.connect(model="default") as connection:
        audio_input = {"transcription": {"model": "whisper-1"}, "turn_detection": {"type": "semantic_vad"}}
        await connection.session.update(session={"type": "realtime", "audio": {"input": audio_input}})
        await connection.input_audio_buffer.append(audio=base64.b64encode(pcm).decode())
        async for event in connection:
            if event.type == "conversation.item.input_audio_transcription.completed":
                result["heard"] = event.transcript
            elif event.type == "response.output_audio_transcript.delta":
                result["said"] += event.delta
            elif event.type == "response.done":
                result["status"] = event.response.status
                break
    print(json.dumps(result))


asyncio.run(main(*sys.argv[1:3]))
