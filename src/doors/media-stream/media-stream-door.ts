import type { Door } from "../door.ts";
import { pathOf } from "../telephone/connect-request.ts";
import { telephoneDoor } from "../telephone/telephone-door.ts";
import { decodeMediaStream } from "./decode.ts";

/** Some telephone services send no query and no credentials, so the path may hold the configuration and the API key. */
const PATH = /^\/ws\/media-stream(?:\/([^/]+)(?:\/([^/]+))?)?$/;

/** Media streams of Twilio and of services that speak its protocol or Plivo's, described in docs/telephone.md. */
export const mediaStreamDoor = (): Door =>
  telephoneDoor({
    matches: (url) => PATH.test(pathOf(url)),
    pathParameters(url) {
      const [, configId, apiKey] = PATH.exec(pathOf(url)) ?? [];
      return { configId, apiKey };
    },
    formats: "mu-law or A-law at 8000 Hz, or 16-bit audio at 8000 or 16000 Hz",
    decode: decodeMediaStream,
  });
