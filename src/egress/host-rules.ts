import { isIP, isIPv6 } from "node:net";
import { type AddressRule, isAddressRange, isLoopbackAddress, isPublicAddress, within } from "./address-rules.ts";

/** An entry of `egress.allowed_hosts`. */
export type AllowedHost = string | { readonly host: string; readonly addresses: readonly string[] };

/** A host that tools and engines may connect to. */
export interface HostRule {
  /** As `URL.hostname` writes it. */
  readonly hostname: string;
  /** Undefined for the port of the address's protocol. */
  readonly port: number | undefined;
  /** Addresses to which the name may resolve. */
  readonly permits: AddressRule;
  /** http is permitted beside https. */
  readonly allowsPlain: boolean;
}

const ENTRY = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/u;

/** A sentence that says what is wrong with the entry. Undefined when the entry is right. */
export function allowedHostFault(entry: AllowedHost): string | undefined {
  const { host, addresses } = parts(entry);
  if (readHost(host) === undefined)
    return `"${host}" must be a host name or an IP address, with a port if it is not the usual one: "api.vendor.example:8443"`;
  if (addresses === undefined) return undefined;
  if (isLiteral(host)) return `"${host}" is an address by itself: write it without addresses`;
  const wrong = addresses.find((range) => !isAddressRange(range));
  return wrong === undefined ? undefined : `"${wrong}" must be an IP address or a range such as "10.0.0.0/8"`;
}

/** @param entry One without a fault. */
export function hostRule(entry: AllowedHost): HostRule {
  const { host, addresses } = parts(entry);
  const { hostname = "", port } = readHost(host) ?? {};
  const own =
    hostname === "localhost" ? isLoopbackAddress : isLiteral(host) ? within([unbracketed(hostname)]) : undefined;
  const named = addresses === undefined ? own : within(addresses);
  return { hostname, port, permits: named ?? isPublicAddress, allowsPlain: named !== undefined };
}

/** Undefined when no rule permits the host and the port. */
export const ruleFor = (url: URL, rules: readonly HostRule[]): HostRule | undefined =>
  rules.find(({ hostname, port }) => hostname === url.hostname && (port ?? usualPort(url)) === portOf(url));

/** A sentence that says why the address may not be used, and what the operator can do. Undefined when it may. */
export function egressFault(url: URL, rules: readonly HostRule[]): string | undefined {
  const rule = ruleFor(url, rules);
  const withAddresses = `{ host: "${url.host}", addresses: ["10.0.0.0/8"] }`;
  if (rule === undefined) {
    const local = isLiteral(url.host) ? "" : `, or ${withAddresses} with its own addresses when it is in your network`;
    return `${url.host} is not in egress.allowed_hosts. Add "${url.host}" to egress.allowed_hosts in the server's configuration${local}`;
  }
  if (url.protocol === "https:" || rule.allowsPlain) return undefined;
  return `${url.host} needs https. For http in your own network, write ${withAddresses} in egress.allowed_hosts`;
}

const parts = (entry: AllowedHost) => (typeof entry === "string" ? { host: entry, addresses: undefined } : entry);
const unbracketed = (hostname: string) => hostname.replace(/^\[(.*)\]$/u, "$1");
const usualPort = ({ protocol }: URL) => (protocol === "https:" ? 443 : 80);
const portOf = (url: URL) => (url.port === "" ? usualPort(url) : Number(url.port));

/** An IP address or `localhost`: a host that needs no name server. */
function isLiteral(host: string): boolean {
  const { hostname = "" } = readHost(host) ?? {};
  return hostname === "localhost" || isIP(unbracketed(hostname)) !== 0;
}

/** Undefined for text that is not a host, or that a URL would write in another way, such as 0x7f.1. */
function readHost(text: string): Pick<HostRule, "hostname" | "port"> | undefined {
  const lower = text.toLowerCase();
  const [, name = "", digits] = ENTRY.exec(isIPv6(lower) ? `[${lower}]` : lower) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (name === "" || (port !== undefined && (port < 1 || port > 65_535)) || !URL.canParse(`https://${name}`))
    return undefined;
  const { hostname } = new URL(`https://${name}`);
  return hostname === name || name.startsWith("[") ? { hostname, port } : undefined;
}
