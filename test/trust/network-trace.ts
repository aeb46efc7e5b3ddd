/**
 * Reads the output of `strace -f -e trace=%network,io_uring_setup` and returns calls that could reach other machines.
 * A line that cannot be parsed is a finding too.
 */
export function findEgress(trace: string): string[] {
  const findings: string[] = [];
  for (const line of trace.split("\n")) {
    if (line === "" || ENDED_OR_SIGNALLED.test(line) || RESUMED.test(line)) continue;
    const [, name = "", args = ""] = CALL.exec(line) ?? [];
    const fault = judge(name, args);
    if (fault !== undefined) findings.push(`${fault}: ${line}`);
  }
  return findings;
}

/** Processes and threads that a trace followed. */
export const tracedTasks = (trace: string): number =>
  new Set(trace.split("\n").flatMap((line) => /^\d+/u.exec(line) ?? [])).size;

const ENDED_OR_SIGNALLED =
  /^\d+ +(\+\+\+ (exited with \d+|killed by \S+( \(core dumped\))?|superseded by .*) \+\+\+|--- .* ---)$/u;
/** The second half of a call. Addresses that the process chose are in the first half. */
const RESUMED = /^\d+ +<\.\.\. [a-z0-9_]+ resumed>/u;
const CALL = /^\d+ +([a-z0-9_]+)\((.*)$/u;

/** Calls that receive data or describe a socket. They do not send. */
const PASSIVE = new Set([
  "listen", "accept", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "shutdown",
  "recvfrom", "recvmsg", "recvmmsg",
]); // prettier-ignore
/** Kinds of socket that can only send by the calls below. */
const SOCKET = /^(AF_UNIX|AF_NETLINK|AF_INET6?), SOCK_(STREAM|DGRAM|SEQPACKET|RAW)\b/u;
const DNS_PORT = 53;

function judge(name: string, args: string): string | undefined {
  if (PASSIVE.has(name)) return undefined;
  switch (name) {
    case "socketpair":
      return args.startsWith("AF_UNIX,") ? undefined : "an unknown kind of socket";
    case "socket": {
      const [, family, type] = SOCKET.exec(args) ?? [];
      const isRaw = type === "RAW" && family !== "AF_NETLINK";
      return family === undefined || isRaw ? "an unknown kind of socket" : undefined;
    }
    case "bind":
      return addressFault(args, true);
    case "connect":
      return addressFault(args, true);
    case "sendto":
    case "sendmsg":
    case "sendmmsg":
      // Without an address the call sends to the address of the socket's connect.
      return addressFault(args, false);
    case "io_uring_setup":
      return / = -1 E/u.test(args) ? undefined : "an io_uring, whose work no trace of calls shows";
    default:
      return "not understood";
  }
}

function addressFault(args: string, isRequired: boolean): string | undefined {
  const addresses = [...args.matchAll(/\{sa_family=(\w+)([^}]*)\}/gu)];
  if (addresses.length === 0) {
    const isNone = !isRequired && !args.includes("sa_family") && /, NULL, 0|msg_name=NULL/u.test(args);
    return isNone ? undefined : "an address that cannot be read";
  }
  for (const [, family = "", rest = ""] of addresses) {
    const port = Number(/sin6?_port=htons\((\d+)\)/u.exec(rest)?.[1]);
    switch (family) {
      case "AF_UNIX":
      case "AF_NETLINK":
        break;
      case "AF_INET":
      case "AF_INET6":
        if (!isLoopback(rest)) return "an address beyond this machine";
        // A resolver on this machine queries other machines.
        if (port === DNS_PORT) return "a look-up of a name";
        break;
      default:
        return "an unknown kind of address";
    }
  }
  return undefined;
}

const isLoopback = (address: string): boolean =>
  /sin_addr=inet_addr\("127\.\d+\.\d+\.\d+"\)/u.test(address) ||
  /inet_pton\(AF_INET6, "(::1|::ffff:127\.\d+\.\d+\.\d+)", &sin6_addr\)/u.test(address);
