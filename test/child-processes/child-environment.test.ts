import { afterEach, expect, it, vi } from "vitest";
import { childEnvironment } from "../../src/child-processes/child-environment.ts";

afterEach(() => void vi.unstubAllEnvs());

it.each(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "NODE_USE_ENV_PROXY", "NODE_OPTIONS"])(
  "a model process does not get %s",
  (name) => {
    vi.stubEnv(name, "http://192.0.2.99:3128");
    expect(childEnvironment()).not.toHaveProperty(name);
  },
);
