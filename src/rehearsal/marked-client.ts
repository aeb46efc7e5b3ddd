import type { ClientPort } from "../conversation/session-interface.ts";
import type { ServerData } from "../doors/voice/server-messages.ts";

/** The same client. `status` messages that answer `session_settings` say that this is a rehearsal. */
export function markedClient(client: ClientPort): ClientPort {
  return {
    send(type, data) {
      if (type === "status") client.send("status", marked(data as ServerData["status"]));
      else client.send(type, data);
    },
  };
}

const marked = (data: ServerData["status"]): ServerData["status"] =>
  data.status === "ready" ? { ...data, details: { ...data.details, rehearsal: true } } : data;
