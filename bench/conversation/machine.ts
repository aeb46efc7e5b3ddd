import { cpus, totalmem } from "node:os";

export function describeMachine(): string {
  const [first] = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  return `${String(cpus().length)} x ${first?.model ?? "CPU"}, ${memory}, Node ${process.version}`;
}
