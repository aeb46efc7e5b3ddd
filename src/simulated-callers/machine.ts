import { cpus, totalmem } from "node:os";

export function describeMachine(): string {
  const [first] = cpus();
  const memory = `${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  return `${String(cpus().length)} x ${first?.model ?? "CPU"}, ${memory}, Node ${process.version}`;
}

/** Processor time so far of all programs on all cores, in seconds. */
export const busySeconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
