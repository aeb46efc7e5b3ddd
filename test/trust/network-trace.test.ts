import { expect, it } from "vitest";
import { findEgress, tracedTasks } from "./network-trace.ts";

const QUIET = `
30400 socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, [...]) = 0
30411 getsockname(1,  <unfinished ...>
30411 <... getsockname resumed>{sa_family=AF_UNIX}, [128 => 2]) = 0
30400 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, IPPROTO_IP) = 32
30400 bind(32, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
30400 bind(33, {sa_family=AF_INET6, sin6_port=htons(8787), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0
30400 accept4(32, {sa_family=AF_INET, sin_port=htons(41000), sin_addr=inet_addr("192.0.2.9")}, [128 => 16], SOCK_CLOEXEC|SOCK_NONBLOCK) = 33
30400 connect(34, {sa_family=AF_UNIX, sun_path="/run/some.socket"}, 110) = -1 ENOENT (No such file or directory)
30400 sendto(33, ""..., 20, MSG_NOSIGNAL, NULL, 0) = 20
30400 sendmsg(33, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=""..., iov_len=1}], msg_iovlen=1, msg_controllen=0, msg_flags=0}, MSG_NOSIGNAL) = 1
30400 sendto(35, [{nlmsg_len=20}], 20, 0, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 20
30400 io_uring_setup(64, {flags=0}) = -1 EPERM (Operation not permitted)
30411 --- SIGTERM {si_signo=SIGTERM, si_code=SI_USER, si_pid=1, si_uid=0} ---
30411 +++ killed by SIGKILL +++
30400 +++ exited with 0 +++
`;

it("accepts local connections and counts the traced processes", () => {
  expect(findEgress(QUIET)).toEqual([]);
  expect(tracedTasks(QUIET)).toBe(2);
});

it.each([
  'connect(37, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 ENETUNREACH (Network is unreachable)',
  'connect(37, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16 <unfinished ...>',
  'connect(37, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
  'connect(9, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
  'connect(9, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::ffff:192.0.2.1", &sin6_addr), sin6_scope_id=0}, 28) = 0',
  "connect(9, {sa_family=AF_VSOCK, svm_cid=0x2, svm_port=0x1}, 16) = 0",
  "connect(9, 0x7ffc1234, 16) = -1 EFAULT (Bad address)",
  'sendto(9, ""..., 4, 0, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("192.0.2.1")}, 16) = 4',
  'sendmsg(9, {msg_name={sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("192.0.2.1")}, msg_namelen=16}, 0) = 4',
  'sendmmsg(9, [{msg_hdr={msg_name=NULL, msg_namelen=0}}, {msg_hdr={msg_name={sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.1")}}}], 2, MSG_NOSIGNAL) = 2',
  'bind(32, {sa_family=AF_INET, sin_port=htons(0), sin_addr=inet_addr("0.0.0.0")}, 16) = 0',
  "socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) = 9",
  "socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) = 9",
  "io_uring_setup(64, {flags=0}) = 9",
  "some_new_call(9) = 0",
])("finds %s", (call) => {
  expect(findEgress(`7 ${call}`)).toHaveLength(1);
});

it("reports a line that it cannot parse", () => {
  expect(findEgress("strace: something went wrong")).toHaveLength(1);
});
