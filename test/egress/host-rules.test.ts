import { expect, it } from "vitest";
import { allowedHostFault, egressFault, hostRule } from "../../src/egress/host-rules.ts";

const lan = { host: "pms.hotel.lan", addresses: ["10.0.0.0/8"] };
const fault = (url: string, ...entries: Parameters<typeof hostRule>[0][]) =>
  egressFault(new URL(url), entries.map(hostRule));

it.each([
  ["https://api.vendor.example/x", "api.vendor.example"],
  ["https://API.Vendor.Example/x", "api.vendor.example"],
  ["https://api.vendor.example/x", "API.vendor.example:443"],
  ["https://api.vendor.example:8443/x", "api.vendor.example:8443"],
  ["http://127.0.0.1/x", "127.0.0.1"],
  ["http://127.0.0.1:3000/x", "127.0.0.1:3000"],
  ["http://localhost:3000/x", "localhost:3000"],
  ["http://[::1]:3000/x", "[::1]:3000"],
  ["https://[fd00::1]/x", "fd00::1"],
  ["http://pms.hotel.lan/x", lan],
  ["https://pms.hotel.lan/x", lan],
])("%s is permitted by %j", (url, entry) => expect(fault(url, entry)).toBeUndefined());

it.each([
  ["https://api.vendor.example/", []],
  ["https://api.vendor.example:8443/", ["api.vendor.example"]],
  ["https://api.vendor.example/", ["api.vendor.example:8443"]],
  ["https://x.api.vendor.example/", ["api.vendor.example"]],
  ["https://api.vendor.example./", ["api.vendor.example"]],
  ["https://evil-api.vendor.example/", ["api.vendor.example"]],
  ["http://127.0.0.1:3000/", ["localhost:3000"]],
  ["http://localhost:3000/", ["127.0.0.1:3000"]],
  ["http://127.0.0.2/", ["127.0.0.1"]],
  ["http://2130706433/", ["127.0.0.2"]],
  ["http://[::ffff:127.0.0.1]/", ["127.0.0.1"]],
])("%s is not permitted by %j", (url, entries) => {
  expect(fault(url, ...entries)).toContain(
    `${new URL(url).host} is not in egress.allowed_hosts. Add "${new URL(url).host}" to egress.allowed_hosts in the server's configuration`,
  );
});

it("a name needs https unless its addresses are given", () => {
  expect(fault("http://api.vendor.example:80/", "api.vendor.example")).toMatch(
    /needs https.*\{ host: "api.vendor.example", addresses/u,
  );
});

it.each([
  "", "*", "*.vendor.example", "https://api.vendor.example", "api.vendor.example/x", "api.vendor.example:0", "api.vendor.example:70000",
  "user@host", "0x7f.1", "127.1", "2130706433", "host name", "müller.example", "[::1", "::1:", "a:b:c",
])("%j is not a host", (host) => expect(allowedHostFault(host)).toMatch(/must be a host name or an IP address/u)); // prettier-ignore

it.each([
  [{ host: "pms.hotel.lan", addresses: ["10.0.0.0/40"] }, /"10\.0\.0\.0\/40" must be an IP address or a range/u],
  [{ host: "pms.hotel.lan", addresses: ["other.lan"] }, /"other\.lan" must be an IP address/u],
  [{ host: "127.0.0.1", addresses: ["10.0.0.0/8"] }, /is an address by itself/u],
  [{ host: "localhost:80", addresses: ["10.0.0.0/8"] }, /is an address by itself/u],
])("%j is refused", (entry, message) => expect(allowedHostFault(entry)).toMatch(message));

it("a literal address permits itself, localhost loopback, a name public addresses, an entry its ranges", () => {
  const permitted = (entry: Parameters<typeof hostRule>[0]) =>
    ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.1", "93.184.215.14"].filter((address) =>
      hostRule(entry).permits(address),
    );
  expect(permitted("127.0.0.1")).toEqual(["127.0.0.1"]);
  expect(permitted("localhost")).toEqual(["127.0.0.1", "::1"]);
  expect(permitted("api.vendor.example")).toEqual(["93.184.215.14"]);
  expect(permitted(lan)).toEqual(["10.1.2.3"]);
});
