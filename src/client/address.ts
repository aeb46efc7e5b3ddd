export interface AddressParts {
  /** `wss://host:port`, or the same with http(s). A path before `/ws/voice`, such as a proxy's, is kept. */
  readonly base: string;
  /** One of the two is required, unless a header carries a token. */
  readonly apiKey?: string | undefined;
  readonly token?: string | undefined;
  readonly configId: string;
  readonly projectId?: string | undefined;
}

/** The address of one connection, by its id. */
export function voiceAddress({ base, apiKey, token, configId, projectId }: AddressParts): (id: string) => string {
  const query = new URLSearchParams({ config_id: configId });
  if (apiKey !== undefined) query.set("api_key", apiKey);
  if (token !== undefined) query.set("authorization", `Bearer ${token}`);
  if (projectId !== undefined) query.set("project_id", projectId);
  const root = base.replace(/^http/u, "ws").replace(/\/+$/u, "");
  return (id) => `${root}/ws/voice/${encodeURIComponent(id)}?${query.toString()}`;
}
