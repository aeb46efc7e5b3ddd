"""voice-eval (PyPI) with Oakvoice's 24 kHz, and with the name of the utterance that each transcript belongs to.
See docs/bench.md, "Harnesses of others"."""

import sys
from functools import partial

from voice_evals import cli, probe
from voice_evals.probe.transports.websocket import WebSocketAgentTransport


class Transport(WebSocketAgentTransport):
    utterance_id = None

    async def send_audio(self, frame):
        self.utterance_id = frame.utterance_id
        return await super().send_audio(frame)

    async def events(self):
        async for event in super().events():
            if event.kind == probe.EventKind.CALLER_TRANSCRIPT_FINAL:
                event.utterance_id = self.utterance_id
            yield event


probe.ProbeConfig = partial(probe.ProbeConfig, input_format=probe.AudioFormat(sample_rate=24_000))
probe.build_transport = lambda config, clock=None: Transport(probe.load_protocol_map(config), clock=clock)
sys.exit(cli.main())
