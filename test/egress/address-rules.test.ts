import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAddressRange, isLoopbackAddress, isPublicAddress, within } from "../../src/egress/address-rules.ts";

const SPECIAL_4 = [
  ["this network", 0, 8], ["private", 0x0a000000, 8], ["carrier NAT", 0x64400000, 10], ["loopback", 0x7f000000, 8],
  ["link-local", 0xa9fe0000, 16], ["private", 0xac100000, 12], ["assignments", 0xc0000000, 24], ["documentation", 0xc0000200, 24],
  ["6to4 relays", 0xc0586300, 24], ["private", 0xc0a80000, 16], ["benchmarks", 0xc6120000, 15], ["documentation", 0xc6336400, 24],
  ["documentation", 0xcb007100, 24], ["multicast, reserved, broadcast", 0xe0000000, 3],
] as const; // prettier-ignore

const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
/** All eight groups, so that no part is left out. */
const grouped = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16)).join(":");
const inRange = (value: bigint, base: bigint, bits: number, width: number) =>
  value >> BigInt(width - bits) === base >> BigInt(width - bits);
const special4 = (value: number) => SPECIAL_4.some(([, base, bits]) => inRange(BigInt(value), BigInt(base), bits, 32));

const ipv4 = fc.oneof(
  fc.nat(0xffffffff),
  // Addresses at the edges of the ranges.
  fc
    .constantFrom(...SPECIAL_4)
    .chain(([, base, bits]) =>
      fc.constantFrom(base, base - 1, base + 2 ** (32 - bits) - 1, base + 2 ** (32 - bits)).map((at) => at >>> 0),
    ),
);
const ipv6 = fc.bigInt(0n, 2n ** 128n - 1n);

describe("addresses", () => {
  it("an IPv4 address is public unless a special range has it", () => {
    fc.assert(
      fc.property(ipv4, (value) => isPublicAddress(dotted(value)) === !special4(value)),
      { numRuns: 5_000 },
    );
  });

  it("an IPv6 address is public only in 2000::/3, without its special parts", () => {
    const global = fc.tuple(fc.constantFrom(0x2000n, 0x2001n, 0x2002n, 0x2600n, 0x3fffn, 0x1fffn, 0x4000n), ipv6);
    const near = global.map(([first, rest]) => (first << 112n) | (rest & (2n ** 112n - 1n)));
    const isGlobal = (value: bigint) =>
      inRange(value, 0x2000n << 112n, 3, 128) &&
      !inRange(value, 0x2001n << 112n, 23, 128) &&
      !inRange(value, (0x2001n << 112n) | (0xdb8n << 96n), 32, 128) &&
      !inRange(value, 0x2002n << 112n, 16, 128) &&
      !inRange(value, 0x3fffn << 112n, 20, 128);
    const property = fc.property(fc.oneof(ipv6, near), (value) => isPublicAddress(grouped(value)) === isGlobal(value));
    fc.assert(property, { numRuns: 5_000 });
  });

  it("no IPv4 address is public inside an IPv6 address: mapped, compatible, NAT64, 6to4, Teredo", () => {
    const forms = [0xffffn << 32n, 0n, 0x0064ff9bn << 96n, (0x0064ff9bn << 96n) | (1n << 80n)];
    fc.assert(
      fc.property(ipv4, fc.constantFrom(...forms), (value, form) => {
        const six = (BigInt(value) << 80n) | (0x2002n << 112n);
        return !isPublicAddress(grouped(form | BigInt(value))) && !isPublicAddress(grouped(six));
      }),
    );
    expect(isPublicAddress("::ffff:93.184.215.14")).toBe(false);
    expect(isPublicAddress("2001:0:53aa:64c::1")).toBe(false);
  });

  it("an entry's ranges permit exactly their addresses", () => {
    const property = fc.property(ipv4, ipv4, fc.integer({ min: 0, max: 32 }), (base, value, bits) => {
      const permits = within([`${dotted(base)}/${String(bits)}`]);
      return permits(dotted(value)) === inRange(BigInt(value), BigInt(base), bits, 32);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it.each(["::ffff:10.1.2.3", "::ffff:a01:203", "64:ff9b::a01:203", "fe80::1%lo", "10.1.2", "", "10.1.2.3%lo"])(
    "an IPv4 range does not permit %j",
    (address) => expect(within(["10.0.0.0/8"])(address)).toBe(false),
  );

  it.each([
    ["::1", true], ["127.0.0.1", true], ["127.255.0.3", true], ["::ffff:127.0.0.1", false], ["0.0.0.0", false], ["::", false], ["128.0.0.1", false],
  ])("%s: loopback %s", (address, expected) => expect(isLoopbackAddress(address)).toBe(expected)); // prettier-ignore

  it("text that is not an address is never public", () => {
    fc.assert(fc.property(fc.string(), (text) => !isPublicAddress(`x${text}`)));
  });

  it.each([
    ["10.0.0.0/8", true], ["10.1.2.3", true], ["fd00::/8", true], ["::1", true],
    ["10.0.0.0/33", false], ["fd00::/129", false], ["10.0.0.0/", false], ["hotel.lan", false], ["10.0.0/8", false], ["", false], ["fe80::1%eth0", false],
  ])("%s is a range: %s", (text, expected) => expect(isAddressRange(text)).toBe(expected)); // prettier-ignore
});
