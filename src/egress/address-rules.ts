import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Which addresses a connection may use. */
export type AddressRule = (address: string) => boolean;

/** IPv4 ranges that are not public: IANA's special-purpose registry, multicast and reserved addresses. */
const NOT_PUBLIC_4 = [
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
  "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
  "224.0.0.0/4", "240.0.0.0/4",
]; // prettier-ignore
/** All public IPv6 addresses. IPv4-mapped, NAT64, unique-local, link-local and multicast addresses are outside. */
const PUBLIC_6 = ["2000::/3"];
/** Parts of it that are not public: protocol assignments with Teredo, documentation, 6to4. */
const NOT_PUBLIC_6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/**
 * True for addresses in one of the ranges. An IPv4-mapped IPv6 address is only in IPv6 ranges.
 * @param ranges Each one accepted by `isAddressRange`.
 */
export function within(ranges: readonly string[]): AddressRule {
  // One list for each family: a list with IPv4 ranges also matches IPv4-mapped IPv6 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    lists[family].addSubnet(address, Number(prefix ?? (family === "ipv4" ? 32 : 128)), family);
  }
  return (address) => {
    // A zone index names an interface of this machine.
    if (address.includes("%")) return false;
    if (isIPv4(address)) return lists.ipv4.check(address, "ipv4");
    return isIPv6(address) && lists.ipv6.check(address, "ipv6");
  };
}

/** An address, or an address with the number of its fixed bits: `10.0.0.0/8`. */
export function isAddressRange(text: string): boolean {
  const [, address = "", prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/iu.exec(text) ?? [];
  const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return Number(prefix ?? 0) <= most;
}

const isSpecial4 = within(NOT_PUBLIC_4);
const isGlobal6 = within(PUBLIC_6);
const isSpecial6 = within(NOT_PUBLIC_6);

export const isPublicAddress: AddressRule = (address) =>
  isIPv4(address) ? !isSpecial4(address) : isGlobal6(address) && !isSpecial6(address);
export const isLoopbackAddress: AddressRule = within(LOOPBACK);
